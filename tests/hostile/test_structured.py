"""Whatever stands at any place of a manifest, an audit, a footer or a CSV file: it is read or refused."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from latentveil.auditing.result import load_audit
from latentveil.errors import InputError
from latentveil.labels import Labels, read_segments
from latentveil.report.page import render_html, render_markdown
from latentveil.store import FeatureStore
from latentveil.store.footer import Footer, VideoRows

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
trees = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
# What Python reads from JSON and can then neither calculate with nor write.
unusual = st.sampled_from([10**400, -(10**400), "\ud800"])
anything = unusual | trees
several = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def places(tree, path=()):
    """The way to every value of a tree."""
    yield path
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for name, value in inner:
        yield from places(value, (*path, name))


def replaced(tree, path, value):
    if not path:
        return value
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[path[0]] = replaced(tree[path[0]], path[1:], value)
    return copy


@pytest.fixture(scope="module")
def sound_audit(tmp_path_factory):
    from latentveil.auditing.result import Audit
    from latentveil.results.audit import AuditedData, Summary
    from tests.conftest import make_reading

    audit = Audit(
        version="0",
        encoder=None,
        adapter=None,
        data=AuditedData(videos=10, clips=30, labels="labels.csv"),
        seed=0,
        secrets={"identity": make_reading(stills=make_reading(kind="static"))},
        tasks={},
        summary=Summary(leakage_removed=0.6, utility_kept=None, nhv=None),
    )
    return json.loads((audit.save(tmp_path_factory.mktemp("audit")) / "audit.json").read_text())


@given(st.data())
@several
def test_any_value_at_any_place_of_an_audit(sound_audit, tmp_path, data):
    path = data.draw(st.sampled_from(list(places(sound_audit))))
    (tmp_path / "audit.json").write_text(json.dumps(replaced(sound_audit, path, data.draw(anything))))
    with suppress(InputError):
        audit = load_audit(tmp_path)
        assert render_html(audit).encode()
        assert render_markdown(audit).encode()


@given(st.data())
@several
def test_any_value_at_any_place_of_a_manifest(toy_folder, tmp_path, data):
    raw = toy_folder / "raw"
    sound = json.loads((raw / "manifest.json").read_text())
    path = data.draw(st.sampled_from(list(places(sound))))
    for shard in raw.glob("shard-*"):
        if not (tmp_path / shard.name).exists():
            (tmp_path / shard.name).symlink_to(shard)
    (tmp_path / "manifest.json").write_text(json.dumps(replaced(sound, path, data.draw(anything))))
    with suppress(InputError):
        found = FeatureStore(tmp_path).read()
        assert found.feature.shape == (len(found), 24)


@given(st.data())
@several
def test_any_value_at_any_place_of_a_footer(data):
    videos = (VideoRows("a", 1, 2), VideoRows("b", 0, 1))
    sound = json.loads(Footer("0" * 64, "1" * 64, videos, (24.0, 25.0), None, ("2" * 64,)).to_json())
    path = data.draw(st.sampled_from(list(places(sound))))
    with suppress(KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError):
        footer = Footer.from_json(json.dumps(replaced(sound, path, data.draw(anything))))
        assert Footer.from_json(footer.to_json()).fingerprint == footer.fingerprint


@given(st.binary(max_size=200), st.sampled_from([Labels.read, read_segments]), st.integers(0, 3))
@several
def test_any_bytes_as_a_csv_file(tmp_path, content, read, rows):
    header = b"video,split,start_seconds,end_seconds,label\n" + b"a,train,0,1,x\n" * rows
    path = Path(tmp_path) / "labels.csv"
    path.write_bytes(header[: 200 - len(content)] + content)
    with suppress(InputError):
        assert read(path) is not None
