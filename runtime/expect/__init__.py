"""What a case expects, looked for in a trial: verdicts with reasons, partial credit, and proofs."""
