"""The way in: three storage problems in one picture, and the chapter's check before reading."""

from lessons.home.picture import PICTURE
from lessons.home.question import CHECK
from lessons.home.words import CHECK_TITLE, LEAD, PATH, PICTURE_HINT, PICTURE_TITLE

__all__ = ["CHECK", "CHECK_TITLE", "LEAD", "PATH", "PICTURE", "PICTURE_HINT", "PICTURE_TITLE"]
