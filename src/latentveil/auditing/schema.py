"""The content of audit.json as this version writes it, from that of any version that is still read."""

from __future__ import annotations

from typing import Any

from latentveil.errors import InputError
from latentveil.results.audit import SCHEMA
from latentveil.types import STATIC

# Schema 1 named a reading from stills by this, glued to the name of the secret.
STILLS_SUFFIX = "_static"
# What every audit.json has, whatever its schema.
AUDIT_KEYS = {"secrets", "tasks", "summary"}


def as_current_schema(values: Any) -> dict[str, Any]:
    """Refuse what is no audit.json, and give schema 1 the layout of schema 2."""
    if not isinstance(values, dict) or not set(values) >= AUDIT_KEYS:
        raise InputError("it must have secrets, tasks and summary, got other content.")
    schema = values.get("schema")
    if schema not in (1, SCHEMA):
        raise InputError(f"schema must be 1 or {SCHEMA}, got {schema!r}. Audit again with this version.")
    if schema == SCHEMA:
        return values
    try:
        return _from_schema_1(values)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise InputError(
            f"it must have the layout of schema 1, got other content ({error!r:.80})."
        ) from error


def _from_schema_1(values: dict[str, Any]) -> dict[str, Any]:
    secrets: dict[str, dict[str, Any]] = {}
    for key, entry in values["secrets"].items():  # a secret's temporal clips come before its stills
        name = key.removesuffix(STILLS_SUFFIX) if entry["kind"] == STATIC else key
        reading = entry | {"secret": name}
        if name in secrets:
            secrets[name]["stills"] = reading
        else:
            secrets[name] = reading
    inversion = values.get("inversion")
    if inversion is not None:
        attribute = dict(inversion["attribute"])
        told = {"secret": attribute.pop("secret"), "chance": attribute.pop("chance")}
        inversion = inversion | {"attribute": told | {"named": attribute}}
    return values | {"schema": SCHEMA, "secrets": secrets, "inversion": inversion}
