"""The JSON Schemas of what Testigo publishes."""
