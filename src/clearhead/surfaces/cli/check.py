"""`clearhead check`: what is wrong with somebody's own attention."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clearhead.sources.function import LAYOUTS, LIBRARIES, MEANINGS, ORDERS
from clearhead.sources.function.imported import imported
from clearhead.surfaces.cli.failing import one_sentence, to_be_written
from clearhead.surfaces.cli.groups import Given, Group, grouped
from clearhead.surfaces.cli.options import Json, one_of
from clearhead.surfaces.cli.output import print_json, printable
from clearhead.surfaces.cli.pairs import literal, pairs

if TYPE_CHECKING:
    from clearhead.surfaces.page import SavedPage

Layout = Annotated[
    str | None, one_of("--layout", LAYOUTS, "The order of the axes; D is all heads' features.")
]
Library = Annotated[str | None, one_of("--library", LIBRARIES, "Whose arrays it takes.")]
Dtype = Annotated[
    str | None, typer.Option("--dtype", help="The type of the numbers it is given, such as float32.")
]
Device = Annotated[str | None, typer.Option("--device", help="A PyTorch device, such as cuda.")]
Heads = Annotated[int | None, typer.Option("--heads", min=1, help="How many heads.")]
KvHeads = Annotated[int | None, typer.Option("--kv-heads", min=1, help="How many key and value heads.")]
DHead = Annotated[int | None, typer.Option("--d-head", min=1, help="The width of a head, where it is fixed.")]
Mask = Annotated[
    str | None, typer.Option("--mask", help="What it is meant to mask by itself, such as causal; none.")
]
Means = Annotated[str | None, one_of("--mask-means", MEANINGS, "What the mask it takes means.")]
Scale = Annotated[
    float | None, typer.Option("--scale", help="What scores are multiplied by. Default: 1/√d_head.")
]
SoftCap = Annotated[
    float | None, typer.Option("--soft-cap", help="What scaled scores are bent to stay within.")
]
Rotary = Annotated[
    str | None, one_of("--rotary", ("halves", "interleaved"), "Which features it turns together.")
]
RotaryBase = Annotated[
    float | None, typer.Option("--rotary-base", help="The base of the angles. Default: 10000.")
]
Alibi = Annotated[bool, typer.Option("--alibi", help="It penalises distance.")]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Of the questions. Default: 0.")]
TimeLimit = Annotated[float | None, typer.Option("--time-limit", help="Seconds for one call. Default: 10.")]
Roles = Annotated[
    list[str] | None,
    typer.Option(
        "--roles", metavar="NAME=ROLE", help="What a parameter is for, such as a=Q; once for each parameter."
    ),
]
Arguments = Annotated[
    list[str] | None,
    typer.Option(
        "--arguments", metavar="NAME=VALUE", help="A value for another parameter, such as dropout=None."
    ),
]
Weights = Annotated[
    list[str] | None,
    typer.Option(
        "--weights",
        metavar="ROLE=PATH",
        help=f"Where an object has a weight, such as W_Q=linears.0.weight; or their order: {' | '.join(ORDERS)}",
    ),
]
About = Annotated[
    Given,
    Group(
        layout=Layout, library=Library, dtype=Dtype, device=Device, heads=Heads, kv_heads=KvHeads, d_head=DHead,
        mask=Mask, mask_means=Means, scale=Scale, soft_cap=SoftCap, rotary=Rotary, rotary_base=RotaryBase,
        alibi=Alibi, roles=Roles, arguments=Arguments, weights=Weights, seed=Seed, time_limit=TimeLimit,
    ),
]  # fmt: skip
"""What is told of the function and not found out."""


@grouped
def check(
    function: Annotated[
        str, typer.Argument(help="Such as my_module.py:my_attention, or package.module:Name.")
    ],
    about: About,
    json: Json = False,
    html: Annotated[
        str | None,
        typer.Option(
            "--html", help="Save the report as a page, such as page.html: both sides, every number."
        ),
    ] = None,
) -> None:
    """Say whether an attention function is right, or which mistake it makes.

    Its file is imported, which runs it. The exit code is 0 if it agrees with
    the reference and 1 if it does not.
    """
    from clearhead.session.checking import check as checked  # only here: to print help nobody needs it

    told = _told(about)
    with to_be_written(html):  # said before the function is asked
        pass
    with one_sentence():
        with redirect_stdout(sys.stderr):  # what the file prints is no part of the report
            found = imported(function)
        report: Any = checked(found, **told)
    if json:
        print_json(report.as_dict())
    else:
        typer.echo("\n".join(printable(line) for line in str(report).split("\n")))
    if html is not None:
        with to_be_written(html):
            page = _saved(report, html)
        typer.echo(f"Saved in {printable(str(page))}", err=json)  # data stays data
    raise typer.Exit(0 if report.agrees else 1)


def _told(about: Given) -> dict[str, Any]:
    """The keywords of `clearhead.check`."""
    told = {name: value for name, value in about.items() if value != []}
    weights = told.get("weights", [])
    if len(weights) == 1 and "=" not in weights[0]:
        told["weights"] = weights[0]  # the order of their axes
    elif weights:
        told["weights"] = pairs("--weights", weights)
    if "roles" in told:
        told["roles"] = pairs("--roles", told["roles"])
    if "arguments" in told:
        told["arguments"] = pairs("--arguments", told["arguments"], literal)
    return told


def _saved(report: Any, path: str) -> SavedPage:
    from clearhead.surfaces.page import save_html  # only here: to print help nobody needs it

    return save_html(report, path)
