"""What `./check` does: set up (prepare), the list of checks (steps), and the run (main)."""
