"""Evidence after the answer: proving it again, keeping it for its time, and noticing when it breaks."""
