from lessons.decode_cost import LESSON
from pages.shell.teach import teach

teach(LESSON)
