"""What the Rust crates depend on: licences, sources and exceptions are those of ``deny.toml``."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def rules():
    return tomllib.loads((ROOT / "deny.toml").read_text())


@pytest.fixture(scope="module")
def metadata(rules):
    """All that cargo knows of the dependencies on the system that is tested."""
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo to ask")
    platform = rules["graph"]["targets"][0]
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--all-features"]
    run = subprocess.run(
        [*command, f"--filter-platform={platform}"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_licences_are_allowed_and_all_that_are_allowed_are_needed(rules, metadata):
    allowed = set(rules["licenses"]["allow"])
    for package in metadata["packages"]:
        licence = package["license"]
        assert licence, f"{package['name']} has no licence"
        assert suits(licence, allowed), f"{package['name']}: {licence}"
    for name in allowed:
        rest = allowed - {name}
        licences = [package["license"] for package in metadata["packages"]]
        assert not all(suits(licence, rest) for licence in licences), f"nothing needs {name}"


def test_packages_come_from_the_registry(rules, metadata):
    registry = {f"registry+{url}" for url in rules["sources"]["allow-registry"]}
    for package in metadata["packages"]:
        own = package["source"] is None and Path(package["manifest_path"]).is_relative_to(ROOT)
        assert own or package["source"] in registry, package["id"]


def test_an_unmaintained_package_comes_by_the_excused_way_only(rules, metadata):
    names = {package["id"]: package["name"] for package in metadata["packages"]}
    users = {}
    for node in metadata["resolve"]["nodes"]:
        for dependency in node["dependencies"]:
            users.setdefault(names[dependency], set()).add(names[node["id"]])
    for rule in rules["bans"]["deny"]:
        found = users.get(rule["crate"], set())
        assert found, f"{rule['crate']} is gone: take its exception out of deny.toml"
        assert found <= set(rule["wrappers"]), f"{rule['crate']} also comes by {found}"


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT/Apache-2.0", True),
        ("GPL-2.0-only OR MIT", True),
        ("GPL-2.0-only AND MIT", False),
        ("(GPL-2.0-only OR MIT) AND Zlib", True),
        ("GPL-2.0-only OR MIT AND Unlicense", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("MIT WITH LLVM-exception", False),
    ],
)
def test_expressions_of_licences(expression, verdict):
    allowed = {"MIT", "Zlib", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"}
    assert suits(expression, allowed) is verdict


def suits(expression, allowed):
    """Whether an SPDX expression can be met by the allowed licences; AND binds before OR."""
    expression = expression.replace("/", " OR ")
    words = re.findall(r"\(|\)|\bAND\b|\bOR\b|[\w.+-]+(?: WITH [\w.-]+)?", expression)
    value = {"(": "(", ")": ")", "AND": "and", "OR": "or"}
    code = " ".join(value.get(word, str(word in allowed)) for word in words)
    return eval(code, {"__builtins__": {}})
