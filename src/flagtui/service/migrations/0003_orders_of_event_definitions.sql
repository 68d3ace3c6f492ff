-- A page of the list is read in its order; without these each page sorted every definition of the project.
CREATE INDEX event_definitions_by_day
    ON event_definitions (project_id, substr(last_seen_at, 1, 10) DESC, name, id);
DROP INDEX event_definitions_seen;
CREATE INDEX event_definitions_seen ON event_definitions (project_id, last_seen_at DESC, name, id);
