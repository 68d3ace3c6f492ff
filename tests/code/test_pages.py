"""Calls in pages: scripts, handlers, and expressions of templates."""

import pytest
from tests.code.test_file_references import read

from flagtui.code.languages import language_of

COMMENT = "<!-- {{ isFeatureEnabled('nav') }} -->"


@pytest.mark.parametrize(("path", "text"), [
    ("a.vue", f"{COMMENT}<p v-if=\"isFeatureEnabled('nav')\">it's</p>"),
    ("a.vue", "<p>it's</p><A @click='on = isFeatureEnabled(\"nav\")' />"),
    ("a.vue", "<p>{{ posthog.getFeatureFlag('nav') ?? '' }}</p>"),
    ("a.astro", "---\nconst on = isFeatureEnabled('nav');\n---\n<p>it's</p>"),
    ("a.twig", "<p>it's</p>{{ a }}<script>isFeatureEnabled('nav')</script>"),
    ("a.html", "<p>it's</p>@if (isFeatureEnabled('nav')) { <p>don't</p> }"),
    ("a.html", "<!-- {{ isFeatureEnabled('nav') }} --><p *ngIf=\"isFeatureEnabled('nav') | async\"></p>"),
    ("a.svelte", "<p>it's</p>{#if isFeatureEnabled('nav')}<p>on</p>{:else}off{/if}"),
    ("a.svelte", "<button on:click={() => { if (x) { isFeatureEnabled('nav') } }}>don't</button>"),
    ("a.html.erb", "<p>it's</p> <% if posthog.is_feature_enabled('nav', 1) -%> don't <% end %>"),
    ("a.erb", "<p>it's</p><script>let a = <%= 1 %>; posthog.isFeatureEnabled('nav')</script>"),
    (
        "a.blade.php",
        "{{-- isFeatureEnabled('nav') --}}it's @if(PostHog::isFeatureEnabled('nav', id())) don't",
    ),
    ("a.blade.php", "it's {{ $a }} <a onclick=\"posthog.isFeatureEnabled('nav')\">don't</a>"),
    ("a.php", "<p>it's</p> <?php if (PostHog::isFeatureEnabled('nav', 'u')): ?> don't <?php endif; ?>"),
])  # fmt: skip
def test_calls_in_templates_are_calls(path: str, text: str) -> None:
    language = language_of(path)
    assert language is not None
    file = read(text, language.name, path=path)
    assert [each.kind for each in file.references if each.kind != "comment"] == ["call"]
    assert file.problems == ()


def test_marker_in_a_comment_of_a_page_accepts_its_line() -> None:
    call = "<% posthog.is_feature_enabled('nav', 1) %>"
    (reference,) = read(f"{call} <%# flagtui: ok kept %>\n", "ruby", path="a.erb").references
    assert reference.accepted == "kept"
