from lessons.copy_on_write import LESSON
from pages.shell.teach import teach

teach(LESSON)
