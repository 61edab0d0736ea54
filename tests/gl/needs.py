"""What the C library is built with, for tests that are skipped without."""

import shutil
import sysconfig
from pathlib import Path

import pytest

__all__ = ["needs_c"]

_HEADER = Path(sysconfig.get_path("include")) / "Python.h"
_LACKS = [name for name in ("cc", "pkg-config") if not shutil.which(name)]
_LACKS += ["Python as a shared library, with headers"] * (
    not (sysconfig.get_config_var("Py_ENABLE_SHARED") and _HEADER.exists())
)

needs_c = pytest.mark.skipif(bool(_LACKS), reason=f"needs {', '.join(_LACKS)}")
