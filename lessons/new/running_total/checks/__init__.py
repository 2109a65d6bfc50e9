"""What becomes tests/engine/test_….py and tests/lessons/test_….py."""
