"""A release: versions that agree, workflows that name what exists, archives of the same bytes."""

import importlib.util
import re
import sys
import tarfile
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / ".github").exists():
    pytest.skip("not in the repository", allow_module_level=True)

WORKFLOWS = {path.stem: path.read_text() for path in (ROOT / ".github/workflows").glob("*.yml")}


@pytest.fixture(scope="module")
def release():
    spec = importlib.util.spec_from_file_location("release", ROOT / "docs/release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def jobs(name):
    return yaml.safe_load(WORKFLOWS[name])["jobs"]


def test_all_versions_agree(release):
    assert release.check() == []
    assert any("tag" in one for one in release.check("v0.0.0"))
    assert release.notes()


def test_workflows_run_what_exists(release):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    words = {"check", "notes", "archive"}
    for text in WORKFLOWS.values():
        assert set(re.findall(r"(?:run: |&& )make ([a-z-]+)", text)) <= targets
        assert set(re.findall(r"docs/release\.py (\w+)", text)) <= words
    assert "profile.dist" in (ROOT / "Cargo.toml").read_text()


def test_a_release_has_all_systems():
    systems = ["unknown-linux-gnu", "apple-darwin", "pc-windows-msvc"]
    for job, names in {"wheels": [*systems, "unknown-linux-musl"], "binaries": systems}.items():
        found = {one["target"] for one in jobs("release")[job]["strategy"]["matrix"]["include"]}
        assert found == {f"{cpu}-{name}" for cpu in ("x86_64", "aarch64") for name in names}


def test_what_is_published_was_built_and_checked():
    release = jobs("release")
    assert set(release["publish"]["needs"]) == {"wheels", "source", "binaries"}
    assert release["publish"]["if"] == "startsWith(github.ref, 'refs/tags/')"
    steps = str(release["publish"]["steps"])
    assert "twine check --strict" in steps
    assert "SHA256SUMS" in steps
    published = set(re.findall(r"--package ([a-z-]+)", steps))
    makefile = (ROOT / "Makefile").read_text()
    assert published == set(
        re.findall(r"--package ([a-z-]+)", makefile.partition("PUBLISHED :=")[2].splitlines()[0])
    )


@pytest.mark.skipif(sys.platform == "win32", reason="paths of the test are those of Unix")
def test_archives_of_the_same_files_have_the_same_bytes(release, tmp_path, monkeypatch):
    built = tmp_path / "target/some-linux/dist"
    built.mkdir(parents=True)
    (built / "mercer").write_bytes(b"program")
    (tmp_path / "crates/mercer-cli").mkdir(parents=True)
    (tmp_path / "crates/mercer-cli/mercer.cdx.json").write_text("{}")
    for name in ["Cargo.toml", *release.BESIDE]:
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    monkeypatch.setattr(release, "ROOT", tmp_path)
    one, two = (release.archive("some-linux", tmp_path / place) for place in ("a", "b"))
    assert one.read_bytes() == two.read_bytes()
    with tarfile.open(one) as tar:
        names = {Path(entry.name).name: entry for entry in tar}
    assert set(names) == {"mercer", "mercer.cdx.json", *release.BESIDE}
    assert names["mercer"].mode == 0o755
    assert names["mercer"].mtime == 0
