-- How often the rows behind a computed value changed: what is kept of people outlives a change of a flag.
CREATE TABLE revisions (
    topic TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO revisions VALUES ('people', 0);

CREATE TRIGGER persons_added AFTER INSERT ON persons BEGIN
    UPDATE revisions SET number = number + 1 WHERE topic = 'people';
END;
CREATE TRIGGER persons_changed AFTER UPDATE ON persons BEGIN
    UPDATE revisions SET number = number + 1 WHERE topic = 'people';
END;
CREATE TRIGGER persons_removed AFTER DELETE ON persons BEGIN
    UPDATE revisions SET number = number + 1 WHERE topic = 'people';
END;
CREATE TRIGGER distinct_ids_added AFTER INSERT ON distinct_ids BEGIN
    UPDATE revisions SET number = number + 1 WHERE topic = 'people';
END;
CREATE TRIGGER distinct_ids_changed AFTER UPDATE ON distinct_ids BEGIN
    UPDATE revisions SET number = number + 1 WHERE topic = 'people';
END;
CREATE TRIGGER distinct_ids_removed AFTER DELETE ON distinct_ids BEGIN
    UPDATE revisions SET number = number + 1 WHERE topic = 'people';
END;
CREATE TRIGGER cohort_members_added AFTER INSERT ON cohort_members BEGIN
    UPDATE revisions SET number = number + 1 WHERE topic = 'people';
END;
CREATE TRIGGER cohort_members_changed AFTER UPDATE ON cohort_members BEGIN
    UPDATE revisions SET number = number + 1 WHERE topic = 'people';
END;
CREATE TRIGGER cohort_members_removed AFTER DELETE ON cohort_members BEGIN
    UPDATE revisions SET number = number + 1 WHERE topic = 'people';
END;
