"""What is told when RTL and model have done different things."""

from ..events import Retirement

__all__ = ["Difference"]


class Difference(Exception):
    """RTL and model have done different things; the text shows both sides and what came before."""

    def __init__(self, what: str, rtl: object, model: object, history: list[Retirement]):
        self.what = what
        lines = [what, *(f"        {event}" for event in history), f"  rtl   {rtl}", f"  model {model}"]
        super().__init__("\n".join(lines))
