"""A short soak; and that a soak sees what it is there to see."""

import os
import subprocess
import sys
from pathlib import Path

from soaking.watch import Ledger, Reading, complaints
from soaking.work import JOBS

SCRIPT = Path(__file__).with_name("soak.py")


def test_a_short_soak_finds_nothing():
    run = subprocess.run(
        # So short a run is all warm-up: only a gross leak can be told from it.
        [sys.executable, str(SCRIPT), "--seconds", "8", "--workers", "3", "--slack", "64"],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"PYTHONPATH": str(SCRIPT.parents[1])},
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "all results the same, nothing grew" in run.stdout
    for job in (*JOBS, "Ctrl-C"):
        assert f"\n{job} " in run.stdout, job


def test_a_result_that_changes_is_seen():
    ledger = Ledger()
    for variant, result in ((0, b"a"), (1, b"b"), (0, b"a")):
        ledger.ran("job", variant, result, 0.1)
    assert not ledger.failures
    ledger.ran("job", 1, b"a", 0.1)
    assert ledger.failures == ["job: variant 1 has another result than before"]
    assert ledger.runs["job"] == 4


def test_a_leak_is_seen_and_warm_up_is_none():
    slack = 16e6

    def found(sizes, files=5):
        readings = [Reading(i, int(size), 5, 3) for i, size in enumerate(sizes)]
        readings[-1].files = files
        return complaints(readings, slack)

    flat = [100e6 + 3e6 * (i % 2) for i in range(30)]
    assert not found(flat)
    assert not found([50e6] * 8 + flat)
    assert "memory rose by" in found([100e6 + i * slack / 15 for i in range(30)])[0]
    assert found(flat, files=6) == ["files rose from 5 to 6"]
