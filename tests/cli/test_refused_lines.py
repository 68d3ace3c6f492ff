"""What is wrong on a line is named in one sentence, with its exit code, before anything is sent or saved."""

import shlex
from pathlib import Path
from typing import Final

import pytest
from tests.cli.conftest import KEY, Done, Run, Service

OF_COMMANDS: Final = "is an option of commands, and follows one."
SEVERAL: Final = "takes one project, not 1,2. Run it once for each"
BY_ID: Final = "offline, a project is chosen by its id"
NO_FILE: Final = "takes the name of a file, and - is none"
ANOTHER: Final = "is not the page of a flag at"
NO_KEY: Final = "flagtui: --key: A key is 3 to 512 visible ASCII characters without spaces.\n"
OF_ONE_PROJECT: Final = (
    *("refs", "check", "watch --count 1", "events types", "mirror --port 0", "api feature_flags/"),
    *("flags types --language ts", "flags types --language ts --offline"),
)
EMPTY: Final = (
    *("flags list --project=", "flags list --profile ' '", "--project '' flags list", "--profile= projects"),
    *("flags disable '' --yes", "events get ''", "experiments get ''", "undo ''", "undo ' ' --yes"),
    *("staged get ''", "staged drop new-nav ''", "flags definitions ''", "flags create '' --yes"),
    *("events create '' --yes", "experiments create '' --flag-key a --yes", "refs ''", "check ''"),
    *("schema ''", "api ''", "apply ''", "proposals get ''", "mirror set ''", "journal ''"),
    *("experiments create-holdout '' --share 1 --yes", "experiments edit-holdout '' --share 1 --yes"),
    *("experiments edit-holdout 1 --name '' --yes", "experiments create-metric ' ' --query {{}} --yes"),
    "experiments delete-holdout 1 '' --yes",
)
REFUSED: Final = [
    # Words and values that no command has.
    ("projects --nonsense", 2, "flagtui: No such option"),
    ("flags list --limit x", 2, "'--limit': 'x' is no whole number. See: "),
    ("flags rollout x --to half", 2, "'--to': 'half' is no number. See: "),
    ("experiments create x --flag y", 2, "'--flag'. Did you mean --flag-key? See: "),
    ("flags list --no-such", 2, "'--no-such'. Did you mean --no-trunc? See: "),
    (f"serve --db {'x' * 300}", 1, "xxx cannot be used: File name too long. Check its access rights.\n"),
    ("journal --since soon", 2, "'soon' is not a valid time"),
    ("journal --limit 0", 2, "'--limit': 0"),
    ("journal --since --help", 2, "'--help' is not a valid time"),
    ("flags list -o xml", 2, "xml"),
    ("flags list --sort colour", 2, "colour"),
    ("schema gone", 6, "gone"),
    ("completion tcsh", 2, "tcsh"),
    ("activity @ soon", 2, "the query is not understood: @ needs a time such as 14:05"),
    ("watch --exec no-such-program-here", 2, "no-such-program-here"),
    ("watch is:nonsense", 2, "is:nonsense"),
    ("watch --since soon", 2, "soon"),
    ("flags history new-nav --since soon", 2, "'soon' is not a valid time"),
    ("refs --in nowhere", 2, "is not a folder"),
    ("refs rollout:abc", 2, "is not understood"),
    ("refs --language cobol", 2, "cobol"),
    ("refs --offline", 6, "without --offline"),
    ("check --rules unknwn", 2, "there is no rule unknwn"),
    ("check --baseline nowhere.json", 2, "cannot be read"),
    ("check -o xml", 2, "xml"),
    ("check nowhere", 2, "is not a folder"),
    ("check --changed-since nowhere", 2, "in no git repository"),
    ("flags types --language ts --check", 2, "--out"),
    ("flags types --language cobol", 2, "cobol"),
    ("flags types --language ts rollout:abc", 2, "is not understood"),
    ("flags types --language ts by:me --offline", 3, "by:me cannot be known"),
    ("flags types --language ts --out /nowhere/flags.ts", 1, "was not written"),
    ("refs --offline --project Web", 2, BY_ID),
    ("check --offline --project Web", 2, BY_ID),
    ("flags types --language ts --offline --project Web", 2, BY_ID),
    ("flags disable is:onn --yes", 2, "'is:onn' is not understood: is: use on, off"),
    ("flags disable 'is:on tga:web' --yes", 2, "tga: is not a qualifier"),
    ("flags get iss:on", 2, "'iss:on' is not understood"),
    ("flags due rollout:x", 2, "'rollout:x' is not understood"),
    ("experiments end is:runing", 2, "'is:runing' is not understood"),
    ("experiments history 31 99999", 6, "there is no experiment 99999."),
    ("flags rollout new-nav --to %", 2, "'' is no number"),
    ("flags evaluate new-nav --for 'a b'", 2, "b"),
    *(
        (f"flags wait new-nav --until '{state}'", 2, "--until")
        for state in ("", "gone", "rollout", "rollout=")
    ),
    *((f"flags wait new-nav --until {state}", 2, "--until") for state in ("rollout=101", "on=1")),
    ("flags create s --variant a=30", 2, "'a=30' is not a variant key. --variant takes a key alone"),
    ("flags schedule new-nav --off --at yesterday", 2, "--at 'yesterday': it is not a valid time; use "),
    # Names that nothing has.
    ("flags list --project 99", 6, "There is no such project on this host. Check the number of the project"),
    ("flags list --project 1,", 2, "'1,' has an empty name of a project"),
    ("flags get new-nav --project 1,2", 6, "project 2: there is no flag new-nav"),
    ("mirror --port 0 --project none-such", 6, "there is no project none-such"),
    ("flags get qqqqqqqq", 6, "See: flagtui flags list"),
    ("flags get 'qqqq\n\x1b[2Jqqqq'", 6, "there is no flag qqqq⏎␛[2Jqqqq. Nothing was done. See: flagtui"),
    # An event may have a colon in its name.
    ("events get cart:opened", 6, "there is no event cart:opened"),
    ("-q flags get none-such", 6, "there is no flag none-such"),
    ("events verify Company created --yes", 6, "Did you mean 'company created', in quotes?"),
    ("flags disable new-nav new-navx --yes", 6, "there is no flag new-navx. Did you mean new-nav"),
    ("flags diff new-nav --from 99", 6, "new-nav has no version 99; its newest is "),
    ("flags payload rate-limit-tier new-nav", 6, "not a remote configuration: new-nav."),
    ("experiments edit-holdout none-such --share 1 --yes", 6, "none-such"),
    ("experiments delete-metric none-such --yes", 6, "none-such"),
    # The page of another place.
    ("flags disable https://other.example/project/1/feature_flags/842 --yes", 2, ANOTHER),
    ("flags disable {host}/project/2/feature_flags/842 --yes", 2, ANOTHER),
    ("flags disable {host}/project/1/experiments/31 --yes", 2, ANOTHER),
    ("flags disable {host}/project/1/feature_flags/new --yes", 2, ANOTHER),
    *((f"api {path}", 2, "PATH") for path in ("https://other.example/api/projects/1/", "/logout")),
    *((f"api {path}", 2, "PATH") for path in ("//other.example/api/", "../../users/@me/", "%2e%2e/users/")),
    *((f"api {path}", 2, "PATH") for path in ("feature_flags//1/", "http://[")),
    # Words of other programs, and misspelt ones.
    ("flags show new-nav", 2, "Did you mean get?"),
    ("flags describe new-nav", 2, "Did you mean get?"),
    ("flags on new-nav", 2, "Did you mean enable?"),
    ("flags off new-nav", 2, "Did you mean disable?"),
    ("flags toggle new-nav", 2, "Did you mean enable or disable?"),
    ("flags update new-nav", 2, "Did you mean edit?"),
    ("experiments stop 31", 2, "Did you mean end or pause?"),
    ("events show $pageview", 2, "Did you mean get or unhide?"),
    ("flags undo", 2, "Did you mean flagtui undo?"),
    ("who new-nav", 2, "Did you mean flags evaluate or flags explain"),
    ("off new-nav", 2, "Did you mean flags disable?"),
    ("show new-nav", 2, "Did you mean flags get or experiments get or events get?"),
    ("login", 2, "Did you mean auth login?"),
    ("whoami", 2, "Did you mean auth status?"),
    ("version", 2, "Did you mean flagtui --version?"),
    ("help", 2, "Did you mean flagtui --help?"),
    ("flags whoami", 2, "Did you mean flagtui auth status?"),
    ("flags help", 2, "Did you mean flagtui flags --help?"),
    ("events login", 2, "Did you mean flagtui auth login?"),
    ("falgs list", 2, "Did you mean flags?"),
    ("udno", 2, "Did you mean undo?"),
    ("tag new-nav", 2, "Did you mean flags tag or events tag?"),
    ("experiments disable 31", 2, "Did you mean pause?"),
    ("disable new-nav", 2, "Did you mean flags disable or experiments pause?"),
    ("list", 2, "Did you mean flags list or experiments list or events list?"),
    ("flags rollot new-nav", 2, "Did you mean rollout?"),
    ("keys revok", 2, "Did you mean revoke?"),
    ("flags list --tag web", 2, "'--tag'. Did you mean tag: in the query? See: "),
    ("flags archive --stale", 2, "'--stale'. Did you mean is:stale in the query? See: "),
    ("flags list --search nav", 2, "'--search'. Did you mean QUERY without an option? See: "),
    ("flags history new-nav --depth 2", 2, "'--depth'. See: "),
    ("activity --user priya", 2, "'--user'. Did you mean by: in the query? See: "),
    ("flags copy new-nav --to 2", 2, "'--to'. Did you mean --to-key or --to-project? See: "),
    ("flags disable new-nav -n", 2, "'-n'. Did you mean --dry-run? See: "),
    ("flags rollout new-nav 40", 2, "'--to'. Example: flagtui flags rollout new-nav --to 40 --dry-run"),
    # Options in the wrong place.
    ("flags list -- -tag:web --limit 1", 2, "follows --, which ends the options; put it before --."),
    ("flags get -- new-nav --json", 2, "follows --, which ends the options; put it before --."),
    ("--json", 2, f"--json {OF_COMMANDS} Example: flagtui flags list --json"),
    ("-o tsv", 2, f"-o {OF_COMMANDS} Example: flagtui flags list -o json"),
    ("--fields key", 2, f"--fields {OF_COMMANDS} Example: flagtui flags list --fields NAMES"),
    ("--json keys", 2, f"--json {OF_COMMANDS} Example: flagtui keys list --json"),
    ("--yes flags disable new-nav", 2, f"--yes {OF_COMMANDS} See: flagtui --help"),
    ("flags --dry-run disable new-nav", 2, f"--dry-run {OF_COMMANDS} See: flagtui flags --help"),
    ("flags list is:on -tag:web", 2, "begin with - follow --: flagtui flags list -- -tag:web\n"),
    ("flags list check -old", 2, "begin with - follow --: flagtui flags list -- -old\n"),
    ("flags list -x", 2, "See: flagtui flags list --help\n"),
    ("projects -tag:web", 2, "See: flagtui projects --help\n"),
    *((line, 2, "is empty; give a value") for line in EMPTY),
    # Contradictions.
    ("flags create fresh --field nonsense=1 --yes", 2, "'nonsense' is not a field of a flag"),
    ("experiments create A --flag-key a --field no=1", 2, "'no' is not a field of an experiment"),
    ("flags create fresh --field key=other --yes", 2, "KEY and --field key contradict each other"),
    ("experiments create A --flag-key a --field name=B --yes", 2, "NAME and --field name contradict each"),
    ("flags edit 1 --field name=x --field name=y --yes", 2, "--field name is given twice with different"),
    ("flags edit new-nav --field colour=red --yes", 2, "not a field that can be edited"),
    ("flags edit new-nav --field description=x --yes", 2, "Use --field name=VALUE"),
    ("flags edit new-nav --field rollout=5 --yes", 2, "flags rollout FLAG --to PERCENT"),
    ("flags edit new-nav --field name=x --rename --yes", 2, "--rename"),
    ("flags tag 1 --add x --remove x --yes", 2, "x is both added and removed"),
    ("flags rollout 1 --to 5 --condition 1 --all-conditions --yes", 2, "contradict each other"),
    (
        "flags disable new-nav kill-search-v2 --if-version 1 --yes",
        2,
        "2 flags are meant. Name one flag at a time.",
    ),
    ("flags diff new-nav --from 2 --to 1", 2, "--from 2 is newer than --to 1; exchange them."),
    ("--project 1 flags list --project 2", 2, "--project is given twice with different values"),
    ("--project 1 --project 2 flags list", 2, "--project is given twice with different values"),
    ("-o json flags list -otsv", 2, "--output is given twice with different values"),
    ("journal --markdown --json", 2, "contradict each other"),
    ("--mirror flags list", 2, "--mirror is for the app, which opens without a command"),
    ("--linear --mirror", 2, "--linear and --mirror contradict each other"),
    ("--flag web demo flags list", 2, "--flag is for the app"),
    ("mirror --sample --override a=on --override a=off", 2, "--override: a has two values"),
    ("check --rules archived --require web", 2, "--require needs the rule missing-required"),
    ("flags list is:on OR tag:web", 2, "a query has no operators and no parentheses: 'OR'"),
    ("flags list (is:on)", 2, "a query has no operators and no parentheses: '(is:on)'"),
    # Of one project, or none.
    ("flags disable new-nav --yes --project 1,2", 2, f"a change {SEVERAL}"),
    ("undo --yes --project 1,2", 2, f"a change {SEVERAL}"),
    *((f"{line} --project 1,2", 2, f"this command {SEVERAL}") for line in OF_ONE_PROJECT),
    # What would be written, or served.
    ("flags disable new-nav --dry-run --out -", 2, NO_FILE),
    ("flags types --language ts --out -", 2, NO_FILE),
    ("flags list --log -", 2, NO_FILE),
    ("--log - flags list", 2, NO_FILE),
    ("mirror --sample --record -", 2, NO_FILE),
    *((f"serve --port 0 --db x.db --key '{key}'", 2, NO_KEY) for key in ("ab", "phx_with space", "phx_é")),
    ("serve --port 0 --db x.db --key phc_token", 2, "--key: This is the public project token (phc_): it "),
    ("serve --port 0 --db x.db --nasty", 2, "--nasty needs --sample."),
    ("serve --port 0 --db x.db --flags 5", 2, "--flags needs --sample."),
    ("serve --port 0 --db x.db --newest --legacy", 2, "--legacy and --newest contradict each other; give "),
    ("serve --port 0 --db x.db --host 0.0.0.0", 1, "--allow-remote"),
    ("serve --db x.db --port", 2, "Option '--port' requires an argument. See: flagtui serve --help\n"),
    ("mirror --from none.json", 2, "none.json"),
    # Changes that no one agreed to, or that have no name, or no values.
    ("flags disable new-nav", 3, "not confirmed; nothing was sent. To agree: --yes"),
    ("flags disable new-nav --json", 3, "not confirmed; nothing was sent. To agree: --yes"),
    ("flags disable 'is:on key:none-such' --yes", 3, "flagtui: no record matches; nothing was sent.\n"),
    ("revert --yes", 2, "no change is named; nothing was sent"),
    ("revert nothing-like-this --yes", 3, "flagtui: no change in the activity matches; nothing was sent.\n"),
    ("flags disable --yes", 2, "FLAG"),
    ("flags create --yes", 2, "KEY"),
    ("flags edit --yes", 2, "FLAG"),
    ("flags create - --yes", 2, "-"),
    ("flags create x --from - --yes", 2, "--from"),
    ("flags create --from - --enable --yes", 2, "--from"),
    ("flags edit --from - --field name=x --yes", 2, "--from"),
    ("experiments create-holdout x --share 101 --yes", 2, "101"),
    ("experiments create-metric x --yes", 2, "--query"),
    ("experiments create-metric x --query [] --yes", 2, "the query is no JSON object"),
    ("experiments create-metric x --query '{{\"kind\": NaN}}' --yes", 2, "the query is no JSON object"),
    ("experiments edit-holdout 1 --yes", 2, "Nothing would change: give a new value by an option."),
]
"""By line: the exit code, and words of its message."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the command runs."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(("line", "code", "words"), REFUSED, ids=[line[:60] for line, _, _ in REFUSED])
def test_refused_line_is_one_sentence_and_a_code(
    line: str, code: int, words: str, online: Run, service: Service, folder: Path
) -> None:
    done = online(*shlex.split(line.format(host=service.address)))
    assert (done.code, done.out, [*folder.iterdir()]) == (code, "", []), done
    message = "{message} {fix}".format(**done.error) if done.err.startswith("{") else done.err
    assert words in message
    assert done.err.count("\n") == 1


def test_quoted_operator_is_a_search_word(online: Run) -> None:
    assert online("flags", "list", '"OR"').code == 0


@pytest.mark.parametrize("line", ["flags list", "activity", "flags stale", "events list"])
def test_empty_query_narrows_nothing(line: str, online: Run) -> None:
    assert online(*line.split(), "") == online(*line.split())


@pytest.mark.parametrize("name", ["FLAGTUI_HOST", "FLAGTUI_PROJECT", "FLAGTUI_PROFILE", "FLAGTUI_LOG"])
def test_empty_variable_is_a_usage_error(name: str, monkeypatch: pytest.MonkeyPatch, online: Run) -> None:
    monkeypatch.setenv(name, "")
    message = f"flagtui: {name} is set but empty. Give it a value, or: unset {name}\n"
    assert online("flags", "list") == Done(2, "", message)


@pytest.mark.parametrize(("name", "line"), [
    ("FLAGTUI_PROJECT", "flags list"), ("FLAGTUI_PROFILE", "flags list"), ("FLAGTUI_PROJECT", "doctor"),
])  # fmt: skip
def test_key_in_another_variable_is_not_printed(
    name: str, line: str, monkeypatch: pytest.MonkeyPatch, online: Run
) -> None:
    monkeypatch.setenv(name, KEY)
    done = online(*line.split())
    assert "a key is given as the project or the profile. Use FLAGTUI_API_KEY." in done.out + done.err
    assert KEY not in done.out + done.err


def test_unknown_http_library_is_a_wrong_setting(online: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGTUI_HTTP", "nonsense")
    for line in ("flags list", "doctor"):
        message = "flagtui: FLAGTUI_HTTP is 'nonsense'; it can be httpx or httpx2.\n"
        assert online(*line.split()) == Done(2, "", message)
