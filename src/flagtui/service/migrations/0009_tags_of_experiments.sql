ALTER TABLE experiments ADD COLUMN tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags));
-- The task that was asked to remove the flag from code after the end.
ALTER TABLE experiments ADD COLUMN flag_cleanup_task_id TEXT;
-- The copy of a metric of the older engine on the current one.
ALTER TABLE saved_metrics ADD COLUMN migrated_to_id INTEGER REFERENCES saved_metrics (id) ON DELETE SET NULL;
