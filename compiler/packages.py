"""Folders to packages: finds `shopdsl.yaml`, reads every document below it, and the packages it requires."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from shopdsl.compiler.kept import Heard, keep, kept
from shopdsl.compiler.shape import check_shape, kinds
from shopdsl.dsl.diagnostics import Sink, codes, nearest
from shopdsl.dsl.read import read_documents, read_source
from shopdsl.dsl.source import Source, Span
from shopdsl.dsl.tree import Mapping, Node, Scalar, plain

MANIFEST = "shopdsl.yaml"
STD = "std"
LANGUAGE = 1
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Document:
    """One document of a package; `node` is its mapping."""

    kind: str
    name: str
    node: Mapping
    package: str

    @property
    def span(self) -> Span:
        """The place of its name."""
        value = self.node.get("name")
        return value.span if value is not None else self.node.span


@dataclass
class Package:
    """A package as read: its manifest, and its documents by kind and name."""

    name: str
    folder: Path
    version: str = "0"
    default_suite: str | None = None
    requires: dict[str, tuple[str, Scalar]] = field(default_factory=dict)
    required_at: dict[str, Span] = field(default_factory=dict)
    default_suite_at: Span | None = None
    documents: dict[tuple[str, str], Document] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    sandbox: frozenset[str] = frozenset()
    """Hosts beside loopback that its specs may name: they are no production."""


@dataclass
class Workspace:
    """The package at hand, and all it can refer to."""

    main: Package
    others: dict[str, Package]

    @property
    def packages(self) -> list[Package]:
        return [self.main, *self.others.values()]

    @cached_property
    def _owner(self) -> dict[int, str]:
        return {id(source): p.name for p in self.packages for source in p.sources}

    def owner(self, span: Span) -> str:
        """The package in which something was written."""
        return self._owner.get(id(span.source), self.main.name)

    def package(self, name: str) -> Package | None:
        return next((p for p in self.packages if p.name == name), None)

    def find(self, kind: str, reference: str, package: str) -> Document | None:
        """A document by reference, as seen from a package: its own, else `std`."""
        head, dot, tail = reference.partition(".")
        places = [head] if dot else [package, STD]
        for place in places:
            found = self.package(place)
            if found and (document := found.documents.get((kind, tail if dot else reference))):
                return document
        return None

    def names(self, kind: str, package: str) -> list[str]:
        """The names that a reference from a package may use."""
        own = [n for k, n in (self.package(package) or self.main).documents if k == kind]
        std = self.package(STD)
        return sorted({*own, *(n for k, n in (std.documents if std else ()) if k == kind)})


def standard_folder() -> Path:
    """Where the standard package lies."""
    return Path(__file__).resolve().parents[1] / "specs"


def nearest_package(start: Path) -> Path | None:
    """The nearest folder upwards that holds `shopdsl.yaml`."""
    return next((f for f in (start, *start.parents) if (f / MANIFEST).is_file()), None)


def load(folder: Path, sink: Sink, extra: tuple[Path, ...] = ()) -> Workspace:
    """A package, the standard package and the required ones; `extra` are single files that join the package."""
    main = read_package(folder, sink, extra)
    workspace = Workspace(main, {})
    if main.name != STD:
        workspace.others[STD] = read_package(standard_folder(), sink, shown=STD)
    _require(workspace, main, sink)
    return workspace


def _require(workspace: Workspace, package: Package, sink: Sink) -> None:
    for name, (wanted, place) in sorted(package.requires.items()):
        if not _NAME.fullmatch(name):
            continue  # reported with the manifest's shape
        if workspace.package(name) is None:
            folder = _locate(name, package.folder)
            if folder is None:
                help = f"put it beside this package, as `../{name}`, or name its folder in SHOPDSL_PATH"
                sink.add(codes.PACKAGE_MISSING, f"the required package `{name}` is not there", package.required_at[name], help)
                continue
            found = read_package(folder, sink, shown=name)
            found.name = name
            workspace.others[name] = found
            _require(workspace, found, sink)
        _check_version(workspace.package(name), wanted, place, sink)


def _locate(name: str, beside: Path) -> Path | None:
    places = [beside.parent, *map(Path, filter(None, os.environ.get("SHOPDSL_PATH", "").split(os.pathsep)))]
    return next((p / name for p in places if (p / name / MANIFEST).is_file()), None)


def _check_version(package: Package | None, wanted: str, place: Scalar, sink: Sink) -> None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version

    if package is None or wanted == "*":
        return
    try:
        if not SpecifierSet(wanted).contains(Version(package.version), prereleases=True):
            message = f"`{package.name}` is version {package.version}, and {wanted} is required"
            sink.add(codes.PACKAGE_VERSION, message, place.span, "widen the range, or bring another version of the package")
    except InvalidSpecifier:
        help = 'write a range such as ">=0.1, <1", or "*"'
        sink.add(codes.PACKAGE_VERSION, f"`{wanted}` is not a range of versions", place.span, help)
    except InvalidVersion:
        help = f"mend `version` in the manifest of `{package.name}`, for example `0.1.0`"
        sink.add(codes.PACKAGE_VERSION, f"`{package.name}` has the version `{package.version}`, which is none", place.span, help)


def read_package(folder: Path, sink: Sink, extra: tuple[Path, ...] = (), shown: str = "") -> Package:
    """All documents of one folder, with every finding of its files reported."""
    package = Package(folder.resolve().name, folder)
    manifest = folder / MANIFEST
    prefix = f"{shown}/" if shown else ""
    if manifest.is_file():
        _read_manifest(package, manifest, prefix + MANIFEST, sink)
    files = [(p, prefix + p.relative_to(folder).as_posix()) for p in _files(folder)] if manifest.is_file() else []
    inside = {p.resolve() for p, _ in files}
    for path, name in [*files, *((p, str(p)) for p in extra if p.resolve() not in inside)]:
        source = read_source(path, name, sink)
        if source is not None:
            package.sources.append(source)
            for node in _nodes(path, "documents", source, _check_documents, sink):
                _add(package, node, sink)
    return package


def _nodes(path: Path, role: str, source: Source, look: Callable[[list[Node], Sink], None], sink: Sink) -> list[Node]:
    """The documents of a file, read and looked at; a file in which nothing was found is not read again."""
    known = kept(path, role, source)
    if known is not None:
        return known
    heard = Heard(sink)
    nodes = read_documents(source, heard)
    look(nodes, heard)
    if not heard.all():
        keep(path, role, source, nodes)
    return nodes


def _files(folder: Path) -> list[Path]:
    """Every spec below a folder, in order; hidden folders, `build`, `runs` and nested packages are left out."""
    result: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir():
            if path.name not in ("build", "runs") and not (path / MANIFEST).exists():
                result += _files(path)
        elif path.suffix in (".yaml", ".yml") and path.name != MANIFEST:
            result.append(path)
    return result


def _read_manifest(package: Package, path: Path, shown: str, sink: Sink) -> None:
    source = read_source(path, shown, sink)
    documents = _nodes(path, "manifest", source, _check_manifest, sink) if source is not None else []
    if source is not None:
        package.sources.append(source)
    if not documents or not isinstance(documents[0], Mapping):
        if source is not None:
            help = "write `shopdsl: 1`, `package: NAME`, `version: 0.1.0`"
            sink.add(codes.NOT_A_DOCUMENT, "this manifest is empty or not a mapping", Span(source, 0, 0), help)
        return
    node = documents[0]
    data = plain(node)
    assert isinstance(data, dict)
    version = node.get("shopdsl")
    if version is not None and str(data.get("shopdsl")) != str(LANGUAGE):
        message = f"this package is written in version {data.get('shopdsl')} of the language, and this is version {LANGUAGE}"
        sink.add(codes.LANGUAGE_VERSION, message, version.span, "install the shopdsl that it was written for")
    package.name = str(data.get("package") or package.name)
    package.version = str(data.get("version") or "0")
    package.default_suite = str(data["default_suite"]) if data.get("default_suite") else None
    suite = node.get("default_suite")
    package.default_suite_at = suite.span if suite is not None else None
    hosts = data.get("sandbox")
    package.sandbox = frozenset(str(h).lower() for h in hosts) if isinstance(hosts, list) else frozenset()
    requires = node.get("requires")
    if isinstance(requires, Mapping):
        package.requires = {k.text: (v.text, v) for k, v in requires if isinstance(v, Scalar)}
        package.required_at = {k.text: k.span for k, _ in requires}


def _check_manifest(nodes: list[Node], sink: Sink) -> None:
    if nodes and isinstance(nodes[0], Mapping):
        check_shape("package", nodes[0], sink)


def _check_documents(nodes: list[Node], sink: Sink) -> None:
    for node in nodes:
        _check_document(node, sink)


def _check_document(node: Node, sink: Sink) -> None:
    if not isinstance(node, Mapping):
        if not (isinstance(node, Scalar) and not node.text):
            help = "begin with `kind: …` and `name: …`"
            sink.add(codes.NOT_A_DOCUMENT, "a document must be a mapping with `kind` and `name`", node.span, help)
        return
    kind = node.get("kind")
    if kind is not None and not isinstance(kind, Scalar):
        sink.add(codes.WRONG_SHAPE, "`kind` is not a text", kind.span, f"one of {', '.join(kinds())}")
    elif kind is None:
        span = Span(node.span.source, node.span.start, node.span.start + 1)
        sink.add(codes.MISSING_KEY, "this document has no `kind`", span, f"begin with `kind:`, one of {', '.join(kinds())}")
    elif kind.text not in kinds():
        help = nearest(kind.text, kinds()) or f"kinds: {', '.join(kinds())}"
        sink.add(codes.UNKNOWN_KIND, f"`{kind.text}` is not a kind of document", kind.span, help)
    else:
        check_shape(kind.text, node, sink)


def _add(package: Package, node: Node, sink: Sink) -> None:
    """Add a document of a known kind that has a name; what is wrong with any other has been reported."""
    if not isinstance(node, Mapping):
        return
    kind, name = node.get("kind"), node.get("name")
    if not isinstance(kind, Scalar) or kind.text not in kinds() or not isinstance(name, Scalar):
        return
    document = Document(kind.text, name.text, node, package.name)
    first = package.documents.setdefault((kind.text, name.text), document)
    if first is not document:
        message = f"the {kind.text} `{name.text}` is defined twice, first at {first.span}"
        sink.add(codes.DUPLICATE_DOCUMENT, message, name.span, "rename one of the two")
