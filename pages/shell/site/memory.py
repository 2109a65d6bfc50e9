"""Take everything imported out of the garbage collector's rounds.

Streamlit collects garbage after every script run, and holds up every reader while it does. Walking the modules of
pandas and Plotly takes longer than the run itself; frozen objects are not walked. Imported last, once, by app.py."""

import gc

gc.collect()
gc.freeze()
