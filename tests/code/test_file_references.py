"""The references of one file: kinds, names, fallbacks, markers and broken files."""

from typing import Any

import pytest

from flagtui.code.file_references import FileFacts, find_references
from flagtui.code.languages import LANGUAGES, language_of
from flagtui.code.reference_records import FileReferences, Reference
from flagtui.code.sdk_functions import CallNames
from flagtui.code.tree_scan import resolve_names

KEYS = {"nav", "checkout"}


def read(text: str, language: str = "ts", *, wrappers: tuple[str, ...] = (), **facts: Any) -> FileReferences:
    path = facts.pop("path", f"src/app.{LANGUAGES[language].extensions[0]}" if language else "notes.md")
    about = FileFacts(path, LANGUAGES[language] if language else None, **facts)
    return find_references(text, about, KEYS, CallNames(wrappers))


def resolve(*files: FileReferences) -> list[tuple[str, str]]:
    """Return kind and key of each reference, with names resolved across files."""
    references = resolve_names(
        [each for file in files for each in file.references],
        [each for file in files for each in file.names],
        [each for file in files for each in file.calls],
    )
    return [(each.kind, each.key) for each in references]


def only(text: str, language: str = "ts") -> Reference:
    (reference,) = read(text, language).references
    return reference


def test_calls_have_their_place_key_and_kind() -> None:
    assert only('\n/* é */ posthog.isFeatureEnabled("nav")').place == "src/app.ts:2:34"
    key = "k" * 400
    assert only(f'isFeatureEnabled("{key}")').key == key
    assert only('posthog?.isFeatureEnabled?.("nav")').kind == "call"


def test_quoted_keys_are_strings_without_a_language() -> None:
    file = read("posthog.isFeatureEnabled('nav') # `checkout` \"other\"", "")
    assert [(each.kind, each.key) for each in file.references] == [("string", "nav"), ("string", "checkout")]
    names = {"a.ts", "b.TSX", "c.py", "d.kt", "e.vue", "f.md", "Makefile"}
    languages = {name: language.name if (language := language_of(name)) else "" for name in names}
    assert languages["b.TSX"] == "tsx"
    assert languages["f.md"] == languages["Makefile"] == ""


def test_names_of_other_files_and_receivers_are_no_calls() -> None:
    files = (read('export const NAV = "nav";', path="flags.ts"), read("isFeatureEnabled(NAV)"))
    assert ("call", "") in resolve(*files)
    assert read('camera.capture("order placed")').references == ()
    text = 'let nav = "nav"; nav = other(); posthog.isFeatureEnabled(nav)'
    assert resolve(read(text)) == [("string", "nav"), ("call", "")]


@pytest.mark.parametrize(("text", "language", "fallback"), [
    ('getFeatureFlag("nav") ?? "control"', "ts", "control"),
    ('isFeatureEnabled("nav") || true', "ts", True),
    ('(await c.getFeatureFlag("nav", id)) ?? false', "ts", False),
    ('isFeatureEnabled("nav") && other', "ts", None),
    ('isFeatureEnabled("nav") || "a" === name', "ts", None),
    ('feature_enabled("nav", "u") or "a" in names', "python", None),
    ('client.getBooleanValue("nav", true)', "ts", True),
    ('feature_enabled("nav", "u") or True', "python", True),
    ('class A { boolean v = p.isFeatureEnabled(user, "nav", true); }', "java", True),
    ('val v = PostHog.isFeatureEnabled("nav", defaultValue = true)', "kotlin", True),
    ('fn f() { c.is_feature_enabled("nav", u).unwrap_or(true); }', "rust", True),
])  # fmt: skip
def test_fallback_of_a_call_is_its_literal(text: str, language: str, fallback: object) -> None:
    text = f"{text}; // openfeature feature" if "Value" in text and language == "ts" else text
    assert only(text, language).fallback == fallback


@pytest.mark.parametrize(("text", "language", "is_server"), [
    ('isFeatureEnabled("nav")', "ts", False),
    ('client.isFeatureEnabled("nav", "user")', "ts", True),
    ('isFeatureEnabled("nav", { send_event: false })', "ts", False),
    ('feature_enabled("nav", "user")', "python", True),
    ('val v = PostHog.isFeatureEnabled("nav", false)', "kotlin", False),
])  # fmt: skip
def test_calls_for_a_user_run_on_a_server(text: str, language: str, is_server: bool) -> None:
    assert only(text, language).is_server == is_server


@pytest.mark.parametrize(("line", "is_event"), [
    ("const camera = new Camera();", False), ("private camera: Camera = open();", False),
    ("this.camera = make();", False), ("const camera = usePostHog();", True),
    ('import { camera } from "./camera";', True), ("use((camera) => camera.start());", True),
    ("const f = (camera: PostHog, x = 1) => x;", True), ("if (camera == none) {}", True),
])  # fmt: skip
def test_capture_of_a_name_with_another_value_is_no_event(line: str, is_event: bool) -> None:
    calls = f'{line}\ncamera.capture("front"); capture("back");'
    kinds = resolve(read(f'posthog.capture("a");{calls}'))
    assert [("call", key) in kinds for key in ("front", "back")] == [is_event, True]
    # Without the library's own name any receiver may be its client.
    assert ("call", "front") in resolve(read(f"// posthog\n{calls}"))


def test_script_blocks_of_pages_are_parsed() -> None:
    script = '<script setup lang="ts">\nuseFeatureFlag("nav")\n</script>'
    page = f'<!-- "nav" -->\n<template><p>"nav"</p></template>\n{script}'
    references = read(page, "vue").references
    assert [(each.kind, each.line) for each in references] == [("comment", 1), ("string", 2), ("call", 4)]


def test_components_and_wrappers_name_their_flag() -> None:
    text = 'const a = <PostHogFeature flag="nav" match={true} />; const b = <PostHogFeature flag={key} />;'
    assert resolve(read(text, "tsx")) == [("call", "nav"), ("call", "")]
    text = 'gates.on("nav"); other.on("nav"); useGate("checkout")'
    expected = [("wrapper", "nav"), ("string", "nav"), ("wrapper", "checkout")]
    assert resolve(read(text, wrappers=("gates.on", "useGate"))) == expected


@pytest.mark.parametrize(
    ("facts", "kind"), [({"is_test": True}, "test"), ({"is_generated": True}, "generated")]
)
def test_calls_in_tests_and_generated_files_are_no_use(facts: dict[str, Any], kind: str) -> None:
    text = 'isFeatureEnabled("nav") // "nav"'
    assert [each.kind for each in read(text, **facts).references] == [kind, "comment"]


def test_constants_files_declare_keys_that_are_unknown() -> None:
    text = 'export const Flags = { old: "gone" };'
    assert resolve(read(text, has_constants=True)) == [("constant", "gone")]
    assert resolve(read(text)) == []


def test_marker_accepts_its_line_or_the_next_one() -> None:
    file = read(
        'isFeatureEnabled("nav") // flagtui: ok kept for rollback\n'
        "/* flagtui: ok computed on purpose */\n"
        "isFeatureEnabled(key)\n"
        'isFeatureEnabled("nav")\n'
    )
    reasons = [each.accepted for each in (*file.references, *(call.reference for call in file.calls))]
    assert reasons == ["kept for rollback", "", "computed on purpose"]
    text = "// flagtui: ok next release\nconst on = isFeatureEnabled(\n  'nav',\n);\n"
    assert only(text).accepted == "next release"


def test_marker_needs_a_reason_outside_of_strings() -> None:
    file = read('isFeatureEnabled("nav") // flagtui: ok\r\n')
    assert file.problems == ('src/app.ts:1: "flagtui: ok" needs a reason after it.',)
    assert file.references[0].accepted == ""
    assert only('isFeatureEnabled("nav", "flagtui: ok because")').accepted == ""
    assert only('/* flagtui: ok */ isFeatureEnabled("nav")').accepted == ""
    assert only('/* flagtui: ok soon */ isFeatureEnabled("nav")').accepted == "soon"


def test_broken_syntax_keeps_what_is_understood() -> None:
    file = read('isFeatureEnabled("nav");\nfunction ( { [\n')
    assert [each.key for each in file.references] == ["nav"]
    assert file.problems == ("src/app.ts:2: syntax not understood; uses below may be missing.",)


@pytest.mark.parametrize(("text", "language"), [
    ("""<p title="don't">{{ on("nav") }}</p>""", "vue"), ("""{"title": "don't", "flag": "nav"}""", ""),
    ("type Flag = 'nav' | 'other';", "ts"),
    ("""<p data-flag="nav"><?php echo 1; ?>""", "php"), ("""print("flags: 'nav'")""", "python"),
    ("on?(:nav)", "ruby"), ("ALL = %w[old nav].freeze", "ruby"), ("@all ~w(old nav)a", "elixir"),
])  # fmt: skip
def test_quoted_keys_within_texts_and_templates_are_strings(text: str, language: str) -> None:
    assert resolve(read(text, language)) == [("string", "nav")]


@pytest.mark.parametrize(
    "call", ['t("nav")', 't ("nav")', 't<{a: string}>("nav")', 't?.("nav")', 'x.t("nav")']
)
def test_wrapper_of_one_letter_is_recognised(call: str) -> None:
    kinds = [resolve(read(text, wrappers=("t",))) for text in (call, call.replace("t", "it", 1))]
    assert kinds == [[("wrapper", "nav")], [("string", "nav")]]
