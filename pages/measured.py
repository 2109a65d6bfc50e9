from pages.shell.measured import measured

measured()
