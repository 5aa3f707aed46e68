"""Arguments and options that several commands take."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = [
    "Device",
    "DeviceOption",
    "Dtype",
    "Flops",
    "GameArgument",
    "Iterations",
    "Json",
    "Measure",
    "Overwrite",
    "Precision",
    "Quiet",
    "RayAddress",
    "Recall",
    "ResolveMethod",
    "Seconds",
    "Seed",
    "Threads",
    "Until",
]


class Precision(StrEnum):
    """The numbers a solve computes with."""

    float64 = "float64"
    float32 = "float32"
    int16 = "int16"


class ResolveMethod(StrEnum):
    """How a subgame is solved again."""

    unsafe = "unsafe"
    cfr_d = "cfr-d"
    maxmargin = "maxmargin"
    reach = "reach"


class Recall(StrEnum):
    """What players know of earlier streets."""

    imperfect = "imperfect"
    perfect = "perfect"


class Device(StrEnum):
    """What a solve computes on."""

    cpu = "cpu"
    cuda = "cuda"


GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME", show_default=False, help="A name (leduc:ranks=5, fhp), FILE.py:CLASS, SPOT.toml or FILE.efg."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Iterations = Annotated[
    int | None,
    typer.Option("-n", "--iterations", help="Stop after N iterations (1,000 without another rule)."),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL",
        help="Stop at this exploitability, in chips per game (NashConv / players); of hold'em also 0.3% of the pot, or "
        "5mbb per game for both players together.",
    ),
]
Seconds = Annotated[float | None, typer.Option(help="Stop after this many seconds.")]
Seed = Annotated[int | None, typer.Option(min=0, help="For methods that draw at random (0).")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads; large games use all cores by default.")]
Dtype = Annotated[
    Precision | None, typer.Option(help="Precision (float64; of hold'em float32, or int16 to save memory).")
]
DeviceOption = Annotated[Device | None, typer.Option(help="On the CPU or, hold'em and networks only, on a GPU.")]
Measure = Annotated[
    str | None,
    typer.Option(metavar="WHEN", help="Measure every N iterations, at a growth factor such as 1.1, or never (1.05)."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Use a Ray cluster: auto, HOST:PORT or ray://HOST:PORT; without an address, one on this machine.",
    ),
]
Flops = Annotated[
    int | None,
    typer.Option(metavar="N", help="Solve spot files without a board on a set of 25, 49, 95, 184 or 1755 flops."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but mistakes.")]
