"""What is not an index: claimed events, conversations, frozen evidence, runs. SQLite, or PostgreSQL."""
