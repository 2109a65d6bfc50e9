"""`make bench`: what a step, a first visit and an edit cost, each beside its target; `make load`: many readers at
once."""
