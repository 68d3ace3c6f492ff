-- That somebody asked for results to be computed anew: of one metric, or of all where metric_uuid is null.
CREATE TABLE experiment_recalculations (
    id TEXT PRIMARY KEY,
    experiment_id INTEGER NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    metric_uuid TEXT,
    fingerprint TEXT,
    cause TEXT NOT NULL DEFAULT 'manual',
    created_at TEXT NOT NULL
);
CREATE INDEX experiment_recalculations_newest ON experiment_recalculations (experiment_id, created_at DESC);
