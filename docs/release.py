"""What a release is made of: the check of its version, its notes, and archives of the command line.

    python3 docs/release.py check [v1.2.3]      version numbers agree, also with the tag
    python3 docs/release.py notes               the changes of this version, from CHANGELOG.md
    python3 docs/release.py archive TARGET OUT  the binary of a target, its licences and its parts

Archives of the same files have the same bytes: names are sorted, times and owners are left out.
"""

from __future__ import annotations

import io
import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BESIDE = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"]
#: The earliest time that zip archives can store.
EARLIEST = (1980, 1, 1, 0, 0, 0)


def version() -> str:
    """Return the version of the workspace: that of all crates and of the Python package."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    return manifest["workspace"]["package"]["version"]


def check(tag: str | None = None) -> list[str]:
    """Return what disagrees with the version of the workspace."""
    wrong, expected = [], version()
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    for name, needed in manifest["dependencies"].items():
        if isinstance(needed, dict) and "path" in needed and needed["version"] != expected:
            wrong.append(f"Cargo.toml: {name} is needed in version {needed['version']}")
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    if cited is None or cited[1] != expected:
        wrong.append("CITATION.cff: another version")
    if tag and tag != f"v{expected}":
        wrong.append(f"the tag is {tag}")
    if tag and not re.search(rf"^## {re.escape(expected)}\b", changelog(), re.MULTILINE):
        wrong.append(f"CHANGELOG.md: no section {expected}")
    return wrong


def changelog() -> str:
    """Return the whole list of changes."""
    return (ROOT / "CHANGELOG.md").read_text()


def notes() -> str:
    """Return the section of this version, or of what is not released."""
    sections = re.split(r"^## ", changelog(), flags=re.MULTILINE)[1:]
    mine = [one for one in sections if one.startswith(version())]
    return (mine or sections)[0].partition("\n")[2].strip()


def archive(target: str, out: Path) -> Path:
    """Write the archive of a target, zipped for Windows, and return where it is."""
    is_windows = "windows" in target
    binary = ROOT / "target" / target / "dist" / ("mercer.exe" if is_windows else "mercer")
    parts = sorted((ROOT / "crates" / "mercer-cli").glob("*.cdx.json"))
    name = f"mercer-{version()}-{target}"
    files = {f"{name}/{path.name}": path.read_bytes() for path in [binary, *parts]}
    files |= {f"{name}/{one}": (ROOT / one).read_bytes() for one in BESIDE}
    out.mkdir(parents=True, exist_ok=True)
    write = write_zip if is_windows else write_tar
    return write(out / name, dict(sorted(files.items())), f"{name}/{binary.name}")


def write_tar(place: Path, files: dict[str, bytes], program: str) -> Path:
    """Write a tar archive, compressed by xz."""
    place = place.with_name(f"{place.name}.tar.xz")
    with tarfile.open(place, "w:xz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755 if name == program else 0o644
            tar.addfile(entry, io.BytesIO(content))
    return place


def write_zip(place: Path, files: dict[str, bytes], program: str) -> Path:
    """Write a zip archive."""
    place = place.with_name(f"{place.name}.zip")
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr = (0o755 if name == program else 0o644) << 16
            zipped.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return place


def main(words: list[str]) -> int:
    """Do what the first word names; the exit code."""
    match words:
        case ["check", *tag] if len(tag) < 2:
            wrong = check(*tag)
            print(*(wrong or [f"version {version()}"]), sep="\n")
            return int(bool(wrong))
        case ["notes"]:
            print(notes())
        case ["archive", target, out]:
            print(archive(target, Path(out)))
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
