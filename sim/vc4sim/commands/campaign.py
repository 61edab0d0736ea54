"""`vc4 campaign`: random programs, frames and more by the million, on as many machines as there are."""

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from ..backends.base import Waves
from ..backends.engines import ENGINES
from ..campaign.cluster import cores, open_cluster
from ..campaign.job import Result, Settings, round_for
from ..campaign.kind import Kind
from ..campaign.kinds import KINDS
from ..campaign.report import failure_lines, head, markdown, text
from ..campaign.run import run_campaign
from ..campaign.store import Store
from ..campaign.worker import what_of
from ..coverage.count import Cells, share
from ..lockstep import Difference
from ..problem import BadInput, ExitStatus
from .options import Commands, add_config, config_words, integer, vcd_file

__all__ = ["register"]

_LARGEST = 1 << 31
#: Simulators of the RTL that run jobs.
_ENGINES = ("native", "cxxrtl")


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "campaign",
        help="random programs, frames and more by the million, on as many machines as there are",
        description="Run a campaign: random programs, frames, lookups, set-ups, damaged lists or pairs of operands, RTL against "
        "model, as jobs of known seed on the workers of Dask. All results go into one file, from which a campaign goes on "
        "whatever has crashed. See docs/user/campaigns.md.",
    )
    parser.set_defaults(execute=lambda options: parser.print_help() or ExitStatus.PASS)
    below = parser.add_subparsers(title="kinds and commands", metavar="KIND")
    for kind in KINDS.values():
        _add_kind(below.add_parser(kind.name, help=kind.doc, description=f"A campaign of {kind.doc}."), kind)
    resume = below.add_parser("resume", help="go on with a campaign", description="Do all jobs that are not done.")
    resume.add_argument("file", type=Path, metavar="FILE")
    _add_workers(resume)
    resume.set_defaults(execute=_resume)
    report = below.add_parser(
        "report", help="what a campaign has found", description="Say what a campaign has found until now."
    )
    report.add_argument("file", type=Path, metavar="FILE")
    report.add_argument("-o", dest="page", type=Path, metavar="PAGE.html", help="write a page with plots")
    report.add_argument("--markdown", action="store_true", help="print a section of a page of the documentation")
    report.set_defaults(execute=_report)
    replay = below.add_parser(
        "replay", help="run a failure again", description="Run what has failed again, with waves if asked for."
    )
    replay.add_argument("file", type=Path, metavar="FILE")
    replay.add_argument("failure", type=integer(1, _LARGEST), metavar="N", help="its number in the report")
    replay.add_argument(
        "--on", choices=("native", "cxxrtl", "pysim"), help="simulator of the RTL (default: that of the campaign)"
    )
    replay.add_argument(
        "--waves", metavar="FILE.vcd", type=vcd_file, help="write waves, with --on cxxrtl or --on pysim"
    )
    replay.set_defaults(execute=_replay)


def _add_kind(parser: argparse.ArgumentParser, kind: Kind) -> None:
    """The options of a new campaign."""
    parser.add_argument(
        "--count", type=integer(1, _LARGEST), required=True, metavar="N", help=f"compare at least N {kind.unit}"
    )
    parser.add_argument(
        "--seed", type=integer(0, _LARGEST - 1), default=1, metavar="S", help="of the first run (default: 1)"
    )
    add_config(parser, kind.config)
    parser.add_argument("--on", choices=_ENGINES, default="native", help="simulator of the RTL (default: native)")
    parser.add_argument(
        "--file", type=Path, metavar="FILE", help=f"all results (default: campaign-{kind.name}-S.sqlite)"
    )
    parser.add_argument(
        "--size",
        type=integer(1, _LARGEST),
        default=kind.size,
        metavar="N",
        help=f"{kind.unit} of a job, at least: some seconds of work (default: {kind.size:,})",
    )
    parser.add_argument(
        "--round",
        type=integer(1, _LARGEST),
        metavar="N",
        help="jobs of a round: what is rare gets more weight two rounds later, and two rounds are all that is done at a time "
        "(default: a fiftieth of all, at least 8)",
    )
    parser.add_argument(
        "--shrink-runs",
        type=integer(0, 1 << 20),
        default=kind.most_shrinking,
        metavar="N",
        help=f"make a failure small with at most N runs; 0: not at all (default: {kind.most_shrinking})",
    )
    parser.add_argument("--no-steering", action="store_true", help="cells that are rare get no more weight")
    _add_workers(parser)
    parser.set_defaults(execute=_begin, kind=kind)


def _add_workers(parser: argparse.ArgumentParser) -> None:
    """The options that say who works."""
    parser.add_argument(
        "--workers",
        type=integer(1, 1024),
        metavar="N",
        help="processes on this machine (default: as many as it has cores)",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="a scheduler of Dask like tcp://host:8786, whose workers do the jobs"
    )
    parser.add_argument(
        "--failures",
        type=integer(1, _LARGEST),
        default=100,
        metavar="N",
        help="begin no job any more when so many have failed (default: 100)",
    )
    parser.add_argument(
        "--save",
        type=Path,
        default=Path("campaign-failures"),
        metavar="DIR",
        help="folder for what is left of failures, and what is said about them (default: campaign-failures)",
    )


def _begin(options: argparse.Namespace) -> int:
    kind: Kind = options.kind
    if options.config not in kind.configs:
        raise BadInput(f"{kind.name} do not run on {options.config}: --config is one of {', '.join(kind.configs)}")
    settings = Settings(
        kind=kind.name,
        count=options.count,
        seed=options.seed,
        config=options.config,
        errata=(config_words(options)[3:] or [""])[0],
        on=options.on,
        size=options.size,
        round=options.round or round_for(options.count, options.size),
        shrink_runs=options.shrink_runs,
        steer=not options.no_steering,
    )
    path = options.file or Path(f"campaign-{kind.name}-{options.seed}.sqlite")
    _check(options)
    store = Store.create(path, settings)
    try:
        return _work(store, options)
    finally:
        store.close()


def _resume(options: argparse.Namespace) -> int:
    _check(options)
    store = Store(options.file, writes=True)
    try:
        return _work(store, options)
    finally:
        store.close()


def _check(options: argparse.Namespace) -> None:
    if options.workers and options.scheduler:
        raise BadInput("--workers is for this machine, and --scheduler for others: leave one of them out")


def _work(store: Store, options: argparse.Namespace) -> int:
    """Do what is left."""
    settings, unit = store.settings, KINDS[store.settings.kind].unit
    if store.pending:
        with (
            open_cluster(options.workers or cores(), options.scheduler) as cluster,
            tqdm(
                total=settings.count,
                initial=min(store.progress.units, settings.count),
                unit=f" {unit}",
                unit_scale=True,
                disable=not sys.stderr.isatty(),
                leave=False,
            ) as progress,
        ):
            store.begin(cluster.workers)

            def told(number: int, result: Result) -> None:
                for line in _saved(store, options.save, number) if result.failures else ():
                    progress.write(line)
                progress.set_postfix_str(
                    f"coverage {share(*store.covered.total)}, {store.progress.failures} failures", refresh=False
                )
                progress.update(result.units)

            try:
                run_campaign(store, cluster, told, options.failures)
            except KeyboardInterrupt:
                progress.close()
                print("\n".join([*head(store), f"go on with: vc4 campaign resume {store.path}"]))
                raise
    # Whoever has found them may have died before they were all written.
    for kept in store.failures():
        if not (options.save / _folder(store, kept.number)).exists():
            list(_saved(store, options.save, kept.job))
    print("\n".join(head(store)))
    if store.pending:
        print(f"go on with: vc4 campaign resume {store.path}")
    return ExitStatus.DIFFERS if store.progress.failures else ExitStatus.PASS


def _folder(store: Store, number: int) -> str:
    return f"{store.path.stem}-{number}"


def _saved(store: Store, save: Path, job: int) -> list[str]:
    """Write down the failures of a job; returns what is said about them."""
    said = []
    for kept in store.failures():
        if kept.job != job:
            continue
        folder = save / _folder(store, kept.number)
        folder.mkdir(parents=True, exist_ok=True)
        lines = list(failure_lines(store, kept, str(folder)))
        for name, data in kept.failure.files.items():
            (folder / name).write_bytes(data)
        (folder / "failure.txt").write_text("\n".join(lines) + "\n")
        said += lines
    return said


def _report(options: argparse.Namespace) -> int:
    if options.page and options.markdown:
        raise BadInput("-o is for a page, and --markdown for a text: leave one of them out")
    store = Store(options.file, writes=False)
    try:
        if options.page:
            from ..campaign.page import page

            options.page.write_text(page(store), encoding="utf-8")
        else:
            print("\n".join(markdown(store) if options.markdown else text(store)))
    finally:
        store.close()
    return ExitStatus.PASS


def _replay(options: argparse.Namespace) -> int:
    store = Store(options.file, writes=False)
    try:
        kept = next((kept for kept in store.failures() if kept.number == options.failure), None)
        if kept is None:
            raise BadInput(f"{options.file}: there is no failure {options.failure}")
        job, settings = store.job(kept.job), store.settings
    finally:
        store.close()
    on = options.on or settings.on
    if options.waves and not ENGINES[on].has_waves:
        raise BadInput("--waves is for a simulator that writes them: add --on pysim, or --on cxxrtl")
    kind = KINDS[settings.kind]
    assert job is not None  # it is done, so its cells are known
    waves = Waves(options.waves) if options.waves else None
    try:
        done = kind.run(settings, kept.failure.seed, job.cells, Cells(kind.groups(settings)), on=on, waves=waves)
    except (Difference, AssertionError) as error:
        print(f"{what_of(error)} at seed {kept.failure.seed}: {error}")
        return ExitStatus.DIFFERS
    print(f"no difference at seed {kept.failure.seed}: {done.units:,} {kind.unit}")
    return ExitStatus.PASS
