from pages.shell.sheets.page import sheets

sheets()
