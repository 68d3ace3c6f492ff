"""Forms of calls in real code, by language: what names the key, and what is no name of one."""

import pytest
from tests.code.test_file_references import read, resolve

from flagtui.code.languages import LANGUAGES

SNAPSHOT_FORMS = [
    ("ts", 'const f = await client.evaluateFlags("u");\nf.isEnabled("nav")'),
    ("ts", 'function f(all: FeatureFlagEvaluations) { return all.getFlag("nav") }'),
    ("python", 'flags = posthog.evaluate_flags("u")\nif flags.is_enabled("nav"): pass'),
    ("go", 's, _ := c.EvaluateFlags(p.EvaluateFlagsPayload{DistinctId: "u"})\nvar v = s.IsEnabled("nav")'),
    ("ruby", 'flags = posthog.evaluate_flags("u")\nstart if flags.enabled?(:nav)'),
    ("java", 'class A { void f() { var f = p.evaluateFlags("u"); f.getFlagPayload("nav"); } }'),
    ("php", "<?php $f = PostHog::evaluateFlags('u'); $f->isEnabled('nav');"),
    ("rust", 'fn f() { let f = c.evaluate_flags("u"); f.is_enabled("nav"); }'),
    ("elixir", '{:ok, s} = FeatureFlags.evaluate_flags("u")\nFeatureFlags.Evaluations.enabled?(s, "nav")'),
    ("csharp", 'class A { void F() { var f = p.EvaluateFlagsAsync("u"); f.IsEnabled("nav"); } }'),
]


@pytest.mark.parametrize(("language", "text"), SNAPSHOT_FORMS)
def test_reads_of_evaluated_flags_are_calls_on_a_server(language: str, text: str) -> None:
    (reference,) = read(text, language).references
    assert (reference.kind, reference.key, reference.is_server) == ("call", "nav", True)


@pytest.mark.parametrize(("language", "text"), [
    ("ts", 'import { useFeatureFlagEnabled as useOn } from "posthog-js/react";\nuseOn("nav")'),
    ("python", 'from posthog import feature_enabled as fe\nfe("nav", "u")'),
    ("elixir", 'alias PostHog.FeatureFlags, as: FF\nFF.check("nav", "u")'),
    ("elixir", 'PostHog.FeatureFlags.check(MyPostHog, "nav", user)'),
    ("elixir", 'Posthog.feature_flag_enabled?("nav", user)'),
    ("ruby", 'posthog.is_feature_enabled(:nav, "u")'),
    ("rust", 'fn f() { assert!(client.is_feature_enabled("nav", "u")); }'),
    ("java", 'class A { void f() { p.getFeatureFlagPayload(user.id(), "nav"); } }'),
    ("java", 'class A { void f() { p.getFeatureFlagResult("u", "nav"); } }'),
    ("java", 'class A { void f() { p.isFeatureEnabled("nav", user.id()); } }'),
    ("java", 'class A { void f() { PostHog.Companion.getFeatureFlag("nav", "control"); } }'),
    ("java", 'import com.posthog.java.*;\nclass A { void f() { p.getFeatureFlag("nav", id()); } }'),
    ("java", 'class A { void f() { p.isFeatureFlagEnabled("nav", user.id()); } }'),
    ("ts", 'const [on, payload] = useFeatureFlagWithPayload("nav");'),
    ("ruby", 'posthog.is_feature_enabled(:"nav", "u")'),
    ("ts", 'isFeatureEnabled(\n  /* a */ "nav" // the flag\n  /* b */\n)'),
    ("ts", 'isFeatureEnabled(a ? "nav" as unknown as keyof typeof FLAGS : undefined)'),
    ("rust", 'fn f() { c.is_feature_enabled(String::from("nav"), u); }'),
    ("kotlin", 'import com.posthog.server.PostHog\nval v = postHog.isFeatureEnabled(user, "nav")'),
    ("csharp", 'class A { void F() { posthog.IsFeatureEnabledAsync("nav", id); } }'),
    ("go", 'package a\nvar p = posthog.FeatureFlagPayload{Key: "nav", DistinctId: "u"}'),
    ("go", 'package a\nvar v = c.IsFeatureEnabled(posthog.FeatureFlagPayload{Key: "nav"})'),
    ("go", 'package a\nfunc f() { p := posthog.FeatureFlagPayload{Key: "nav"}; c.GetFeatureFlag(p) }'),
    ("ts", 'flag({ key: "nav", adapter: postHogAdapter.isFeatureEnabled() })'),
    ("ts", 'import { useFlag } from "@openfeature/react-sdk";\nuseFlag("nav", false)'),
    ("tsx", 'const a = <PostHogFeature match={(v) => v > 1} {...props} flag="nav" />;'),
    ("tsx", 'const a = <PostHogFeature\n  fallback={<p>a</p>}\n  flag={"nav"}\n>text</PostHogFeature>;'),
    ("tsx", 'import { PostHogFeature as F } from "posthog-js/react";\nconst a = <F flag="nav" />;'),
])  # fmt: skip
def test_forms_of_calls_name_their_key(language: str, text: str) -> None:
    assert resolve(read(text, language)) == [("call", "nav")]


@pytest.mark.parametrize(("language", "text"), [
    ("ts", 'posthog.capture("order placed")'),
    ("python", 'posthog.capture("user", "order placed")'),
    ("python", 'posthog.capture("order placed", distinct_id="user")'),
    ("python", 'posthog.capture("order placed", **properties)'),
    ("python", 'posthog.capture(distinct_id="user", event="order placed")'),
    ("ruby", "posthog.capture distinct_id: 'user', event: 'order placed'"),
    ("ruby", "posthog.capture({ 'distinct_id' => 'u', :event => 'order placed' })"),
    ("php", "<?php PostHog::capture(array('distinctId' => 'u', 'event' => 'order placed'));"),
    ("rust", 'fn f() { posthog.capture(Event::new("order placed", "u")); }'),
    ("elixir", 'PostHog.bare_capture("order placed", "u")'),
    ("ts", 'posthog.capture(ctx, { event: "order placed" });'),
    ("ts", 'posthog.captureImmediate({ distinctId: "u", event: "order placed" });'),
    ("elixir", 'PostHog.capture(MyPostHog, "order placed", %{distinct_id: "u"})'),
    ("python", 'from posthog import capture as track\ntrack("u", event="order placed")'),
    ("csharp", 'class A { void F() { PostHog.Capture("order placed", new Map<string, int>()); } }'),
    ("html", "<a onclick=\"posthog.capture('order placed')\">don't</a>"),
])  # fmt: skip
def test_forms_of_captures_name_their_event(language: str, text: str) -> None:
    (reference,) = (file := read(text, language)).references
    assert (reference.kind, reference.subject, reference.key) == ("call", "event", "order placed")
    assert file.calls == ()


@pytest.mark.parametrize(("language", "declaration", "use"), [
    ("ts", 'const NAV = "nav";', "posthog.isFeatureEnabled(NAV)"),
    ("ts", 'const Flags = { nav: "nav" } as const;', "posthog.isFeatureEnabled(Flags.nav)"),
    ("ts", 'enum Flag { Nav = "nav" }', "posthog.isFeatureEnabled(Flag.Nav)"),
    ("ts", 'enum Flag { Old = "old", Nav = "nav" }', "posthog.isFeatureEnabled(Flag.Nav)"),
    ("js", 'const OLD="old", NAV="nav";', "posthog.isFeatureEnabled(NAV)"),
    ("python", 'class Flag(StrEnum):\n    NAV = "nav"', 'posthog.feature_enabled(Flag.NAV.value, "u")'),
    ("java", 'enum Flag { NAV("nav"); }',
     "class A { void f() { p.isFeatureEnabled(u, Flag.NAV.getKey()); } }"),
    ("swift", 'enum Flag: String {\n  case nav = "nav"\n}', "p.isFeatureEnabled(Flag.nav.rawValue)"),
    ("php", "<?php\nclass Flag { const NAV = 'nav'; }", "PostHog::getFeatureFlag(Flag::NAV, 'u');"),
    ("ruby", 'module Flag\n  NAV = "nav".freeze\nend', 'posthog.get_feature_flag(Flag::NAV, "u")'),
    ("go", 'package a\nconst Nav Key = "nav"', "var v = c.IsFeatureEnabled(p.F{Key: Nav})"),
    ("python", 'class Flags:\n    NAV = "nav"', 'feature_enabled(Flags.NAV, "u")'),
    ("ts", 'const F = { nav: { key: "nav", default: true } };', "isFeatureEnabled(F.nav.key)"),
    ("ts", 'const F = Object.freeze({ a: "{", all: { nav: "nav" } });', "isFeatureEnabled(F.all.nav)"),
    ("php", "<?php enum Flag: string { case Nav = 'nav'; }",
     "PostHog::getFeatureFlag(Flag::Nav->value, 'u');"),
    ("kotlin", 'enum class Flag(val key: String) {\n  NAV("nav")\n}',
     "val v = p.isFeatureEnabled(Flag.NAV.key)"),
    ("kotlin", 'enum class F { A;\n  companion object { const val NAV = "nav" }\n}',
     "val v = p.isFeatureEnabled(F.NAV)"),
    ("kotlin", 'enum class F(val key: String) {\n  Nav("nav"), B("b")\n}',
     "val v = p.isFeatureEnabled(F.Nav.key)"),
    ("kotlin", 'enum class F(val key: String) {\n  Nav(key = "nav"),\n}',
     "val v = p.isFeatureEnabled(F.Nav.key)"),
    ("dart", "enum F { nav('nav'); const F(this.key); }", "var v = p.isFeatureEnabled(F.nav.flagKey);"),
    ("csharp", 'class F { static string Nav => "nav"; }',
     "class A { void G() { p.GetFeatureFlagAsync(F.Nav); } }"),
    ("csharp", 'class F { public static string Nav { get; } = "nav"; }',
     "class A { void G() { p.GetFeatureFlagAsync(F.Nav); } }"),
    ("rust", 'fn key(f: Flag) -> &str { match f { Flag::Nav => "nav", Flag::B => "b" } }',
     "fn f() { c.get_feature_flag(Flag::Nav.key(), u); }"),
    ("rust", 'impl Flag { fn key(self) -> &str { match self { Self::Nav => "nav" } } }',
     "fn f() { c.get_feature_flag(Flag::Nav.as_str(), u); }"),
    ("rust", 'impl Flag { const NAV: &str = "nav"; }', "fn f() { c.get_feature_flag(Flag::NAV, u); }"),
    ("rust", 'mod flags { pub const NAV: &str = "nav"; }',
     "fn f() { c.get_feature_flag(flags::NAV.to_owned(), u); }"),
    ("ts", 'const F = { a: "nav" };', "isFeatureEnabled(F['a'])"),
    ("ts", 'class A { key = "nav";', "f() { return isFeatureEnabled(this.key); } }"),
    ("python", 'class A:\n    key = "nav"', '    def f(self): return feature_enabled(self.key, "u")'),
    ("python", 'class Flags:\n    name = "nav"', 'feature_enabled(Flags.name, "u")'),
    ("ruby", 'module Flag\n  NAV = "nav"\nend', 'posthog.get_feature_flag(Flag::NAV.to_s, "u")'),
    ("php", "<?php\nclass Flag { const NAV = 'nav'; }", "PostHog::getFeatureFlag(\\A\\Flag::NAV, 'u');"),
    ("go", 'package a\nconst Nav Key = "nav"', "var v = c.IsFeatureEnabled(p.F{Key: string(Nav)})"),
    ("swift", 'enum F: String {\n  case nav = "nav"\n}', "sdk.isFeatureEnabled(.nav)"),
    ("kotlin", 'sealed class F(val key: String) {\n  object A : F("a")\n  data object Nav : F("nav")\n}',
     "val v = p.isFeatureEnabled(F.Nav.key)"),
    ("dart", "class F { static String get nav => 'nav'; }", "var v = p.isFeatureEnabled(F.nav);"),
])  # fmt: skip
def test_constants_and_members_of_types_name_their_keys(language: str, declaration: str, use: str) -> None:
    assert resolve(read(f"{declaration}\n{use}", language)) == [("constant", "nav"), ("constant", "nav")]


@pytest.mark.parametrize(("language", "declaration", "use"), [
    ("ts", 'export const NAV = "nav";', 'import { NAV } from "./flags";\nuseFeatureFlag(NAV)'),
    ("ts", 'export const NAV = "nav";', 'import { NAV as N } from "./flags";\nuseFeatureFlag(N)'),
    ("python", 'NAV = "nav"', 'from app.flags import (\n  NAV,\n)\nfeature_enabled(NAV, "u")'),
    ("python", 'NAV = "nav"', 'from app import flags\nfeature_enabled(flags.NAV, "u")'),
    ("go", 'package flags\n\nconst Nav = "nav"',
     "package a\n\nvar v = c.GetFeatureFlag(p.F{Key: flags.Nav})"),
    ("go", 'package flags\nconst Nav = "nav"',
     'package a\nimport (\n\tff "x/flags"\n)\nvar v = c.GetFeatureFlag(p.F{Key: ff.Nav})'),
    ("csharp", 'class Flags { const string Nav = "nav"; }',
     "using F = App.Flags;\nclass A { void G() { p.GetFeatureFlagAsync(F.Nav); } }"),
    ("rust", 'pub const NAV: &str = "nav";',
     "use crate::flags::{\n    NAV,\n};\nfn f() { c.is_feature_enabled(NAV, u); }"),
    ("ts", 'export const NAV = "nav";', 'import * as F from "@/flags";\nuseFeatureFlag(F.NAV)'),
    ("ts", 'const FLAGS = { nav: "nav" };', 'import F, { a } from "./flags.js";\nuseFeatureFlag(F.nav)'),
    ("js", 'module.exports = { nav: "nav" };', 'const f = require("../flags");\nuseFeatureFlag(f.nav)'),
])  # fmt: skip
def test_call_by_name_resolves_across_an_import(language: str, declaration: str, use: str) -> None:
    extension = LANGUAGES[language].extensions[0]
    entries = {"python": ["flags/__init__.py"], "ts": ["flags/index.ts", "packages/flags/src/index.ts"]}
    for path in (f"flags.{extension}", *entries.get(language, [])):
        files = (read(declaration, language, path=path), read(use, language))
        assert resolve(*files) == [("constant", "nav"), ("constant", "nav")]


@pytest.mark.parametrize(("language", "text"), [
    ("ts", 'useFeatureFlag(a?.b ? "nav" : x ? ("checkout") : "other")'),
    ("python", 'feature_enabled("nav" if " else " in x else "checkout" if y else "other", "u")'),
    ("kotlin", 'val v = PostHog.isFeatureEnabled(if (f(a)) "nav" else if (b) "checkout" else "other")'),
    ("swift", 'sdk.isFeatureEnabled(a ? "nav" : b ? "checkout" : "other")'),
    ("ruby", 'posthog.get_feature_flag(x.nil? ? "nav" : y ? "checkout" : "other", "u")'),
])  # fmt: skip
def test_each_value_of_a_conditional_expression_is_a_key(language: str, text: str) -> None:
    assert resolve(read(text, language)) == [("call", "nav"), ("call", "checkout"), ("call", "other")]


@pytest.mark.parametrize(("language", "text"), [
    ("ts", 'const a = "nav"; const b = f(a);\nposthog.isFeatureEnabled(b)'),
    ("ts", 'function f() { const a="nav" }\nfunction g() { const a="checkout"; isFeatureEnabled(a) }'),
    ("ts", "posthog.isFeatureEnabled(NAV)"),
    ("ts", "posthog.isFeatureEnabled(names[0])"),
    ("ts", "posthog.capture({ distinctId, event })"),
    ("ts", 'const args = "nav";\nisFeatureEnabled(...args)'),
    ("python", 'name = "nav-" + user\nposthog.get_feature_flag(name, user)'),
    ("python", 'name = "nav-%s" % user\nposthog.get_feature_flag(name, user)'),
    ("python", 'name = "nav-{}".format(user)\nposthog.get_feature_flag(name, user)'),
    ("python", 'name = "nav"\nname = choose()\nposthog.get_feature_flag(name, user)'),
    ("ts", 'let key = "nav"; if (x) key = "checkout";\nisFeatureEnabled(key)'),
    ("ts", 'let key = "nav"; key += suffix;\nisFeatureEnabled(key)'),
    ("html", '<script>posthog.isFeatureEnabled("{{ key }}")</script>'),
    ("html", "<script>posthog.isFeatureEnabled('{{ key }}')</script>"),
    ("elixir", 'FeatureFlags.check(Flags.nav(), "user")'),
    ("rust", 'c.is_feature_enabled(match x { A => "a", _ => "b" }, u);'),
    ("ts", 'const F = { a: { key: "a" } };\nf({ nav: "nav" });\nisFeatureEnabled(F.nav)'),
    ("ts", 'const F = { a: "a"; }\nexport default { nav: { key: "nav" } };\nisFeatureEnabled(F.nav.key)'),
])  # fmt: skip
def test_computed_and_ambiguous_keys_are_not_guessed(language: str, text: str) -> None:
    kinds = ("call", "constant") if language == "python" else ("call",)
    assert [key for kind, key in resolve(read(text, language)) if kind in kinds] == [""]


@pytest.mark.parametrize(("language", "declaration", "function"), [
    ("ts", 'const key = "nav";', "function f(a, key: string = b) { isFeatureEnabled(key) }"),
    ("ts", 'const key = "nav";', "const f = key => isFeatureEnabled(key);"),
    ("ts", 'const key = "nav";', "class A { f({ key }: P) { return isFeatureEnabled(key) } }"),
    ("js", 'const key = "nav";', "for (const key of KEYS) { isFeatureEnabled(key) }"),
    ("python", 'key = "nav"', 'async def f(self, key: str = "a"):\n    feature_enabled(key, "u")'),
    ("python", 'key = "nav"', 'v = [k for key in KEYS if feature_enabled(key, "u")]'),
    ("go", 'package a\nconst Key = "nav"', "func f(Key string) { c.GetFeatureFlag(p.F{Key: Key}) }"),
    ("ruby", 'key = "nav"', "KEYS.each { |key| posthog.get_feature_flag(key, 1) }"),
    ("java", 'class A { String key = "nav";', "void f(String key) { p.isFeatureEnabled(u, key); } }"),
    ("kotlin", 'val key = "nav"', "fun f(key: String) { PostHog.isFeatureEnabled(key) }"),
    ("swift", 'let key = "nav"', "func f(_ key: String) { sdk.isFeatureEnabled(key) }"),
    ("php", "<?php $key = 'nav';", "foreach ($all as $k => $key) { PostHog::getFeatureFlag($key); }"),
    ("rust", 'const key: &str = "nav";', "fn f(key: &str) { c.get_feature_flag(key, u); }"),
    ("dart", "const key = 'nav';", "bool f(String key) { return p.isFeatureEnabled(key); }"),
    ("csharp", 'class A { string key = "nav";', "void F(string key) { p.GetFeatureFlagAsync(key); } }"),
])  # fmt: skip
def test_parameter_hides_a_name_of_the_file(language: str, declaration: str, function: str) -> None:
    assert ("call", "") in resolve(read(f"{declaration}\n{function}", language))


def test_word_of_an_export_is_no_import() -> None:
    here = "export function on(key: string) { return isFeatureEnabled(key); }"
    assert ("call", "") in resolve(read('const key = "nav";', path="flags.ts"), read(here))


def test_constant_of_an_event_has_spaces() -> None:
    text = 'const EVENTS = { PAID: "order paid" };\nposthog.capture(EVENTS.PAID);'
    assert resolve(read(text)) == [("constant", "order paid")]


@pytest.mark.parametrize(("language", "text"), [
    ("ruby", "start if gate? :nav"), ("elixir", 'Gates.gate?("nav")'), ("rust", 'fn f() { gate!("nav"); }'),
    ("java", '@Gate("nav") class A {}'), ("java", '@Gate(name = "nav") class A {}'),
    ("csharp", '[Gate("nav")] class A {}'), ("swift", 'let v = gate(for: "nav")'),
    ("python", 'gate(name="nav")'),
])  # fmt: skip
def test_forms_of_wrappers_name_their_key(language: str, text: str) -> None:
    file = read(text, language, wrappers=("gate", "Gate", "gate?", "gate!"))
    assert resolve(file) == [("wrapper", "nav")]


def test_values_of_other_settings_are_no_flags() -> None:
    assert read('// a feature\nsettings.getStringValue("theme"); flag({ key: "a" })').references == ()
    assert read('feature_flag("of another system")', "python").references == ()
