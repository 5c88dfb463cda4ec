#!/bin/sh
# No line of the screen is forgotten in another language.
cd "${TOP:-.}/src" || exit 99
command -v python3 >/dev/null 2>&1 || exit 77
python3 ../tests/house/texts.py ../share/texts/*.txt
