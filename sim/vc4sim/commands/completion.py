"""`vc4 completion`: what a shell needs to complete commands, options and names."""

import argparse
from collections.abc import Iterator

from ..problem import BadInput, ExitStatus
from ..workload.example import example_names, frame_names
from .options import Commands

__all__ = ["register"]

_SHELLS = ("bash", "zsh", "tcsh")

_EPILOG = """\
for example:
  vc4 completion bash > ~/.local/share/bash-completion/completions/vc4
  vc4 completion zsh > ~/.zsh/completions/_vc4
"""

#: What may stand for files: names of examples, and files.
_WHAT = "_vc4_what"
_PREAMBLE = {
    "bash": f'{_WHAT}() {{\n  compgen -W "{{names}}" -- "$1"\n  compgen -f -- "$1"\n}}\n',
}
_COMPLETE_WHAT = {"bash": _WHAT, "zsh": "_files", "tcsh": "f"}


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "completion",
        help="write what a shell needs to complete commands",
        description="Write the script with which a shell completes commands, options, examples and files.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=_SHELLS, help="the shell")
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError:
        raise BadInput("shtab is not installed: pip install 'vc4-rtl[completion]'") from None
    from ..command_line import parser_of

    parser = parser_of([])
    kinds = {
        **dict.fromkeys(("WHAT", "CASE"), _COMPLETE_WHAT),
        **dict.fromkeys(("FILE", "FILE.vcd", "FIGURE", "SOURCE"), shtab.FILE),
        **dict.fromkeys(("FOLDER", "DIR"), shtab.DIRECTORY),
    }
    for action in _actions(parser):
        if action.metavar in kinds:
            action.complete = kinds[action.metavar]
    names = " ".join([*example_names(), *frame_names()])
    preamble = {shell: text.replace("{names}", names) for shell, text in _PREAMBLE.items()}
    print(shtab.complete(parser, shell=options.shell, preamble=preamble))
    return ExitStatus.PASS


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument and option of a parser and of those of its sub-commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)
