"""What a run leaves behind: a table on the terminal, a JSON file and a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.harness import Result
from bench.limits import Limits
from bench.picture import draw

HEADER = ("case", "ours", "rival", "ratio (range)", "target", "memory ours / rival", "limit", "")


def seconds_text(seconds: float) -> str:
    """A duration in the unit that suits it."""
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1e3:.2f} ms"


def bytes_text(size: float) -> str:
    """A size in MiB or GiB."""
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def _ratio_text(result: Result) -> str:
    if result.rival is None:
        return "alone"
    one = result.comparisons[result.rival]
    return f"{one.ratio:.2f}× ({one.low:.2f}–{one.high:.2f})"


def _target_text(result: Result) -> str:
    parts = [] if result.ratio_target is None else [f"≥ {result.ratio_target:g}×"]
    if result.memory_target is not None:
        parts.append(f"≤ {bytes_text(result.memory_target)} {result.memory_kind}")
    return ", ".join(parts)


def _memory_text(result: Result) -> str:
    names = [name for name in (result.ours, result.rival) if name in result.memory]
    kind = result.memory_kind or "above"
    return " / ".join(bytes_text(result.memory[name].figure(kind)) for name in names)


def row(result: Result) -> tuple[str, ...]:
    """The cells of one case."""
    if result.status in ("FAILED", "CRASHED"):
        return (result.name, "", "", "", "", "", "", result.status)
    rival = seconds_text(result.median(result.rival)) if result.rival else ""
    return (
        result.name,
        seconds_text(result.median(result.ours)),
        rival,
        _ratio_text(result),
        _target_text(result),
        _memory_text(result),
        f"{100 * (result.share or 0.0):.0f} %",
        result.status,
    )


def _notes(result: Result) -> list[str]:
    """Lines below the table: sources, who was left out, and reasons."""
    lines = [f"{result.name}: {result.work}; data: {result.source}"]
    if result.error:
        return [*lines, *("    " + line for line in result.error.splitlines())]
    lines.append(f"    agreement of {result.ours}: {result.verdicts[result.ours]}")
    for name, one in result.comparisons.items():
        mark = " (counts)" if name == result.rival else ""
        time = seconds_text(result.median(name))
        lines.append(f"    {name}{mark}: {time}, {one.ratio:.2f}×")
    lines += [f"    {name}: not timed, {reason}" for name, reason in result.left_out.items()]
    lines += [f"    BELOW TARGET: {miss}" for miss in result.missed]
    if result.share is not None and result.share < 0.5:
        lines.append(f"    below half of the limit: {result.why or 'no reason given'}")
    return lines


def limits_text(limits: Limits) -> str:
    """One line on the machine."""
    return (
        f"limits with {limits.threads} threads: GEMM {limits.gemm_f64 / 1e9:.0f} GFLOP/s f64, "
        f"{limits.gemm_f32 / 1e9:.0f} f32; memory {limits.read / 1e9:.1f} GB/s read, "
        f"{limits.write / 1e9:.1f} write, {limits.copy / 1e9:.1f} copy, "
        f"{limits.first_touch / 1e9:.1f} fresh pages"
    )


def table(results: Sequence[Result], limits: Limits) -> str:
    """The whole report as text."""
    rows = [HEADER, *(row(result) for result in results)]
    widths = [max(len(cells[i]) for cells in rows) for i in range(len(HEADER))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows]
    lines.insert(1, "-" * max(len(line) for line in lines))
    notes = [line for result in results for line in _notes(result)]
    return "\n".join([*lines, "", *notes, "", limits_text(limits)])


def as_json(results: Sequence[Result], limits: Limits, about: dict[str, Any]) -> str:
    """Everything measured, for machines."""
    cases = [_case_json(result) for result in results]
    return json.dumps({**about, "limits": asdict(limits), "cases": cases}, indent=1) + "\n"


def _case_json(result: Result) -> dict[str, Any]:
    fields = asdict(result)
    fields["medians"] = {name: result.median(name) for name in result.seconds}
    fields["verdicts"] = {
        name: {"ok": v.ok, "measured": dict(v.measured), "limits": dict(v.limits)}
        for name, v in result.verdicts.items()
    }
    fields["memory"] = {name: {**asdict(m), "above": m.above} for name, m in result.memory.items()}
    return fields


def write(
    folder: Path, results: Sequence[Result], limits: Limits, about: dict[str, Any]
) -> tuple[Path, Path]:
    """Write ``latest.json`` and ``latest.svg`` and say where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    data, drawing = folder / "latest.json", folder / "latest.svg"
    data.write_text(as_json(results, limits, about), encoding="utf-8")
    drawing.write_text(draw(results, limits_text(limits)), encoding="utf-8")
    return data, drawing
