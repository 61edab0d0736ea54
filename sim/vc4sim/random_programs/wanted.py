"""What random programs are to have more of: a value that a generator is given, so that seed and value together decide a run."""

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

__all__ = ["NOTHING", "Fields", "Wanted", "Wish"]

#: Names of fields, and the values of which each gets one.
Fields = Mapping[str, Sequence[Any]]


class Wish(NamedTuple):
    """Fields that are wanted.

    form : what is to have them, a name that the generator knows
    fields : see `Fields`
    weight : how much, compared to other wishes
    """

    form: str
    fields: Fields
    weight: int


class Wanted:
    """Draws wishes.

    wishes : all of them
    share : of what is drawn, so much is what somebody wants; the rest is as it would be without wishes
    """

    def __init__(self, wishes: Iterable[Wish] = (), share: float = 0.3):
        self._share = share
        self._fields: dict[str, list[Fields]] = {}
        weights: dict[str, list[int]] = {}
        for wish in wishes:
            self._fields.setdefault(wish.form, []).append(wish.fields)
            weights.setdefault(wish.form, []).append(wish.weight)
        self._weights = {form: list(accumulate(some)) for form, some in weights.items()}

    def draw(self, random_: random.Random, *forms: str) -> tuple[str, dict[str, Any]] | None:
        """A wish of one of some forms: which, and a value for each of its fields; mostly `None`, and always if there is none.

        Nothing is taken from `random_` if there is none, so a seed without wishes makes what it has always made.
        """
        known = [form for form in forms if form in self._fields]
        if not known or random_.random() >= self._share:
            return None
        totals = [self._weights[form][-1] for form in known]
        (form,) = random_.choices(known, totals)
        (fields,) = random_.choices(self._fields[form], cum_weights=self._weights[form])
        return form, {name: random_.choice(values) for name, values in fields.items()}


#: No wishes.
NOTHING = Wanted()
