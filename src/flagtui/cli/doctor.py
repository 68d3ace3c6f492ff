"""`flagtui doctor`: what was found where, to paste into a report. Nothing in it is secret."""

import click

from flagtui.cli.options import PROFILE, named_profile


@click.command("doctor")
@PROFILE
@click.option("--offline", is_flag=True, help="Ask neither the server nor the keyring.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(profile: str, offline: bool, as_json: bool) -> None:
    """Say what was found where, what the key may do, and what the terminal can; without secrets."""
    from flagtui.cli.diagnosis import diagnose, tell_findings

    findings = diagnose(named_profile(profile), offline=offline)
    tell_findings(findings, as_json=as_json)
    if any(finding.state == "wrong" for finding in findings):
        raise SystemExit(1)
