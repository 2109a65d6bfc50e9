from lessons.decode_cost import LESSON
from pages.shell.lesson.teach import teach

teach(LESSON)
