-- The folder that a body named, of fields that are stored and not shown.
ALTER TABLE flags ADD COLUMN folder TEXT NOT NULL DEFAULT 'Unfiled/Feature Flags';
ALTER TABLE experiments ADD COLUMN folder TEXT NOT NULL DEFAULT 'Unfiled/Experiments';
-- Whether no condition has properties and there are no variants; null before the triggers have seen the row.
ALTER TABLE flags ADD COLUMN is_simple INTEGER;
-- The whole percentage of the only condition of a simple flag, else null.
ALTER TABLE flags ADD COLUMN simple_rollout INTEGER;

DROP TRIGGER flags_inserted;
DROP TRIGGER flags_updated;

CREATE TRIGGER flags_updated AFTER UPDATE OF filters ON flags
WHEN new.filters <> old.filters OR new.is_simple IS NULL BEGIN
    UPDATE flags SET (is_simple, simple_rollout) = (
        SELECT is_simple, CASE WHEN is_simple AND json_array_length(new.filters, '$.groups') = 1
            AND share = CAST(share AS INTEGER) THEN CAST(share AS INTEGER) END
        FROM (SELECT json_extract(new.filters, '$.groups[0].rollout_percentage') AS share,
            coalesce(json_type(new.filters, '$.groups') = 'array', 0) AND new.variant_count = 0 AND NOT EXISTS (
                SELECT 1 FROM json_each(new.filters, '$.groups') AS condition
                WHERE coalesce(json_array_length(new.filters, condition.fullkey || '.properties'), 0) > 0
            ) AS is_simple)),
        full_rollout = CASE
        WHEN coalesce(json_array_length(new.filters, '$.groups'), 0) = 0 THEN 2 - 2 * (new.variant_count > 0)
        WHEN EXISTS (
            SELECT 1 FROM json_each(new.filters, '$.groups') AS condition
            WHERE json_extract(new.filters, condition.fullkey || '.rollout_percentage') = 100
            AND coalesce(json_array_length(new.filters, condition.fullkey || '.properties'), 0) = 0
            AND (new.variant_count = 0
                OR json_extract(new.filters, condition.fullkey || '.variant') IS NOT NULL OR EXISTS (
                SELECT 1 FROM json_each(new.filters, '$.multivariate.variants') AS variant
                WHERE json_extract(new.filters, variant.fullkey || '.rollout_percentage') = 100))) THEN 1
        ELSE 0 END
    WHERE id = new.id;
END;

CREATE TRIGGER flags_inserted AFTER INSERT ON flags BEGIN
    UPDATE flags SET filters = filters WHERE id = new.id;
END;

UPDATE flags SET filters = filters;
