from lessons.three_savings import LESSON
from pages.shell.lesson.teach import teach

teach(LESSON)
