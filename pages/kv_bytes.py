from lessons.kv_bytes import LESSON
from pages.shell.lesson.teach import teach

teach(LESSON)
