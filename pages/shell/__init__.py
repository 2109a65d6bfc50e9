"""All the Streamlit code: what stands around a lesson."""
