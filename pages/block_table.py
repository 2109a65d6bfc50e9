from lessons.block_table import LESSON
from pages.shell.lesson.teach import teach

teach(LESSON)
