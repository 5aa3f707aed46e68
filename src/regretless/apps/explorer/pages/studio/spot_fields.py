"""The fields of the form in which a spot is set up: ranges to paint, the board, chips, sizes, and how to solve."""

from __future__ import annotations

import json

import htpy as h

from regretless.apps.explorer.pages.blocks import choice_field, text_field
from regretless.apps.explorer.pages.drawing import SUIT_NAMES, draw_cards
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.infoset_views import SUITS
from regretless.apps.views.studio.range_painting import grid_labels, painted_range, presets
from regretless.apps.views.studio.spot_form import SIZE_FIELDS, SpotForm
from regretless.errors import OptionError
from regretless.poker.cards.deck import STANDARD
from regretless.poker.formats.spot_files import PLAYERS, STREETS

__all__ = [
    "FIRST_GOAL",
    "METHODS",
    "board_section",
    "chips_section",
    "locks_section",
    "range_sections",
    "sizes_section",
    "solve_fields",
]

NAMES = {"oop": "Out of position", "ip": "In position"}
NUMBER_LABELS = {
    "pot": ("Pot", "chips in the middle"),
    "stack_oop": ("Stack out of position", "chips behind"),
    "stack_ip": ("Stack in position", "chips behind"),
    "big_blind": ("Big blind", "for results in mbb"),
    "rake": ("Rake, % of the pot", "no rake"),
    "rake_cap": ("Rake at most", "no cap"),
}
SIZE_LABELS = {"bet": "bets", "raise": "raises", "donk": "donk bets"}
METHODS = (
    ("dcfr:power=4", "DCFR, averages t⁴ (recommended)"),
    ("dcfr", "DCFR as published"),
    ("cfr+", "CFR+"),
    ("pcfr+", "PCFR+ (half as much memory again)"),
    ("linear", "Linear CFR"),
)
FIRST_GOAL = "0.5"
STORAGE = (("float32", "32 bits"), ("int16", "16 bits, half the memory"))


def range_sections(form: SpotForm) -> h.Element:
    """Both ranges, each as a grid to paint and as text, and the brush."""
    brush = h.div(".brush")[
        h.label[h.span["Brush: weight in %"], h.input(id="weight", type="number", min="0", max="100", value="100")],
        h.input(id="weight-slider", type="range", min="0", max="100", step="5", value="100", aria_label="Weight in %"),
        h.fieldset(".suits", title="Only hands whose cards all have these suits are painted")[
            h.legend["Suits"], [_suit(suit) for suit in reversed(STANDARD.suits)]
        ],
        h.label(".check")[h.input(id="by-suit", type="checkbox"), " choose single hands of a cell"],
    ]
    note = h.noscript[h.p(".note")["Painting needs JavaScript. Ranges can be typed as text."]]
    return h.section(".panel")[
        h.h2["Ranges"], brush, note, h.div(".ranges")[[_range(form, player) for player in PLAYERS]]
    ]


def _suit(suit: str) -> h.Element:
    """A suit of the brush."""
    box = h.input(type="checkbox", value=suit, checked=True, autocomplete="off", aria_label=SUIT_NAMES[suit])
    return h.label(class_=f"suit-{suit}")[box, SUITS[suit]]


def _range(form: SpotForm, player: str) -> h.Element:
    text = form.ranges[player]
    try:
        painted = painted_range(text).for_browser
    except OptionError:
        painted = painted_range("").for_browser
    options: list[h.Node] = [h.option(value="")["a preset …"]]
    options += [h.option(value=value)[name] for name, value in presets().items()]
    return h.div(".range", data_player=player)[
        h.h3[NAMES[player]],
        h.div(
            ".paint-grid", role="group", aria_label=f"{NAMES[player]}: weights of hands by class",
            data_labels=" ".join(grid_labels()), data_weights=json.dumps(painted["weights"]),
        ),
        h.div(".single-hands", hidden=True),
        h.p(".note.combos-held", aria_live="polite")[painted["combos"]],
        h.label[h.span["As text"], h.textarea(name=player, rows=3, spellcheck="false", autocomplete="off")[text]],
        h.p(".problem.range-problem", hidden=True),
        h.label[h.span["Begin with"], h.select(".preset", autocomplete="off")[options]],
    ]  # fmt: skip


def board_section(form: SpotForm) -> h.Element:
    """The board as text and as cards to mark."""
    try:
        marked = set(STANDARD.cards(form.board))
    except OptionError:
        marked = set()
    rows = []
    for suit in reversed(range(len(STANDARD.suits))):
        names = [STANDARD.name(rank * 4 + suit) for rank in reversed(range(len(STANDARD.ranks)))]
        rows.append(h.div(".suit-row")[[_card(name, STANDARD.card(name) in marked) for name in names]])
    return h.section(".panel")[
        h.h2["Board"],
        text_field("3, 4 or 5 cards", "board", form.board, maxlength=40, spellcheck="false", autocomplete="off"),
        h.div(".board-picker")[rows],
    ]


def _card(name: str, marked: bool) -> h.Element:
    box = h.input(type="checkbox", value=name, checked=marked, aria_label=name, autocomplete="off")
    return h.label(".pick")[box, draw_cards(name, small=True)]


def chips_section(form: SpotForm) -> h.Element:
    """Pot, stacks and rake."""
    fields = [
        text_field(label, name, form.numbers[name], inputmode="decimal", maxlength=20, placeholder=hint)
        for name, (label, hint) in NUMBER_LABELS.items()
    ]
    note = h.p("#stack-note.note")[form.unequal_stacks or None]
    return h.section(".panel")[h.h2["Chips"], h.div(".chips-fields")[fields], note]


def sizes_section(form: SpotForm) -> h.Element:
    """Sizes for each street and player."""
    streets = []
    for street in STREETS:
        fields = []
        for name in SIZE_FIELDS:
            of_street, player, kind = name.split(".")
            if of_street == street:
                hint = "as bets" if kind == "donk" else "none"
                label = f"{NAMES[player]}: {SIZE_LABELS[kind]}"
                fields.append(text_field(label, name, form.sizes[name], maxlength=200, placeholder=hint))
        played = street in form.streets
        streets.append(
            h.fieldset(".sizes", data_street=street, hidden=not played)[
                h.legend[street.capitalize()], h.div(".size-fields")[fields]
            ]
        )
    text = (
        "33% is a share of the pot, 120c chips, 2.5x a raise to 2.5 times the bet, e geometric, all-in everything; "
        "an empty field is none. All-in is added where at most 1.5 pots are left behind."
    )
    return h.section(".panel")[h.h2["Bet sizes"], streets, h.p(".note")[text]]


def locks_section(form: SpotForm) -> h.Element | None:
    """Locked nodes of a spot file that was opened."""
    if not form.locks.strip():
        return None
    try:
        lines = [str(table.get("line")) for table in form.locked_nodes() if isinstance(table, dict)]
    except OptionError:
        lines = []
    shown = [h.li[h.span(".label")[line[:100] or "the beginning"]] for line in lines]
    keep = h.label(".check")[
        h.input(type="checkbox", name="locks", value=form.locks, checked=True), " keep these nodes locked"
    ]
    return h.section(".panel")[h.h2["Locked nodes"], h.ul[shown], keep]


def solve_fields(request: PageRequest) -> list[h.Node]:
    """Method, storage and limits."""
    return [
        choice_field("Method", "algorithm", METHODS, request.text("algorithm", METHODS[0][0]), submit=False),
        choice_field("Numbers in", "dtype", STORAGE, request.text("dtype", "float32"), submit=False),
        text_field(
            "Stop at exploitability, % of the pot", "goal", request.text("goal", FIRST_GOAL), inputmode="decimal",
            maxlength=20,
        ),
        text_field(
            "or after seconds", "seconds", request.text("seconds", "600"), inputmode="decimal", maxlength=20
        ),
        text_field(
            "or after iterations", "iterations", request.text("iterations"), inputmode="numeric", maxlength=12,
            placeholder="any number",
        ),
    ]  # fmt: skip
