from pages.shell.reference import reference

reference()
