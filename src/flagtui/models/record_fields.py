"""The editable fields of flags, experiments and event definitions: each is declared only here."""

from typing import Final

from flagtui.models.editable_fields import (
    KEY,
    EditableField,
    FieldColumn,
    FieldTable,
    Option,
    one_of,
    own,
    switch,
    text,
    texts,
)

FLAG_FIELDS: Final = FieldTable(
    EditableField("key", "key", KEY, "", "key", "used by code", ("title", "for new")),
    EditableField("name", "description", text(), "", "description", traits=("copied", "restored")),
    EditableField("tags", "tags", texts(), [], "tags", "all its tags, with commas between them", ("copied",)),
    EditableField(
        "active",
        "on or off",
        switch(),
        False,
        "state",
        traits=("for new", "restored"),
        is_self_explanatory=True,
    ),
    EditableField(
        "archived",
        "archived",
        switch("in the list", "archived"),
        False,
        traits=("newer",),
        is_self_explanatory=True,
    ),
    EditableField(
        "deleted", "deleted", switch("not deleted", "deleted"), is_edited=False, is_self_explanatory=True
    ),
    EditableField(
        "evaluation_runtime",
        "runtime",
        one_of(
            Option("all", "all", "server and client"),
            Option("client", "client", "only in browsers and apps"),
            Option("server", "server", "on servers only"),
        ),
        "all",
        "runs on",
        traits=("copied", "restored"),
        shown=FieldColumn("runtime", "RUNS ON", 7),
    ),
    EditableField("evaluation_contexts", "contexts", texts(50), [], traits=("newer", "blanked")),
    EditableField("evaluation_tags", "evaluation tags", texts(), [], traits=("blanked",), is_edited=False),
    EditableField(
        "ensure_experience_continuity",
        "persist across sign-in",
        switch(about=("value may change", "value persists"), is_null=True),
        False,
        "sign-in",
        traits=("copied", "restored"),
    ),
    EditableField(
        "bucketing_identifier",
        "bucketing",
        one_of(Option("distinct_id", "by person"), Option("device_id", "by device")),
        traits=("copied", "restored", "newer"),
    ),
    EditableField("filters", "targeting", own(dict, "an object", is_null=False), {}, traits=("restored",)),
    EditableField(
        "is_remote_configuration",
        "remote configuration",
        switch(is_null=True),
        traits=("copied",),
        is_edited=False,
    ),
    EditableField("has_encrypted_payloads", "encryption", switch(is_null=True), is_edited=False),
)

EXPERIMENT_FIELDS: Final = FieldTable(
    EditableField("name", "name", text(400, least=1), None, "name", traits=("title", "old engine")),
    EditableField(
        "description", "description", text(3000, is_null=True), "", "description", traits=("old engine",)
    ),
    EditableField("feature_flag_key", "flag", KEY, is_edited=False),
    EditableField("metrics", "primary metrics", own(list, "a list", is_null=False), []),
    EditableField("metrics_secondary", "secondary metrics", own(list, "a list", is_null=False), []),
    EditableField("saved_metrics_ids", "shared metrics", own(list, "a list", is_null=False), []),
    EditableField("exposure_criteria", "exposure", own(dict, "an object"), {}),
    EditableField("stats_config", "statistics", own(dict, "an object"), {}),
    EditableField("holdout_id", "holdout", own(int, "a number"), traits=("for drafts",)),
    EditableField("parameters", "variants", own(dict, "an object", is_null=False), traits=("for drafts",)),
    EditableField(
        "conclusion",
        "conclusion",
        one_of(
            Option("won", "won", "a variant is better"),
            Option("lost", "lost", "the variants are worse"),
            Option("inconclusive", "inconclusive", "no difference that counts"),
            Option("stopped_early", "stopped early", "ended for another reason"),
            Option("invalid", "invalid", "something was wrong with it"),
        ),
        None,
        "conclusion",
    ),
    EditableField("conclusion_comment", "comment", text(4000, is_null=True), "", "comment"),
)

EVENT_FIELDS: Final = FieldTable(
    EditableField(
        "description",
        "description",
        text(),
        "",
        "description",
        "what it means and when it is sent",
        ("recreated",),
    ),
    EditableField("tags", "tags", texts(), [], "tags", traits=("recreated",)),
    EditableField(
        "verified",
        "verified",
        switch("unverified", "verified"),
        False,
        traits=("recreated",),
        is_self_explanatory=True,
    ),
    EditableField(
        "hidden", "hidden", switch("shown", "hidden"), False, traits=("recreated",), is_self_explanatory=True
    ),
    EditableField("owner", "owner", own(int, "the number of a person"), traits=("recreated",)),
    EditableField(
        "primary_property",
        "primary property",
        text(is_null=True),
        line="primary property",
        about="the most informative property of such an event; empty for none",
        traits=("recreated", "newer"),
        shown=FieldColumn("property", "PROPERTY", 10, "primary_property"),
    ),
    EditableField(
        "enforcement_mode",
        "enforcement",
        one_of(
            Option("allow", "allow", "accept events that do not match"),
            Option("reject", "reject", "drop events that do not match, permanently"),
            is_null=False,
        ),
        line="enforcement",
        traits=("recreated", "newer"),
        shown=FieldColumn("enforcement", "TAKES", 7),
    ),
    EditableField(
        "default_columns", "columns", own(list, "a list"), [], traits=("recreated",), is_edited=False
    ),
)
