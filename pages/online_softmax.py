from lessons.online_softmax import LESSON
from pages.shell.teach import teach

teach(LESSON)
