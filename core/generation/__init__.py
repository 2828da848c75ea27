"""Who writes claims: Claude, or the documents' own sentences. Whoever writes, the verifier decides."""
