from lessons.block_table import LESSON
from pages.shell.teach import teach

teach(LESSON)
