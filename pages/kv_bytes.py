from lessons.kv_bytes import LESSON
from pages.shell.teach import teach

teach(LESSON)
