"""What knows about chat: listeners, identity, audience, rendering, delivery, the command line."""
