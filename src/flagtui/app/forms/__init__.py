"""Forms of records: lines with questions, a draft, and the same record in an editor."""
