-- Requests of before had no body to apply, and no vote could end them.
DELETE FROM change_requests;
ALTER TABLE change_requests ADD COLUMN policy_snapshot TEXT NOT NULL DEFAULT '{}'
    CHECK (json_valid(policy_snapshot));
ALTER TABLE change_requests ADD COLUMN expires_at TEXT NOT NULL DEFAULT '';
ALTER TABLE change_requests ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
ALTER TABLE change_requests ADD COLUMN applied_by_id INTEGER REFERENCES users (id);
ALTER TABLE change_requests ADD COLUMN applied_at TEXT;
ALTER TABLE change_requests ADD COLUMN apply_error TEXT NOT NULL DEFAULT '';
ALTER TABLE change_requests ADD COLUMN result_data TEXT
    CHECK (result_data IS NULL OR json_valid(result_data));
CREATE INDEX change_requests_of_project ON change_requests (project_id, created_at);

CREATE TABLE change_request_votes (
    id TEXT PRIMARY KEY,
    change_request_id TEXT NOT NULL REFERENCES change_requests (id),
    created_by_id INTEGER NOT NULL REFERENCES users (id),
    -- approved or rejected
    decision TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    UNIQUE (change_request_id, created_by_id)
);

-- The request on which a scheduled change waits.
ALTER TABLE scheduled_changes ADD COLUMN change_request_id TEXT REFERENCES change_requests (id);
