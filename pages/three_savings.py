from lessons.three_savings import LESSON
from pages.shell.teach import teach

teach(LESSON)
