"""A new lesson: a small one that runs at once, to be made into one's own. `python -m lessons.new SLUG`."""
