from pages.shell.check import check

check()
