"""The command `unifilter`, and what happens when something goes wrong.

A command is a function in cli/<command>.py, annotated for typer, that raises what the library raises.
It is added by one line at the end of this file: ``app.command()(<command>.<command>)``.
"""

from __future__ import annotations

import re
import sys
import traceback
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from unifilter.cli import analyze, compare, datasets, evaluate, fit, models, predict, reproduce

WRONG_INPUT, UNEXPECTED, INTERRUPTED = 2, 1, 130
ARGUMENTS = "source|target|weight|id|label|features|delimiter"  # of read_tables, and flags of the same name
# What a user can cause and mend. A missing extra is an ImportError that says what to install; a disk that is
# full, or may only be read, is an OSError.
INPUT_ERRORS = (ValueError, ImportError, OSError)


class Door(TyperGroup):
    """All commands, with one policy for errors: one line on stderr, and an exit code that tells whose."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take --debug at any place: whoever meets an error appends it to the line that failed."""
        if "--debug" in args:
            args = ["--debug", *(a for a in args if a != "--debug")]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            kept = ctx.invoked_subcommand in ("compare", "reproduce")
            _say("interrupted" + (": what was done is kept, and the same line goes on" if kept else ""))
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            raise  # typer ends quietly when nobody reads on, as in `unifilter datasets | head`
        except INPUT_ERRORS as error:
            _report(ctx, error, in_flags(_sentence(error), ctx.invoked_subcommand))
            raise typer.Exit(WRONG_INPUT) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if hasattr(error, "exit_code"):  # a usage error, which typer shows with the command's usage
                raise
            hint = "" if ctx.params.get("debug") else ". This should not happen; --debug shows where it did."
            _report(ctx, error, f"unexpected {type(error).__name__}: {_sentence(error)}{hint}")
            raise typer.Exit(UNEXPECTED) from None


def _sentence(error: BaseException) -> str:
    """The message in one line; the operating system's as `file: reason`."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename2 or error.filename}: {error.strerror}"  # the second one is where to
    return " ".join(str(error).split()) or type(error).__name__


def in_flags(sentence: str, command: str | None = None) -> str:
    """What the library says of its arguments and splits, in words of the command line.

    Examples
    --------
    >>> in_flags("splits.quota and splits.random draw one.")
    '--split quota and --split random:0.6/0.2 draw one.'
    >>> in_flags("must have one column 'a' (source=). Name it with source=..., or pass label=None.")
    "must have one column 'a' (--source). Name it with --source ..., or pass --label ''."
    """
    sentence = sentence.replace("strict=True", "--strict").replace("features=[...]", "--features ...")
    sentence = sentence.replace("split=...", "--split column:...").replace("(split=)", "(--split)")
    flag, shares = ("--splits", "") if command == "compare" else ("--split", ":0.6/0.2")
    sentence = re.sub(r"\bsplits\.(stratified|random)\b", rf"{flag} \1{shares}", sentence)
    sentence = sentence.replace("splits.quota", f"{flag} quota")
    sentence = re.sub(rf"\b({ARGUMENTS})=None\b", r"--\1 ''", sentence)
    sentence = re.sub(rf"\(({ARGUMENTS})=\)", r"(--\1)", sentence)
    return re.sub(rf"\b({ARGUMENTS})=(\.\.\.|'[^']*')", r"--\1 \2", sentence)


def _report(ctx: typer.Context, error: BaseException, sentence: str) -> None:
    if ctx.params.get("debug"):
        traceback.print_exception(error)
    _say(f"error: {sentence}")


def _say(line: str) -> None:
    print(line, file=sys.stderr)


app = typer.Typer(
    name="unifilter",
    cls=Door,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from unifilter import __version__

        print(f"unifilter {__version__}")
        raise typer.Exit


@app.callback()
def unifilter(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Graph learning on any graph, from strong homophily to strong heterophily."""


app.command(epilog=fit.EXAMPLES)(fit.fit)
app.command(epilog=predict.EXAMPLES)(predict.predict)
app.command(epilog=evaluate.EXAMPLES)(evaluate.evaluate)
app.command(epilog=analyze.EXAMPLES)(analyze.analyze)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=models.EXAMPLES)(models.models)
app.command(epilog=reproduce.EXAMPLES)(reproduce.reproduce)
app.command(epilog=reproduce.REPORT_EXAMPLES)(reproduce.report)
app.add_typer(datasets.app, name="datasets")


def main() -> None:
    """The console script."""
    app()


if __name__ == "__main__":
    main()
