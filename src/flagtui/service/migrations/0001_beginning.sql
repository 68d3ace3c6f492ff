-- Times are ISO 8601 text in UTC with six digits and Z, so that text order is time order.
-- Columns that hold JSON are text and are checked; booleans are 0 or 1.

CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    slug TEXT NOT NULL,
    created_at TEXT NOT NULL,
    members_can_use_keys INTEGER NOT NULL DEFAULT 1
);

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    distinct_id TEXT,
    first_name TEXT NOT NULL DEFAULT '',
    last_name TEXT NOT NULL DEFAULT '',
    email TEXT NOT NULL UNIQUE,
    is_email_verified INTEGER DEFAULT 1,
    hedgehog_config TEXT CHECK (hedgehog_config IS NULL OR json_valid(hedgehog_config)),
    role_at_organization TEXT,
    is_active INTEGER NOT NULL DEFAULT 1,
    is_staff INTEGER NOT NULL DEFAULT 0,
    current_project_id INTEGER,
    -- The user as other records nest it, ready to be put into an answer.
    nested TEXT GENERATED ALWAYS AS (json_object(
        'id', id, 'uuid', uuid, 'distinct_id', distinct_id, 'first_name', first_name, 'last_name', last_name,
        'email', email,
        'is_email_verified', json(CASE is_email_verified WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END),
        'hedgehog_config', json(coalesce(hedgehog_config, 'null')),
        'role_at_organization', role_at_organization)) STORED
);

CREATE TABLE organization_members (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    level INTEGER NOT NULL DEFAULT 1 CHECK (level IN (1, 8, 15)),
    PRIMARY KEY (organization_id, user_id)
) WITHOUT ROWID;

CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    api_token TEXT NOT NULL UNIQUE,
    secret_hash TEXT UNIQUE,
    timezone TEXT NOT NULL DEFAULT 'UTC',
    created_at TEXT NOT NULL,
    is_demo INTEGER NOT NULL DEFAULT 0,
    -- 1: only administrators of the organization and the members listed below may see it.
    is_private INTEGER NOT NULL DEFAULT 0,
    replay_flag_id INTEGER,
    -- require_flag_tags, require_evaluation_contexts, default_stats_method, and whatever else is set.
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings))
);

CREATE TABLE project_members (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, user_id)
) WITHOUT ROWID;

-- What a user may do with the flags or experiments of a project when it is less than everything.
CREATE TABLE access_levels (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    resource TEXT NOT NULL,
    -- '' is the whole resource, else the id of one record.
    record_id TEXT NOT NULL DEFAULT '',
    level TEXT NOT NULL CHECK (level IN ('none', 'viewer', 'editor', 'manager')),
    PRIMARY KEY (project_id, user_id, resource, record_id)
) WITHOUT ROWID;

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    mask TEXT NOT NULL,
    scopes TEXT NOT NULL CHECK (json_valid(scopes)),
    scoped_teams TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(scoped_teams)),
    scoped_organizations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(scoped_organizations)),
    created_at TEXT NOT NULL,
    last_used_at TEXT
);

CREATE TABLE dashboards (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    creation_mode TEXT NOT NULL DEFAULT 'default',
    created_by_id INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE dashboard_tiles (
    id INTEGER PRIMARY KEY,
    dashboard_id INTEGER NOT NULL REFERENCES dashboards (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    query TEXT NOT NULL CHECK (json_valid(query))
);

CREATE TABLE flags (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    key TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    filters TEXT NOT NULL DEFAULT '{"groups":[]}' CHECK (json_valid(filters) AND json_type(filters) = 'object'),
    deleted INTEGER NOT NULL DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1,
    archived INTEGER NOT NULL DEFAULT 0,
    created_by_id INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL,
    updated_at TEXT,
    version INTEGER,
    last_modified_by_id INTEGER REFERENCES users (id),
    ensure_experience_continuity INTEGER DEFAULT 0,
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    evaluation_contexts TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(evaluation_contexts)),
    usage_dashboard_id INTEGER REFERENCES dashboards (id),
    analytics_dashboards TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(analytics_dashboards)),
    has_enriched_analytics INTEGER DEFAULT 0,
    is_remote_configuration INTEGER DEFAULT 0,
    has_encrypted_payloads INTEGER DEFAULT 0,
    evaluation_runtime TEXT DEFAULT 'all',
    bucketing_identifier TEXT DEFAULT 'distinct_id',
    last_called_at TEXT,
    creation_context TEXT NOT NULL DEFAULT 'feature_flags',
    rollback_conditions TEXT CHECK (rollback_conditions IS NULL OR json_valid(rollback_conditions)),
    performed_rollback INTEGER,
    -- Fields this service does not know, as a JSON object; they are returned as stored.
    extra TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(extra) AND json_type(extra) = 'object'),
    -- 0 no, 1 some condition lets everybody in, 2 there are no conditions at all. Kept by triggers.
    full_rollout INTEGER NOT NULL DEFAULT 0,
    variant_count INTEGER GENERATED ALWAYS AS (
        coalesce(json_array_length(filters, '$.multivariate.variants'), 0)) STORED,
    -- The fields an answer takes from this row alone, without filters: JSON text between the braces.
    rendered TEXT GENERATED ALWAYS AS (
        '"id":' || id || ',"name":' || json_quote(name) || ',"key":' || json_quote(key)
        || ',"deleted":' || CASE deleted WHEN 1 THEN 'true' ELSE 'false' END
        || ',"active":' || CASE active WHEN 1 THEN 'true' ELSE 'false' END
        || ',"archived":' || CASE archived WHEN 1 THEN 'true' ELSE 'false' END
        || ',"created_at":' || json_quote(created_at)
        || ',"updated_at":' || coalesce(json_quote(updated_at), 'null')
        || ',"version":' || coalesce(version, 'null')
        || ',"ensure_experience_continuity":'
        || CASE ensure_experience_continuity WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END
        || ',"tags":' || tags
        || ',"usage_dashboard":' || coalesce(usage_dashboard_id, 'null')
        || ',"analytics_dashboards":' || analytics_dashboards
        || ',"has_enriched_analytics":'
        || CASE has_enriched_analytics WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END
        || ',"is_remote_configuration":'
        || CASE is_remote_configuration WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END
        || ',"has_encrypted_payloads":'
        || CASE has_encrypted_payloads WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END
        || ',"evaluation_runtime":' || coalesce(json_quote(evaluation_runtime), 'null')
        || ',"bucketing_identifier":' || coalesce(json_quote(bucketing_identifier), 'null')
        || ',"last_called_at":' || coalesce(json_quote(last_called_at), 'null')) STORED
);
CREATE UNIQUE INDEX flags_key ON flags (project_id, key) WHERE deleted = 0;
CREATE INDEX flags_newest ON flags (project_id, archived, created_at DESC, id DESC) WHERE deleted = 0;
CREATE INDEX flags_dead_key ON flags (project_id, key);

CREATE TRIGGER flags_inserted AFTER INSERT ON flags BEGIN
    UPDATE flags SET full_rollout = CASE
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

CREATE TRIGGER flags_updated AFTER UPDATE OF filters ON flags WHEN new.filters <> old.filters BEGIN
    UPDATE flags SET full_rollout = CASE
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

CREATE TABLE early_access_features (
    id TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    flag_id INTEGER REFERENCES flags (id) ON DELETE SET NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    stage TEXT NOT NULL DEFAULT 'beta',
    documentation_url TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL
);
CREATE INDEX early_access_features_flag ON early_access_features (flag_id);

CREATE TABLE surveys (
    id TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    type TEXT NOT NULL DEFAULT 'popover',
    linked_flag_id INTEGER REFERENCES flags (id) ON DELETE SET NULL,
    targeting_flag_id INTEGER REFERENCES flags (id) ON DELETE SET NULL,
    -- Flags named here are made by the product itself and no list shows them.
    internal_flag_id INTEGER REFERENCES flags (id) ON DELETE SET NULL,
    created_at TEXT NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX surveys_linked ON surveys (linked_flag_id);
CREATE INDEX surveys_internal ON surveys (internal_flag_id);

CREATE TABLE activity (
    id TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    scope TEXT NOT NULL,
    item_id TEXT NOT NULL,
    activity TEXT NOT NULL,
    -- Null: the system did it, or the user is gone.
    user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
    is_system INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    detail TEXT NOT NULL CHECK (json_valid(detail))
);
CREATE INDEX activity_of_one ON activity (project_id, scope, item_id, created_at);
CREATE INDEX activity_of_all ON activity (project_id, scope, created_at);

CREATE TABLE persons (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    uuid TEXT NOT NULL UNIQUE,
    properties TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(properties)),
    created_at TEXT NOT NULL
);
CREATE INDEX persons_project ON persons (project_id);

CREATE TABLE distinct_ids (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    distinct_id TEXT NOT NULL,
    person_id INTEGER NOT NULL REFERENCES persons (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, distinct_id)
) WITHOUT ROWID;
CREATE INDEX distinct_ids_person ON distinct_ids (person_id);

CREATE TABLE group_types (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    type_index INTEGER NOT NULL CHECK (type_index BETWEEN 0 AND 4),
    name TEXT NOT NULL,
    PRIMARY KEY (project_id, type_index),
    UNIQUE (project_id, name)
) WITHOUT ROWID;

CREATE TABLE groups (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    type_index INTEGER NOT NULL,
    key TEXT NOT NULL,
    properties TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(properties)),
    created_at TEXT NOT NULL,
    PRIMARY KEY (project_id, type_index, key)
) WITHOUT ROWID;

CREATE TABLE cohorts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    is_static INTEGER NOT NULL DEFAULT 0,
    -- {"properties": {"type": "OR", "values": [...]}}, or {} for a static cohort.
    filters TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(filters)),
    query TEXT CHECK (query IS NULL OR json_valid(query)),
    is_calculating INTEGER NOT NULL DEFAULT 0,
    last_calculation TEXT,
    errors_calculating INTEGER NOT NULL DEFAULT 0,
    count INTEGER,
    created_by_id INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX cohorts_project ON cohorts (project_id);

CREATE TABLE cohort_members (
    cohort_id INTEGER NOT NULL REFERENCES cohorts (id) ON DELETE CASCADE,
    person_id INTEGER NOT NULL REFERENCES persons (id) ON DELETE CASCADE,
    PRIMARY KEY (cohort_id, person_id)
) WITHOUT ROWID;
CREATE INDEX cohort_members_person ON cohort_members (person_id);

CREATE TABLE actions (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    -- [{"event": "...", "properties": [...]}], any of which counts.
    steps TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(steps)),
    deleted INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    uuid TEXT NOT NULL,
    event TEXT NOT NULL,
    distinct_id TEXT NOT NULL,
    person_id INTEGER REFERENCES persons (id) ON DELETE SET NULL,
    timestamp TEXT NOT NULL,
    properties TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(properties)),
    -- Of a call to a flag: which flag, and the value it had.
    flag_key TEXT GENERATED ALWAYS AS (json_extract(properties, '$."$feature_flag"')) VIRTUAL
);
CREATE INDEX events_by_name ON events (project_id, event, timestamp);
CREATE INDEX events_by_flag ON events (project_id, flag_key, timestamp) WHERE event = '$feature_flag_called';
CREATE INDEX events_by_person ON events (project_id, person_id, event, timestamp);

CREATE TABLE event_definitions (
    id TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    created_at TEXT,
    last_seen_at TEXT,
    last_updated_at TEXT,
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    enforcement_mode TEXT NOT NULL DEFAULT 'allow' CHECK (enforcement_mode IN ('allow', 'reject')),
    primary_property TEXT,
    post_to_slack INTEGER NOT NULL DEFAULT 0,
    description TEXT DEFAULT '',
    owner_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
    verified INTEGER NOT NULL DEFAULT 0,
    verified_at TEXT,
    verified_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
    hidden INTEGER,
    created_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
    updated_at TEXT,
    updated_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
    default_columns TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(default_columns)),
    media_preview_urls TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(media_preview_urls)),
    query_usage_30_day INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project_id, name)
);
CREATE INDEX event_definitions_seen ON event_definitions (project_id, last_seen_at);

CREATE TABLE property_definitions (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    -- '' is a property seen on any event.
    event TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL,
    property_type TEXT,
    PRIMARY KEY (project_id, event, name)
) WITHOUT ROWID;

CREATE TABLE holdouts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    description TEXT,
    filters TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(filters)),
    created_by_id INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL,
    updated_at TEXT
);

CREATE TABLE saved_metrics (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    description TEXT,
    query TEXT NOT NULL CHECK (json_valid(query)),
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    created_by_id INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL,
    updated_at TEXT
);

CREATE TABLE experiments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    flag_id INTEGER NOT NULL REFERENCES flags (id),
    name TEXT NOT NULL,
    description TEXT DEFAULT '',
    start_date TEXT,
    end_date TEXT,
    type TEXT DEFAULT 'product',
    parameters TEXT CHECK (parameters IS NULL OR json_valid(parameters)),
    running_time_calculation TEXT
        CHECK (running_time_calculation IS NULL OR json_valid(running_time_calculation)),
    excluded_variants TEXT CHECK (excluded_variants IS NULL OR json_valid(excluded_variants)),
    metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics)),
    metrics_secondary TEXT CHECK (metrics_secondary IS NULL OR json_valid(metrics_secondary)),
    secondary_metrics TEXT CHECK (secondary_metrics IS NULL OR json_valid(secondary_metrics)),
    saved_metrics_ids TEXT CHECK (saved_metrics_ids IS NULL OR json_valid(saved_metrics_ids)),
    filters TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(filters)),
    exposure_criteria TEXT CHECK (exposure_criteria IS NULL OR json_valid(exposure_criteria)),
    stats_config TEXT CHECK (stats_config IS NULL OR json_valid(stats_config)),
    scheduling_config TEXT CHECK (scheduling_config IS NULL OR json_valid(scheduling_config)),
    primary_metrics_ordered_uuids TEXT
        CHECK (primary_metrics_ordered_uuids IS NULL OR json_valid(primary_metrics_ordered_uuids)),
    secondary_metrics_ordered_uuids TEXT
        CHECK (secondary_metrics_ordered_uuids IS NULL OR json_valid(secondary_metrics_ordered_uuids)),
    only_count_matured_users INTEGER NOT NULL DEFAULT 0,
    conclusion TEXT,
    conclusion_comment TEXT,
    holdout_id INTEGER REFERENCES holdouts (id) ON DELETE SET NULL,
    exposure_cohort_id INTEGER REFERENCES cohorts (id) ON DELETE SET NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    -- 1: archiving the experiment switched its flag off and archived it too.
    archived_flag INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0,
    created_by_id INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX experiments_flag ON experiments (flag_id);
CREATE INDEX experiments_project ON experiments (project_id, created_at DESC);

CREATE TABLE experiment_saved_metrics (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    experiment_id INTEGER NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    saved_metric_id INTEGER NOT NULL REFERENCES saved_metrics (id) ON DELETE CASCADE,
    metadata TEXT NOT NULL DEFAULT '{"type":"primary"}' CHECK (json_valid(metadata)),
    created_at TEXT NOT NULL,
    UNIQUE (experiment_id, saved_metric_id)
);

CREATE TABLE scheduled_changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    record_id TEXT NOT NULL,
    model_name TEXT NOT NULL DEFAULT 'FeatureFlag',
    payload TEXT NOT NULL CHECK (json_valid(payload)),
    scheduled_at TEXT NOT NULL,
    executed_at TEXT,
    failure_reason TEXT,
    created_at TEXT NOT NULL,
    created_by_id INTEGER REFERENCES users (id),
    updated_at TEXT NOT NULL,
    is_recurring INTEGER NOT NULL DEFAULT 0,
    recurrence_interval TEXT,
    cron_expression TEXT,
    last_executed_at TEXT,
    end_date TEXT,
    timezone TEXT
);
CREATE INDEX scheduled_changes_due ON scheduled_changes (scheduled_at) WHERE executed_at IS NULL;

CREATE TABLE approval_policies (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    -- flag.enable, flag.disable or flag.update
    action TEXT NOT NULL,
    enabled INTEGER NOT NULL DEFAULT 1,
    approvers TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(approvers)),
    created_at TEXT NOT NULL
);

CREATE TABLE change_requests (
    id TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    policy_id TEXT NOT NULL REFERENCES approval_policies (id),
    resource_type TEXT NOT NULL,
    resource_id TEXT,
    action TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    intent TEXT NOT NULL CHECK (json_valid(intent)),
    created_by_id INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL
);
