"""The command line, one command a file. Results go to standard output, everything else to standard error."""
