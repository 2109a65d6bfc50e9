"""What the folder is made from. Lines marked `# @todo` are left to the student; nothing here is imported by the app."""
