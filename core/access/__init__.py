"""Access rules at work: which rules a reader satisfies, and the groups people are in."""
