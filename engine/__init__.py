"""The mathematics of the lessons: NumPy, frozen dataclasses, generators. No Streamlit, no Plotly, no prose."""
