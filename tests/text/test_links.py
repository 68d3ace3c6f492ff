"""A record's name is a link to its page on the own server, if the terminal supports links."""

from flagtui.text.styled import is_own, link_text, shows_links, why_not_opened, with_link

HOST = "https://eu.example.com"


def test_links_need_a_supporting_terminal() -> None:
    assert shows_links({"TERM": "xterm-256color"})
    assert shows_links({"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"})
    assert not shows_links({"TERM": "xterm-256color", "NO_COLOR": "1"})
    assert not shows_links({"TERM": "screen-256color", "STY": "1.pts-0.host"})
    assert not any(shows_links({"TERM": term}) for term in ("dumb", "linux", "vt100"))
    assert not shows_links({})


def test_a_link_is_opened_on_this_machine_and_by_https() -> None:
    assert why_not_opened(HOST, {}) == ""
    assert why_not_opened("http://127.0.0.1:8010", {}) == "only https links are opened"
    for name in ("SSH_CONNECTION", "SSH_TTY"):
        assert why_not_opened(HOST, {name: "10.0.0.1 1 10.0.0.2 22"}) == "flagtui runs on another machine"


def test_only_pages_of_the_own_host_are_linked() -> None:
    assert is_own(f"{HOST}/project/1/feature_flags/12", HOST)
    assert is_own("https://[::1]:8443/project/1/experiments/2", "https://[::1]:8443")
    for path in ("", "/", "/a b", "/a'b", "/a;b", "/a\x07", "/a\n", "/\u202ea", "/a?b=c", "/a#b"):
        assert not is_own(f"{HOST}{path}", HOST)
    assert not is_own("http://127.0.0.1:1/project/1", "http://127.0.0.1:1")
    assert not is_own(f"{HOST}/project/1", "")


def test_only_the_name_is_linked_and_its_link_is_closed() -> None:
    first, last = ("● ", "green"), ("  v3", "")
    lines = [[first, ("new-nav", "bold"), last], [("bold", "bold")]]
    linked = [first, ("new-nav", f"bold link='{HOST}/project/1/feature_flags/12'"), last]
    assert [*with_link(lines, f"{HOST}/project/1/feature_flags/12")] == [linked, lines[1]]
    assert [*with_link(lines, "")] == lines
    assert link_text("new-nav", f"{HOST}/a") == f"\x1b]8;;{HOST}/a\x1b\\new-nav\x1b]8;;\x1b\\"
    assert link_text("new-nav", "") == "new-nav"
