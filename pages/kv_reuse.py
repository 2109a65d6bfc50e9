from lessons.kv_reuse import LESSON
from pages.shell.teach import teach

teach(LESSON)
