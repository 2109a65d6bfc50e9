from pages.shell.measured.page import measured

measured()
