from lessons.flash_io import LESSON
from pages.shell.lesson.teach import teach

teach(LESSON)
