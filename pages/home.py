from pages.shell.home import home

home()
