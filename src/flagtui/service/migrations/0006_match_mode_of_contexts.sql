-- Whether a request must declare any or all of the evaluation contexts of a flag.
ALTER TABLE flags ADD COLUMN evaluation_contexts_match_mode TEXT NOT NULL DEFAULT 'any'
    CHECK (evaluation_contexts_match_mode IN ('any', 'all'));
