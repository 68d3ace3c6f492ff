"""Output of commands: tables for people, TSV and JSON for programs."""
