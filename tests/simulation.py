"""A simulation that is built once and used again: to build one takes longer than most tests run."""

from collections.abc import Callable
from functools import lru_cache

from amaranth.lib import wiring
from amaranth.sim import Simulator

__all__ = ["Simulation", "simulation_of"]


class Simulation:
    """Amaranth's simulator of a device; each run begins with a reset, and has testbenches of its own."""

    def __init__(self, device, *, clock=True):
        self._simulator = Simulator(device)
        if clock:
            self._simulator.add_clock(1e-8)
        self._foreground, self._background = [], []

    def run(self, *benches, background=()):
        """Until all `benches` have ended; those in the background run beside them."""
        self._simulator.reset()
        self._fill(self._foreground, benches, background=False)
        self._fill(self._background, background, background=True)
        self._simulator.run()

    def _fill(self, places, benches, *, background):
        """The simulator keeps its testbenches for ever, so they are places, some of which may be empty."""
        while len(places) < len(benches):
            self._add(places, background)
        places[:] = [*benches, *[None] * (len(places) - len(benches))]

    def _add(self, places, background):
        index = len(places)
        places.append(None)

        async def bench(ctx):
            if places[index]:
                await places[index](ctx)

        self._simulator.add_testbench(bench, background=background)


@lru_cache(maxsize=4)
def simulation_of(kind: Callable[..., wiring.Component], *parameters) -> tuple[Simulation, wiring.Component]:
    """The simulation of a component and the component: a module's tests share it."""
    device = kind(*parameters)
    return Simulation(device), device
