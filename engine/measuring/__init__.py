"""Real timings of the mechanisms that the lessons count. `engine.measure` is the door; all else here is behind it."""
