"""Text of others as a terminal may show it: names of files can hold anything, even what rings a bell or moves lines."""

from __future__ import annotations

from unicodedata import category

# Bytes of a file's name that are no UTF-8 are these signs in Python, one for each byte.
FIRST_BYTE_SIGN, LAST_BYTE_SIGN, BYTES_BEGIN = "\udc80", "\udcff", 0xDC00


def printable(text: str) -> str:
    """The text with escapes such as ``\\x07`` for everything that is no letter, sign or space to be seen."""
    return "".join(map(_shown, text))


def _shown(sign: str) -> str:
    if sign.isprintable() or category(sign) == "Zs":
        return sign
    if FIRST_BYTE_SIGN <= sign <= LAST_BYTE_SIGN:
        return f"\\x{ord(sign) - BYTES_BEGIN:02x}"
    return repr(sign)[1:-1]
