"""Build it yourself: a folder with skeletons to fill in, and tests that name the slip when something else comes out."""
