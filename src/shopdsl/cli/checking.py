"""Findings of packages and files, kept on disk by the digest of all that they depend on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from shopdsl import __version__
from shopdsl.cli.common import Trouble, package_folder

Rows = list[dict[str, Any]]


def findings(paths: tuple[Path, ...], package: Path | None) -> tuple[Rows, str]:
    """All findings of the paths (files, or packages), as data and as text."""
    rows: Rows = []
    texts: list[str] = []
    for folder, extra, only in _targets(paths, package):
        found, text = _cached(folder, extra, only)
        rows += [{**r, "path": _from_here(folder, r["file"])} for r in found]
        texts += [text.rstrip("\n")] if text else []
    return rows, "\n\n".join(texts) + ("\n" if texts else "")


Target = tuple[Path, tuple[Path, ...], Path | None]


def _targets(paths: tuple[Path, ...], package: Path | None) -> list[Target]:
    """For each path its package's folder, files beside a package, and the file that is asked about."""
    from shopdsl.compiler.packages import MANIFEST, nearest_package

    if not paths:
        return [(package_folder(package), (), None)]
    result: list[Target] = []
    for path in paths:
        if not path.exists():
            raise Trouble(f"{path} does not exist", 2)
        here = nearest_package(path.resolve() if path.is_dir() else path.resolve().parent)
        if path.is_dir():
            if here is None:
                raise Trouble(f"{path} is in no package: no {MANIFEST} here or above", 2)
            result.append((here, (), None if (path / MANIFEST).is_file() else path.resolve()))
        elif here is None:
            result.append((path.resolve().parent, (path,), path.resolve()))
        else:
            result.append((here, (), path.resolve()))
    return result


MOST = 50_000_000
_TEXTS = ("code", "severity", "file", "message", "help")
_PLACES = ("line", "column", "end_line", "end_column")


def _cached(folder: Path, extra: tuple[Path, ...], only: Path | None) -> tuple[Rows, str]:
    from shopdsl.dsl.cache import cache_folder, keep_bytes, kept_bytes

    path = cache_folder() / "check" / f"{_key(folder, extra, only)}.json"
    known = _kept(kept_bytes(path, MOST) or b"")
    if known is not None:
        return known
    rows, text = _find(folder, extra, only)
    keep_bytes(path, json.dumps({"rows": rows, "text": text}).encode())
    return rows, text


def _kept(data: bytes) -> tuple[Rows, str] | None:
    """Findings as they were kept, or None where the data are anything else."""
    try:
        match json.loads(data):
            case {"rows": [*rows], "text": str(text)} if all(map(_is_row, rows)):
                text.encode()  # half a surrogate pair is no text
                return rows, text
    except (ValueError, RecursionError):
        pass
    return None


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict) or {*row} != {*_TEXTS, *_PLACES} or "\0" in str(row["file"]):
        return False
    return all(isinstance(row[k], str) and row[k].encode() is not None for k in _TEXTS) and all(
        type(row[k]) is int for k in _PLACES
    )


def _key(folder: Path, extra: tuple[Path, ...], only: Path | None) -> str:
    from shopdsl.compiler.packages import standard_folder

    total = blake2b(digest_size=20)
    total.update(os.fsencode(f"{__version__}\0{os.environ.get('SHOPDSL_PATH', '')}\0{only}\0{folder.resolve()}\0"))
    code = Path(__file__).resolve().parents[3]
    ours = [
        p
        for part in ("dsl", "compiler")
        for p in sorted((standard_folder().parent / part).rglob("*"))
        if p.suffix in (".py", ".lark", ".json")
    ]
    for path in ours:
        stat = path.stat()
        total.update(
            f"{path.relative_to(code) if path.is_relative_to(code) else path.name}\0{stat.st_mtime_ns}\0{stat.st_size}\0".encode()
        )
    around = [] if extra else [*_specs(folder), *_specs(folder.parent, siblings=True)]
    for path in [*around, *_specs(standard_folder()), *extra]:
        total.update(os.fsencode(f"{path}\0"))
        try:
            total.update(path.read_bytes() if path.is_file() and path.stat().st_size < 64_000_000 else b"?")
        except OSError:
            total.update(b"unreadable")
    return total.hexdigest()


def _specs(folder: Path, siblings: bool = False) -> Iterable[Path]:
    """The specs and data files of a package; of its siblings only those that are packages."""
    if not siblings:
        return sorted(
            Path(at) / name for at, _, names in os.walk(folder) for name in names if name.endswith((".yaml", ".yml", ".json"))
        )
    try:
        return [p for f in sorted(folder.iterdir()) if (f / "shopdsl.yaml").is_file() for p in _specs(f)]
    except OSError:
        return []


def _from_here(folder: Path, file: str) -> str:
    """A file as seen from the current folder, for tools that know no packages."""
    path = folder / file
    return os.path.relpath(path) if path.is_file() else file


def _find(folder: Path, extra: tuple[Path, ...], only: Path | None) -> tuple[Rows, str]:
    from shopdsl.compiler.check import check
    from shopdsl.compiler.packages import load
    from shopdsl.compiler.unit import Unit
    from shopdsl.dsl.diagnostics import Sink, render

    sink = Sink()
    workspace = load(folder, sink, extra)
    check(Unit(workspace, sink), workspace.main.name)
    found = [d for d in sink.all() if only is None or d.span is None or _within(folder, d.span.source.path, only, extra)]
    return render.as_data(found), render.text(found)


def _within(folder: Path, shown: str, only: Path, extra: tuple[Path, ...]) -> bool:
    path = only if extra and shown == only.name else (folder / shown).resolve()
    return path == only or only in path.parents
