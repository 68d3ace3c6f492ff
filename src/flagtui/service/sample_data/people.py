"""Who works at the sample company."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Employee:
    """One person who can sign in. `role` is one of the words a profile may carry, or empty."""

    id: int
    first_name: str
    last_name: str
    email: str
    role: str = ""

    @property
    def distinct_id(self) -> str:
        """How this person appears among the persons of the projects."""
        return f"staff-{self.id:02d}"


ALICE: Final = 1
SAM: Final = 2
MO: Final = 3
PRIYA: Final = 4

EMPLOYEES: Final = (
    Employee(ALICE, "Alice", "Moreau", "alice@acme.com", "engineering"),
    Employee(SAM, "Sam", "Okafor", "sam@acme.com", "engineering"),
    Employee(MO, "Mo", "Haddad", "mo@acme.com", "product"),
    Employee(PRIYA, "Priya", "Raman", "priya@acme.com", "engineering"),
    Employee(5, "Jonas", "Lindqvist", "jonas@acme.com", "data"),
    Employee(6, "Carmen", "Ibarra", "carmen@acme.com", "marketing"),
    Employee(7, "Wei", "Zhang", "wei@acme.com", "engineering"),
    Employee(8, "Tomasz", "Nowak", "tomasz@acme.com", "engineering"),
    Employee(9, "Aisha", "Bello", "aisha@acme.com", "product"),
    Employee(10, "Luca", "Ferri", "luca@acme.com", "sales"),
    Employee(11, "", "", "ci-bot@acme.com", ""),
    Employee(12, "Noor", "de Vries", "noor@acme.com", "founder"),
)
"""Number 11 is a robot account without a name: it shows up by its address."""

DEPARTED: Final = None
"""The author of rows whose maker has left: the service answers null."""
