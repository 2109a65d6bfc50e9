from pages.shell.sheets import sheets

sheets()
