"""The way in: three storage problems in one picture, and the chapter's check before reading."""

from lessons.home.prose import CHECK_TITLE, LEAD, PATH, PICTURE_HINT, PICTURE_TITLE
from lessons.home.question import CHECK
from lessons.home.scene import PICTURE

__all__ = ["CHECK", "CHECK_TITLE", "LEAD", "PATH", "PICTURE", "PICTURE_HINT", "PICTURE_TITLE"]
