"""How good the answers are, stage by stage, on a set of questions whose answers are known: `testigo eval`."""
