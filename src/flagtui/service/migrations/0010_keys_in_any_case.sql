-- A list narrowed to one key compares it without regard to case; the indexes of keys distinguish it.
CREATE INDEX flags_key_in_any_case ON flags (project_id, key COLLATE NOCASE) WHERE deleted = 0;
