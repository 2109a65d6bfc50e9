from pages.shell.check.page import check

check()
