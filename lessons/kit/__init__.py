"""What lessons are made of: words, numbers, pictures, inputs, questions. No Streamlit, and no lesson."""
