-- Of one project; null covers every project of the organization.
ALTER TABLE approval_policies ADD COLUMN project_id INTEGER REFERENCES projects (id);
ALTER TABLE approval_policies ADD COLUMN conditions TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(conditions));
ALTER TABLE approval_policies ADD COLUMN allow_self_approve INTEGER NOT NULL DEFAULT 0;
-- Levels of members, and roles, whose changes need no approval.
ALTER TABLE approval_policies ADD COLUMN bypass_org_membership_levels TEXT NOT NULL DEFAULT '[]'
    CHECK (json_valid(bypass_org_membership_levels));
ALTER TABLE approval_policies ADD COLUMN bypass_roles TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(bypass_roles));
-- Days, hours, minutes and seconds.
ALTER TABLE approval_policies ADD COLUMN expires_after TEXT NOT NULL DEFAULT '14 00:00:00';
ALTER TABLE approval_policies ADD COLUMN created_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL;
ALTER TABLE approval_policies ADD COLUMN updated_at TEXT;
-- Kept for the requests that name it.
ALTER TABLE approval_policies ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
UPDATE approval_policies SET allow_self_approve = coalesce(json_extract(approvers, '$.allow_self_approve'), 0),
    approvers = json_remove(approvers, '$.allow_self_approve');

CREATE TABLE roles (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL
);
CREATE TABLE role_members (
    role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (role_id, user_id)
) WITHOUT ROWID;
