"""Tables in a Markdown file, written from the Records between two markers and never typed.

``<!-- reproduce:table2 -->`` opens the place of the exhibit of that name, ``<!-- /reproduce -->`` closes it.
Words after the name choose the lines of a cell: ``<!-- reproduce:table2 ours -->`` shows ours alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from unifilter.viz.exhibit import Exhibit, Plot, Table
from unifilter.viz.exhibit_text import Line, markdown, words_markdown

LINES: tuple[Line, ...] = ("printed", "ours", "difference")
_PLACE = re.compile(r"(<!-- reproduce:([\w-]+)((?: \w+)*) -->\n)(.*?)(<!-- /reproduce -->)", re.DOTALL)


def rewrite(text: str, exhibits: Mapping[str, Exhibit]) -> str:
    r"""The text with every place filled anew.

    Parameters
    ----------
    text : str
        Markdown.
    exhibits : dict by name
        Tables and words; plots are files of their own.

    Examples
    --------
    >>> from unifilter.viz.exhibit import Words
    >>> words = Words("w", "Errata", ["None."])
    >>> print(rewrite("<!-- reproduce:w -->\nold\n<!-- /reproduce -->", {"w": words}))
    <!-- reproduce:w -->
    ## Errata
    <BLANKLINE>
    None.
    <BLANKLINE>
    <!-- /reproduce -->
    """
    if text.count("<!-- reproduce:") != len(_PLACE.findall(text)):
        raise ValueError(
            "a place that opens with <!-- reproduce:NAME --> must close with <!-- /reproduce -->."
        )

    def fill(place: re.Match[str]) -> str:
        name, lines = place[2], place[3].split()
        exhibit = exhibits.get(name)
        if exhibit is None or isinstance(exhibit, Plot):
            known = ", ".join(n for n, e in exhibits.items() if not isinstance(e, Plot))
            raise ValueError(f"there is no table named {name!r}: there are {known}.")
        for line in lines:
            if line not in LINES:
                raise ValueError(f"a cell has the lines {', '.join(LINES)}, but {line!r} came.")
        if isinstance(exhibit, Table):
            chosen = tuple(line for line in LINES if line in lines or not lines)
            return f"{place[1]}{markdown(exhibit, chosen)}{place[5]}"
        return f"{place[1]}{words_markdown(exhibit)}{place[5]}"

    return _PLACE.sub(fill, text)
