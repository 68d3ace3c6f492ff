"""What commands print: tables for people, TSV and JSON for programs."""
