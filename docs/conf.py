"""How the documentation is made: `make docs`, then open docs/_build/index.html."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path

from sphinx.application import Sphinx
from typer.main import get_command

from unifilter import __version__
from unifilter.cli.app import app
from unifilter.models import model_class, names

project, author, version = "unifilter", "the authors of unifilter", __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
extensions += ["sphinx.ext.mathjax", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
# Links to files of the repository that are no pages; shapes such as (n, d), which are no attributes either.
suppress_warnings = ["myst.xref_missing", "ref.python"]
autosummary_generate, autosummary_imported_members = True, False
autodoc_typehints, autodoc_member_order = "none", "bysource"
# Of scikit-learn's making, for its routing of metadata.
ROUTED = ", ".join(
    f"set_{name}_request" for name in ("fit", "predict", "predict_proba", "score", "transform")
)
autodoc_default_options = {"members": True, "show-inheritance": True, "exclude-members": ROUTED}
# Types are words here: no links from (n, d) to what is named d.
napoleon_use_rtype = napoleon_use_param = False
html_theme, html_title = "furo", f"unifilter {__version__}"
html_copy_source = html_show_copyright = False

HERE = Path(__file__).parent
GENERATED = HERE / "generated"


def write_commands() -> None:
    """Every command's help, as a terminal shows it."""
    parts = ["# The command line", "", "What `unifilter COMMAND --help` says."]
    narrow = os.environ | {"COLUMNS": "84", "NO_COLOR": "1", "TERM": "dumb"}
    for command in get_command(app).commands:  # type: ignore[attr-defined]
        call = f"import sys; sys.argv = ['unifilter', '{command}', '--help']; main()"
        words = [sys.executable, "-c", f"from unifilter.cli.app import main; {call}"]
        said = subprocess.run(words, env=narrow, capture_output=True, text=True, check=True).stdout
        lines = "\n".join(line.rstrip() for line in said.strip().splitlines())
        parts += ["", f"## unifilter {command}", "", "```text", lines, "```"]
    (GENERATED / "commands.md").write_text("\n".join(parts) + "\n", encoding="utf-8")


def write_models() -> None:
    """A chapter a kind, a page a model: what its module says, and its options."""
    kinds: dict[str, list[str]] = {}
    for name in names():
        kinds.setdefault(model_class(name).card.kind, []).append(name)
    parts = ["# The models", "", "One file each, behind one door: `create(NAME, **options)`."]
    for kind, some in kinds.items():
        parts += ["", f"## {kind[0].upper()}{kind[1:]}", "", "| name | paper | year |", "|---|---|---|"]
        cards = [(name, model_class(name).card) for name in some]
        parts += [f"| [{name}](model_{name}.md) | {card.paper} | {card.year} |" for name, card in cards]
    pages = "\n".join(f"model_{name}" for name in names())
    parts += ["", "```{toctree}", ":hidden:", "", pages, "```"]
    (GENERATED / "models.md").write_text("\n".join(parts) + "\n", encoding="utf-8")
    for name in names():
        cls, about = model_class(name), import_module(model_class(name).__module__)
        lines = [f"# {name}", "", as_markdown(about.__doc__ or ""), ""]
        lines += [
            "| propagates | a step costs |",
            "|---|---|",
            f"| {cls.card.propagates} | {cls.card.cost} |",
            "",
        ]
        # Options are often inherited, and described where they are declared.
        configs = [c for c in cls.Config.__mro__ if is_dataclass(c)]
        options = [
            f".. autoclass:: {c.__module__}.{c.__name__}\n   :no-members:\n   :no-index:\n" for c in configs
        ]
        lines += ["```{eval-rst}", *options, "```"]
        (GENERATED / f"model_{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def in_words(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """What a function returns is told in sentences, which napoleon would take for a list of types."""
    if "Returns" not in lines:
        return
    first = lines.index("Returns")
    rest = [*lines[first + 2 :], ""]
    said = rest[: rest.index("")]
    if not any(line.startswith(" ") for line in said):
        lines[first : first + 2] = [".. rubric:: Returns", ""]


def setup(app: Sphinx) -> None:
    """Before napoleon reads the docstrings."""
    app.connect("autodoc-process-docstring", in_words, priority=100)


def as_markdown(doc: str) -> str:
    """A module's words, with what is indented, its equations, as it stands."""
    found = []
    for block in inspect.cleandoc(doc).split("\n\n"):
        text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", block).replace("``", "`")
        found.append(f"```text\n{block}\n```" if block.startswith("    ") else text)
    return "\n\n".join(found)


shutil.rmtree(GENERATED, ignore_errors=True)  # pages of names that are gone
GENERATED.mkdir()
write_commands()
write_models()
