from lessons.copy_on_write import LESSON
from pages.shell.lesson.teach import teach

teach(LESSON)
