"""What admins should know without asking: computed from runs, syncs and links."""
