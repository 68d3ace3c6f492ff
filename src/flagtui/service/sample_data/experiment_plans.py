"""Which experiments the company ran, runs and means to run, and what really came of them."""

from dataclasses import dataclass, field
from typing import Final, Literal

from flagtui.service.sample_data.people import ALICE, MO, PRIYA, SAM

Stage = Literal["draft", "running", "paused", "stopped", "archived"]
HALVES: Final = (("control", 50.0), ("test", 50.0))
THIRDS: Final = (("control", 34.0), ("test-a", 33.0), ("test-b", 33.0))


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """One experiment as it will be stored, and the truth that its events are drawn from."""

    id: int
    name: str
    question: str
    stage: Stage
    ages: tuple[float, ...]
    """In days: created, then started, then ended or paused, as far as the stage goes."""
    lifts: tuple[float, ...] = (1.0,)
    """For each variant after the first: how much more often its people convert."""
    size: int = 800
    """People who met the flag."""
    rate: float = 0.2
    """How many of the first variant's people convert."""
    metrics: tuple[str, ...] = ("paid",)
    """Names from the catalogue of metrics; the first is primary, `+` before a name makes it secondary."""
    author: int = MO
    conclusion: str | None = None
    comment: str | None = None
    variants: tuple[tuple[str, float], ...] = HALVES
    frequentist: bool = False
    dropped: float = 0.0
    """Share of the last variant's exposures that never arrived: what a sample-ratio mismatch looks like."""
    runtime: str = "all"
    tags: tuple[str, ...] = ("growth",)
    holdout: bool = False
    flag_key: str = ""
    saved: tuple[int, ...] = field(default=())
    """Ids of shared metrics it also watches."""

    @property
    def key(self) -> str:
        return self.flag_key or "".join(
            letter if letter.isalnum() else "-" for letter in self.name.lower() if letter != "'"
        )

    @property
    def shipped(self) -> bool:
        return self.conclusion == "won" and self.stage == "stopped"


ARCHIVED: Final = (
    ExperimentPlan(
        1, "Annual plan first", "Do more people pay for a year if the year comes first?", "archived",
        (390, 380, 340), (1.48,), 400, conclusion="won", comment="Shipped in the spring pricing.",
    ),
    ExperimentPlan(
        2, "Shorter signup form", "Do three fields fewer bring more signups?", "archived",
        (370, 360, 335), (1.38,), 400, 0.31, ("signup",), ALICE, "won", "Shipped.", runtime="client",
    ),
    ExperimentPlan(
        3, "Exit intent popup", "Does a last offer keep visitors?", "archived",
        (355, 350, 330), (0.50,), 400, 0.12, ("signup",), MO, "lost", "More complaints than signups.",
    ),
    ExperimentPlan(
        4, "Landing page video", "Does a film explain us better than a picture?", "archived",
        (340, 330, 300), (1.02,), 400, 0.15, ("signup",), MO, "inconclusive", runtime="client",
    ),
)  # fmt: skip

STOPPED: Final = (
    ExperimentPlan(
        5, "Sticky plan summary", "Does a summary that stays in view lift upgrades?", "stopped",
        (320, 310, 280), (1.35,), 600, 0.18, ("upgrade",), PRIYA, "won", "Shipped to everyone.",
        frequentist=True,
    ),
    ExperimentPlan(
        6, "Trial of 30 days", "Do people who try longer pay more often?", "stopped",
        (310, 300, 255), (1.03,), 500, 0.16, ("paid", "+revenue"), MO, "inconclusive",
        "Costs more, earns the same.",
    ),
    ExperimentPlan(
        7, "Welcome mail after an hour", "Is the first mail read more when it comes later?", "stopped",
        (300, 290, 262), (0.82,), 500, 0.33, ("activation",), MO, "lost", "Stay with at once.",
        runtime="server",
    ),
    ExperimentPlan(
        8, "Logos on pricing", "Do names of customers help?", "stopped",
        (280, 270, 240), (0.99,), 450, 0.2, ("paid",), MO, "inconclusive", runtime="client",
    ),
    ExperimentPlan(
        9, "Empty state checklist", "Does a list of first steps get people to a chart?", "stopped",
        (265, 260, 230), (1.42,), 550, 0.24, ("activation", "+queries"), PRIYA, "won", "Best of the year.",
        tags=("onboarding",), runtime="client",
    ),
    ExperimentPlan(
        10, "Sign in without password", "Do links by mail get more people in?", "stopped",
        (250, 240, 205), (1.22,), 600, 0.4, ("signup",), SAM, "won", "Shipped with passkeys.",
        tags=("security",),
    ),
    ExperimentPlan(
        11, "Sidebar with icons only", "Is more room worth fewer words?", "stopped",
        (235, 230, 215), (0.71,), 500, 0.35, ("activation",), PRIYA, "lost", "People could not find reports.",
        tags=("web",), runtime="client",
    ),
    ExperimentPlan(
        12, "Gallery of dashboards", "Do templates lead to more dashboards kept?", "stopped",
        (220, 210, 170), (1.25, 1.42), 700, 0.22, ("activation", "+queries"), ALICE, "won",
        "Variant b shipped.",
        THIRDS, tags=("web",),
    ),
    ExperimentPlan(
        13, "Search suggestions", "Do suggestions lead to more searches?", "stopped",
        (205, 200, 196), (1.1,), 120, 0.3, ("queries",), SAM, "stopped_early", "The index fell over.",
        runtime="server", tags=("infra",),
    ),
    ExperimentPlan(
        14, "Invoice reminder rhythm", "Do two reminders bring payment sooner than one?", "stopped",
        (190, 180, 150), (1.12,), 550, 0.45, ("paid",), MO, "invalid",
        "The split was never even: see exposures.",
        dropped=0.35, runtime="server", tags=("billing",),
    ),
    ExperimentPlan(
        15, "Weekly digest in Slack", "Do teams with a digest come back more?", "stopped",
        (170, 160, 120), (1.04,), 500, 0.27, ("queries", "+activation"), PRIYA, "inconclusive",
        runtime="server",
    ),
    ExperimentPlan(
        16, "Hint for the command palette", "Does a hint make people use it?", "stopped",
        (150, 140, 110), (1.55,), 500, 0.14, ("queries",), PRIYA, "won", tags=("web",), runtime="client",
    ),
    ExperimentPlan(
        17, "Faster first chart", "Does a cached first chart keep people?", "stopped",
        (130, 120, 112), (1.2,), 200, 0.25, ("activation", "+latency"), SAM, "stopped_early",
        "Everyone should have it now.", runtime="server", tags=("infra",),
    ),
)  # fmt: skip

ONGOING: Final = (
    ExperimentPlan(
        18, "Onboarding questions", "Do three questions instead of seven finish more often?", "running",
        (110, 75), (1.15,), 600, 0.3, ("activation",), MO, dropped=0.4, tags=("onboarding",),
        runtime="client",
    ),
    ExperimentPlan(
        19, "Words on the upgrade button", "Which words bring upgrades?", "running",
        (105, 60), (1.05, 1.42), 900, 0.15, ("upgrade", "+revenue"), MO, variants=THIRDS, runtime="client",
    ),
    ExperimentPlan(
        20, "Chart colours", "Do calmer colours keep people reading?", "running",
        (100, 58), (1.0,), 600, 0.28, ("queries", "+activation"), PRIYA, tags=("web",), runtime="client",
    ),
    ExperimentPlan(
        21, "Price by usage", "Do people start sooner when they pay for what they use?", "paused",
        (98, 64, 33), (0.93,), 400, 0.2, ("paid", "+revenue"), MO, tags=("billing", "growth"),
    ),
    ExperimentPlan(
        22, "Export dialog", "Is one page better than three steps?", "running",
        (95, 50), (0.78,), 600, 0.33, ("exports", "+failed exports"), PRIYA, tags=("exports",),
        runtime="client",
    ),
    ExperimentPlan(
        23, "Tabs at the bottom", "Do thumbs prefer tabs below?", "running",
        (92, 47), (1.24,), 500, 0.26, ("activation", "return"), SAM, tags=("mobile",), runtime="client",
    ),
    ExperimentPlan(
        24, "Cache for query results", "Is it faster, and does that matter?", "running",
        (90, 44), (1.06,), 550, 0.5, ("latency", "queries"), SAM, frequentist=True, runtime="server",
        tags=("infra", "data"),
    ),
    ExperimentPlan(
        25, "Score question after a win", "Is the score better when asked after an export?", "paused",
        (88, 52, 30), (1.1,), 300, 0.12, ("exports",), MO, tags=("surveys",), runtime="client",
    ),
    ExperimentPlan(
        26, "Pricing page test", "Do three plans side by side sell more than a slider?", "running",
        (45, 30), (1.09,), 600, 0.19, ("paid", "+revenue"), MO, flag_key="pricing-page-test", saved=(1,),
        runtime="client",
    ),
    ExperimentPlan(
        27, "Questions in plain words", "Do drafts by a model lead to more queries?", "running",
        (44, 36), (1.33,), 500, 0.29, ("queries", "+latency"), PRIYA, holdout=True, tags=("ai", "beta"),
        runtime="server", saved=(2,),
    ),
    ExperimentPlan(
        28, "Credit for friends", "Do people invite more with ten dollars in it?", "running",
        (43, 34), (1.5,), 38, 0.1, ("signup",), MO,
    ),
    ExperimentPlan(
        29, "Docs first in search", "Do people solve more by themselves?", "draft", (42,),
        metrics=("queries",),
        author=ALICE, tags=("web",),
    ),
    ExperimentPlan(
        30, "Fewer notifications", "Do fewer mails keep more people subscribed?", "running",
        (41, 32), (1.0,), 260, 0.0, ("unsubscribes",), MO, runtime="server",
    ),
    ExperimentPlan(
        31, "Checkout redesign", "Does the new flow lift paid conversion?", "running",
        (40, 12), (1.143,), 2600, 0.26, ("checkout", "checkout time", "refund ratio", "+viewed"), ALICE,
        flag_key="checkout-redesign", saved=(1,), tags=("checkout", "web"),
    ),
    ExperimentPlan(
        32, "Badge for the yearly discount", "Does a badge move people to the yearly plan?", "running",
        (39, 28), (1.12,), 400, 0.17, ("upgrade",), MO, frequentist=True, runtime="client",
    ),
    ExperimentPlan(
        33, "Length of the tour", "Three steps or eight?", "draft", (35,), metrics=("activation", "+queries"),
        tags=("onboarding",), runtime="client",
    ),
    ExperimentPlan(
        34, "Seats in the upgrade dialog", "Do people buy seats when they see who is waiting?", "draft",
        (31,),
        metrics=("upgrade", "+revenue"), author=PRIYA, saved=(1,),
    ),
    ExperimentPlan(35, "Keyboard shortcuts", "Does a tour of the keys pay?", "draft", (29,), metrics=()),
)  # fmt: skip

PLANS: Final = (*ARCHIVED, *STOPPED, *ONGOING)
"""In the order they were made; the ids are theirs."""
