"""Whether this process is a notebook's kernel, and output of a cell that is updated in place."""

from __future__ import annotations

import sys
from collections.abc import Callable

__all__ = ["in_notebook", "live_html"]


def in_notebook() -> bool:
    """Whether code runs in the kernel of a notebook: Jupyter, or an editor or service with the same protocol."""
    ipython = sys.modules.get("IPython")  # a kernel has imported it; nothing else needs it
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def live_html(html: str) -> Callable[[str], None]:
    """Show HTML in the cell that is running; the function that is returned replaces it."""
    from IPython.display import HTML, display

    handle = display(HTML(html), display_id=True)
    return lambda new: handle.update(HTML(new))
