from lessons.kv_reuse import LESSON
from pages.shell.lesson.teach import teach

teach(LESSON)
