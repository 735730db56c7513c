"""deidbench: what a de-identified text release protects, costs, and still gives away."""

__version__ = "0.1.0"
