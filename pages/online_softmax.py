from lessons.online_softmax import LESSON
from pages.shell.lesson.teach import teach

teach(LESSON)
