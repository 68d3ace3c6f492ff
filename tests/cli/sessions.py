"""Sessions of a terminal as text: what is typed, and what is printed then."""

import re
import shlex

from tests.cli.conftest import Run


def play(run: Run, session: str, **names: str) -> None:
    """Run the commands of a session one after the other.

    `$ words` is a command that ends with 0, `$3 words` one that ends with 3. Behind it are the lines of its
    output, with `>`, and of its messages, with `!`, in which `…` is any text and blanks are one space; where
    there are none, all is well. Names in capital letters are replaced. ` < text` at the end is piped in.
    """
    for name, value in names.items():
        session = re.sub(rf"\b{name}\b", value.replace("\\", r"\\"), session)
    for part in re.split(r"^\s*\$", session, flags=re.MULTILINE)[1:]:
        line, *expected = part.rstrip().splitlines()
        code, _, words = line.partition(" ")
        command, _, stdin = words.partition(" < ")
        done = run(*shlex.split(command), stdin=stdin.replace("\\n", "\n"))
        assert done.code == int(code or 0), f"{line}: {done}"
        for sign, text in ((">", done.out), ("!", done.err)):
            lines = [each.strip()[1:].strip() for each in expected if each.strip().startswith(sign)]
            pattern = re.escape("\n".join(lines)).replace("…", r"[\s\S]*")
            shown = "\n".join(" ".join(each.split()) for each in text.strip().splitlines())
            assert not lines or re.fullmatch(pattern, shown), f"{line}: {pattern}\n{shown}"
