"""The stages of a QPU as waves show them."""

__all__ = ["STAGE_TITLES"]

#: The stages as the guide calls them; what IO does for a quad is WB a clock later.
STAGE_TITLES = {
    "sp": "SP",
    "ra": "RA",
    "ra2": "RA2",
    "ru": "RU",
    "rr": "RR",
    "a0": "A0",
    "a1": "A1",
    "a2": "A2",
    "io": "IO/WB",
}
