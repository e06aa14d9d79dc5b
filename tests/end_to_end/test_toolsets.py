"""Records that a toolset declares and effects that change them, as agents meet them: specs in, records and conversations out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.puppets import Scripts, Stage, calls, records, run, stage

TOOLSET = """\
kind: toolset
name: lab
penalties:
  write: {unnecessary: 1, missing: 1, wrong: 1}
  lookup: {unnecessary: .1, missing: .1, wrong: .1}
records:
  person:
    fields: {first: text, last: {optional: text}}
  tag:
    sparse: true
    fields: {name: text, note: {optional: text}, worth: {optional: money}}
  box:
    key: box_id
    table: boxes
    fields:
      box_id: text
      owner: person
      size: {one_of: [small, large]}
      count: int
      weight: number
      price: money
      open: bool
      labels: {list: text}
      tags: {list: tag}
      prices: {map: money}
      parts: {map: tag}
      next: {type: {optional: {ref: box}}, as: following}
      note: {optional: text}
      sort: {type: {optional: text}, called: type}
tools:
  look: {class: lookup, role: look, doc: Look., params: {id: {ref: box, as: box, else: No such box.}}, result: box}
  all: {class: lookup, role: look, doc: All., result: "[b for b in boxes]"}
  lookfollowing:
    {class: lookup, role: look, doc: The next one., params: {id: {ref: box, as: box}}, result: box.following}
  note:
    class: write
    role: note
    doc: Write a note.
    params: {id: {ref: box, as: box}, note: {type: text, optional: true}}
    effect: box.note = note
    result: box.note
  rename:
    class: write
    role: note
    doc: A nested field.
    params: {id: {ref: box, as: box}, first: {type: text}}
    effect: box.owner.first = first
    result: box.owner
  own:
    class: write
    role: note
    doc: A whole nested record.
    params: {id: {ref: box, as: box}, first: {type: text}}
    effect: box.owner = record(first=first)
    result: box.owner
  resize:
    class: write
    role: note
    doc: One of.
    params: {id: {ref: box, as: box}, size: {one_of: [small, large]}}
    effect: box.size = size
    result: box.size
  more:
    class: write
    role: note
    doc: Add and take.
    params: {id: {ref: box, as: box}, by: {type: int}}
    effect: |
      box.count += by
      box.price += cents(25)
      box.prices["here"] -= cents(1)
    result: record(count=box.count, price=box.price, here=box.prices["here"])
  less:
    {class: write, role: note, doc: Take., params: {id: {ref: box, as: box}, by: {type: int}}, effect: box.count -= by, result: box.count}
  add_price:
    class: write
    role: note
    doc: A place of a map that may not be there.
    params: {id: {ref: box, as: box}, at: {type: text}, how: {one_of: [set, raise]}}
    effect: |
      if how == "set":
          box.prices[at] = cents(100)
      else:
          box.prices[at] += cents(1)
    result: box.prices
  label:
    {class: write, role: note, doc: Append., params: {id: {ref: box, as: box}, text: {type: text}}, effect: append text to box.labels, result: box.labels}
  tag:
    class: write
    role: note
    doc: Append a record.
    params: {id: {ref: box, as: box}, name: {type: text}}
    effect: append record(name=name, worth=cents(5)) to box.tags
    result: box.tags
  part:
    class: write
    role: note
    doc: A record in a map, and a field of it.
    params: {id: {ref: box, as: box}, name: {type: text}}
    effect: |
      box.parts[name] = record(name=name)
      box.parts[name].note = "new"
    result: box.parts
  stamp:
    class: write
    role: note
    doc: A field of every record of a list.
    params: {id: {ref: box, as: box}}
    effect: |
      for t in box.tags:
          t.note = "seen " + t.name
    result: box.tags
  double:
    class: write
    role: note
    doc: A loop walks through what was there when it began.
    params: {id: {ref: box, as: box}}
    effect: |
      for l in box.labels:
          append l + "!" to box.labels
          box.count += len(box.labels)
    result: record(labels=box.labels, count=box.count)
  push:
    class: write
    role: note
    doc: Another record, over a reference.
    params: {id: {ref: box, as: box}}
    effect: box.following.note = "pushed by " + box.box_id
    result: box.following.note
  make:
    class: write
    role: note
    doc: A new record.
    params: {id: {type: text}}
    effect: |
      boxes[id] = record(owner=record(first="New"), size="small", count=0, weight=0.5, price=cents(0), open=true, labels=[], tags=[],
        prices={"here": cents(1)}, parts={})
    result: boxes[id]
  make_two:
    class: write
    role: note
    doc: A new record, a change, and a record that is there already.
    params: {id: {type: text}}
    effect: |
      boxes[id] = record(owner=record(first="New"), size="small", count=0, weight=1, price=cents(0), open=true, labels=[], tags=[], prices={}, parts={})
      boxes["b1"].count = 77
      boxes["b2"] = boxes[id]
    result: boxes[id]
  half:
    class: write
    role: note
    doc: An effect that gives up in its middle.
    params: {id: {ref: box, as: box}}
    effect: |
      box.count = 99
      append "lost" to box.labels
      boxes["b2"].note = "lost"
      if box.count == 99:
          fail "Not with " + box.box_id + "."
      box.count = 100
    result: box
  bad_result:
    class: write
    role: note
    doc: An effect that works, and a result that does not.
    params: {id: {ref: box, as: box}}
    effect: box.count = 99
    result: sum(range(1, 1000000000))
  guard:
    class: write
    role: note
    doc: Preconditions for every member.
    params: {ids: {type: {list: text}}, by: {type: 1..5, default: 1}}
    require:
      - {each: i in ids, that: 'boxes[i] != none', else: "There is no box {{ i }}."}
      - {each: i in ids, that: 'boxes[i].count >= by', else: "{{ i }} holds {{ boxes[i].count }}, not {{ by }}."}
    effect: |
      for i in ids:
          boxes[i].count -= by
    result: "[boxes[i].count for i in ids]"
  pick:
    class: lookup
    role: look
    doc: Several references.
    params: {ids: {refs: box, as: chosen, else: One of them is not there.}}
    result: "[b.box_id for b in chosen]"
  types:
    class: lookup
    role: look
    doc: All types of parameters.
    params:
      t: {type: text, optional: true}
      i: {type: int, optional: true}
      r: {type: 1..9, optional: true}
      n: {type: number, optional: true}
      m: {type: money, optional: true}
      b: {type: bool, optional: true}
      l: {type: {list: int}, optional: true}
      k: {type: {map: int}, optional: true}
      o: {one_of: [1, 2, 4], optional: true}
    result: record(t=t, i=i, r=r, n=n, b=b, l=l, k=k, o=o)
"""
BOX = (
    "{owner: {first: Ada}, size: small, count: 3, weight: 1.50, price: 12.34, open: false, labels: [a, b], tags: [{name: t1}, {name: t2, worth: 1}],"
    " prices: {here: 2.00}, parts: {p1: {name: p1}}, %s}"
)
STORE = f"""\
kind: store
name: lab
toolset: lab
currency: USD
products: {{thing: {{id: T1, title: A thing, category: things, price: $1.00}}}}
records:
  box:
    b1: {BOX % "next: b2, type: wood"}
    b2: {BOX % "note: second"}
    b3: {BOX % "next: b3"}
"""
SUITE = """\
kind: cohort
name: cases
extends: business
store: lab
cases: {split: regression}
---
kind: suite
name: cases
seed: 3
cohorts: [cases]
rubrics: {cases: business}
"""
CASE = """\
kind: case
name: {name}
utterances: [{said}]
forbid: [{{name: never, text: 'contains(message.text, "zzzz")'}}]
"""
LOOK: list[Any] = ["look", {"id": "b1"}]
PLAYED: dict[str, list[Any]] = {
    "fields": [LOOK, ["look", {"id": "b2"}], ["all", {}]],
    "references": [["lookfollowing", {"id": "b1"}], ["lookfollowing", {"id": "b2"}], ["push", {"id": "b1"}], ["push",
        {"id": "b2"}], ["push", {"id": "b3"}]],
    "nothing": [LOOK, ["look", {"id": "nope"}], ["look", {}], ["types", {}]],
    "puts": [["note", {"id": "b1", "note": "hello"}], ["note", {"id": "b1"}], ["rename", {"id": "b1", "first": "Bob"}], ["own",
        {"id": "b1", "first": "Cy"}],
             ["resize", {"id": "b1", "size": "large"}], ["resize", {"id": "b1", "size": "huge"}], LOOK],
    "sums": [["more", {"id": "b1", "by": 4}], ["less", {"id": "b1", "by": 10}], ["add_price", {"id": "b1", "at": "there",
        "how": "raise"}],
             ["add_price", {"id": "b1", "at": "there", "how": "set"}], ["add_price", {"id": "b1", "at": "there",
                 "how": "raise"}]],
    "lists": [["label", {"id": "b1", "text": "c"}], ["tag", {"id": "b1", "name": "t3"}], ["part", {"id": "b1", "name": "p2"}],
        ["stamp", {"id": "b1"}],
              ["double", {"id": "b1"}]],
    "creates": [["make", {"id": "new"}], ["make", {"id": "new"}], ["make", {"id": "b1"}], ["make", {"id": ""}], ["all", {}]],
    "undone": [["half", {"id": "b1"}], ["bad_result", {"id": "b1"}], ["make_two", {"id": "n1"}], LOOK, ["all", {}], ["less",
        {"id": "b1", "by": 1}]],
    "guards": [["guard", {"ids": ["b1", "x"]}], ["guard", {"ids": ["b1", "b2"], "by": 4}], ["guard", {"ids": ["b1", "b1"],
        "by": 2}], ["guard", {"ids": []}],
               ["guard", {"ids": ["b1", "b1"], "by": 1}], ["pick", {"ids": ["b3", "b1", "b3"]}], ["pick", {"ids": ["b3", "x"]}]],
    "first": [["less", {"id": "b1", "by": 2}], ["label", {"id": "b1", "text": "mine"}]],
    "second": [LOOK],
}  # fmt: skip
REFUSED: list[tuple[str, Any, str]] = [
    ("look", {"id": 5}, "'id' must be a text."),
    ("look", {"id": None}, "The parameter 'id' is missing."),
    ("look", {"id": ["b1"]}, "'id' must be a text."),
    ("look", {"id": {"a": 1}}, "'id' must be a text."),
    ("look", {"id": True}, "'id' must be a text."),
    ("look", {"id": "b1", "why": 1}, "There is no parameter 'why'; there are: id."),
    ("look", ["b1"], "The arguments must be an object."),
    ("look", "b1", "The arguments must be an object."),
    ("look", 5, "The arguments must be an object."),
    ("all", {"x": 1}, "There is no parameter 'x'; there are: none."),
    ("missing", {}, "There is no tool 'missing'; there are: "),
    ("", {}, "There is no tool ''; there are: "),
    ("pick", {"ids": "b1"}, "'ids' must be a list."),
    ("pick", {"ids": [None]}, "'ids' must be a text."),
    ("pick", {"ids": ["b1"] * 1001}, "'ids' has more than 1000 members."),
    ("types", {"i": "5"}, "'i' must be a whole number."),
    ("types", {"i": 1.5}, "'i' must be a whole number."),
    ("types", {"i": True}, "'i' must be a whole number."),
    ("types", {"i": 10**30}, "'i' must be from -1000000000 to 1000000000."),
    ("types", {"r": 0}, "'r' must be from 1 to 9."),
    ("types", {"r": 10}, "'r' must be from 1 to 9."),
    ("types", {"n": "1"}, "'n' must be a number."),
    ("types", {"n": 10**13}, "'n' must be a number."),
    ("types", {"m": "x"}, "'m' must be a number."),
    ("types", {"b": "true"}, "'b' must be true or false."),
    ("types", {"b": 1}, "'b' must be true or false."),
    ("types", {"l": [1, "2"]}, "'l' must be a whole number."),
    ("types", {"l": {"a": 1}}, "'l' must be a list."),
    ("types", {"l": [[1]]}, "'l' must be a whole number."),
    ("types", {"k": [1]}, "'k' must be an object."),
    ("types", {"k": {"a": "x"}}, "'k' must be a whole number."),
    ("types", {"k": {str(n): n for n in range(1001)}}, "'k' has more than 1000 entries."),
    ("types", {"o": "three"}, "'o' must be one of: 1, 2, 4."),
    ("types", {"t": 5}, "'t' must be a text."),
    ("resize", {"id": "b1", "size": None}, "The parameter 'size' is missing."),
    ("less", {"id": "b1", "by": None}, "The parameter 'by' is missing."),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    scripts: Scripts = {name: [[made]] for name, made in PLAYED.items()}
    wrong = [[tool, args] for tool, args, _ in REFUSED]
    scripts["refused"] = [[wrong[:18], wrong[18:]]]
    names = [*PLAYED, "refused"]
    cases = [CASE.format(name=n, said="refused, refused" if n == "refused" else n) for n in names]
    made = stage(tmp_path_factory.mktemp("toolsets") / "lab", "lab", "---\n".join([TOOLSET, STORE, SUITE, *cases]), scripts)
    done = made.compile()
    assert done.exit_code == 0, done.output
    return made


@pytest.fixture(scope="module")
def played(lab: Stage) -> Path:
    return lab.play()


@pytest.fixture(scope="module")
def events(lab: Stage, played: Path) -> dict[str, list[dict[str, Any]]]:
    """The calls of every case."""
    found = records(played)
    return {case: calls(found[trial]) for case, trial in lab.trials().items()}


def box(**changed: Any) -> dict[str, Any]:
    """What an agent sees of `b1` at first, but for what a test says."""
    return {
        "box_id": "b1", "owner": {"first": "Ada", "last": None}, "size": "small", "count": 3, "weight": 1.5, "price": 12.34,
            "open": False,
        "labels": ["a", "b"], "tags": [{"name": "t1"}, {"name": "t2", "worth": 1.0}], "prices": {"here": 2.0},
            "parts": {"p1": {"name": "p1"}},
        "next": "b2", "note": None, "type": "wood", **changed,
    }  # fmt: skip


def results(made: list[dict[str, Any]]) -> list[Any]:
    """What came of calls: a result, or the words of a refusal."""
    return [{"refused": e["error"]} if e["error"] is not None else e["result"] for e in made]


def changed(event: dict[str, Any]) -> dict[str, Any]:
    """The records that an event says have changed, by record and key."""
    return {f"{record} {key}": data for record, key, data in event.get("records", [])}


def test_an_agent_sees_whole_records_with_their_types(events: dict[str, list[dict[str, Any]]]) -> None:
    first, second, keys = results(events["fields"])
    assert first == box()
    assert second == box(box_id="b2", next=None, note="second", type=None)
    assert keys == ["b1", "b2", "b3"]
    kinds = {name: type(first[name]) for name in ("count", "weight", "price", "open", "size")}
    assert kinds == {"count": int, "weight": float, "price": float, "open": bool, "size": str}


def test_a_sparse_record_has_only_what_it_has_and_others_have_none(events: dict[str, list[dict[str, Any]]]) -> None:
    first = results(events["fields"])[0]
    assert [sorted(t) for t in first["tags"]] == [["name"], ["name", "worth"]]
    assert first["owner"] == {"first": "Ada", "last": None}


def test_a_reference_leads_to_its_record(events: dict[str, list[dict[str, Any]]]) -> None:
    following, none, pushed, nowhere, itself = results(events["references"])
    assert following == box(box_id="b2", next=None, note="second", type=None)
    assert none is None
    assert pushed == "pushed by b1"
    assert nowhere == {"refused": "This cannot be done."}
    assert itself == "pushed by b3"
    assert list(changed(events["references"][2])) == ["box b2"]
    assert list(changed(events["references"][4])) == ["box b3"]


def test_a_look_changes_nothing(events: dict[str, list[dict[str, Any]]]) -> None:
    found = events["nothing"]
    assert results(found)[1:3] == [{"refused": "No such box."}, {"refused": "The parameter 'id' is missing."}]
    assert [changed(e) for e in found] == [{}] * 4
    assert results(found)[3] == {}


def test_fields_are_put(events: dict[str, list[dict[str, Any]]]) -> None:
    assert results(events["puts"]) == [
        "hello", None, {"first": "Bob", "last": None}, {"first": "Cy", "last": None}, "large",
        {"refused": "'size' must be one of: small, large."}, box(owner={"first": "Cy", "last": None}, size="large"),
    ]  # fmt: skip


def test_an_event_holds_the_whole_changed_record(events: dict[str, list[dict[str, Any]]]) -> None:
    """In minor units, numbers as text: as plans and records keep them."""
    (data,) = changed(events["puts"][0]).values()
    assert data == {
        "box_id": "b1", "owner": {"first": "Ada", "last": None}, "size": "small", "count": 3, "weight": "1.50", "price": 1234,
            "open": False,
        "labels": ["a", "b"], "tags": [{"name": "t1"}, {"name": "t2", "worth": 100}], "prices": {"here": 200},
            "parts": {"p1": {"name": "p1"}},
        "next": "b2", "note": "hello", "sort": "wood",
    }  # fmt: skip
    assert changed(events["puts"][2])["box b1"]["owner"]["first"] == "Bob"
    assert changed(events["puts"][0])["box b1"]["owner"]["first"] == "Ada", "a later change is not in an earlier event"
    assert changed(events["puts"][5]) == {}


def test_sums_are_exact(events: dict[str, list[dict[str, Any]]]) -> None:
    """3 + 4 = 7 and $12.34 + $0.25; then 7 - 10; a place that is not there cannot be raised, and can be set."""
    made = events["sums"]
    assert results(made) == [
        {"count": 7, "price": 12.59, "here": 1.99}, -3, {"refused": "This cannot be done."}, {"here": 1.99, "there": 1.0},
            {"here": 1.99, "there": 1.01},
    ]  # fmt: skip
    assert changed(made[0])["box b1"]["price"] == 1259
    assert changed(made[4])["box b1"]["prices"] == {"here": 199, "there": 101}


def test_lists_and_maps_grow(events: dict[str, list[dict[str, Any]]]) -> None:
    """Labels a, b, c: each is doubled once; the count grows by 4, 5 and 6 labels, from 3."""
    assert results(events["lists"]) == [
        ["a", "b", "c"],
        [{"name": "t1"}, {"name": "t2", "worth": 1.0}, {"name": "t3", "worth": 0.05}],
        {"p1": {"name": "p1"}, "p2": {"name": "p2", "note": "new"}},
        [
            {"name": "t1", "note": "seen t1"},
            {"name": "t2", "worth": 1.0, "note": "seen t2"},
            {"name": "t3", "worth": 0.05, "note": "seen t3"},
        ],
        {"labels": ["a", "b", "c", "a!", "b!", "c!"], "count": 18},
    ]


def test_a_record_is_created_once(events: dict[str, list[dict[str, Any]]]) -> None:
    made, again, taken, nameless, keys = results(events["creates"])
    assert made == {
        "box_id": "new", "owner": {"first": "New", "last": None}, "size": "small", "count": 0, "weight": 0.5, "price": 0.0,
            "open": True,
        "labels": [], "tags": [], "prices": {"here": 0.01}, "parts": {}, "next": None, "note": None, "type": None,
    }  # fmt: skip
    assert "there is a box 'new' already" in again["refused"]
    assert "there is a box 'b1' already" in taken["refused"]
    assert nameless == {"refused": "This cannot be done."}
    assert keys == ["b1", "b2", "b3", "new"]
    assert [sorted(changed(e)) for e in events["creates"]] == [["box new"], [], [], [], []]


def test_an_effect_is_done_in_full_or_not_at_all(events: dict[str, list[dict[str, Any]]]) -> None:
    half, bad, two, seen, keys, after = events["undone"]
    assert half["error"] == "Not with b1."
    assert bad["error"] is not None
    assert bad["error"].startswith("This tool cannot do that: ")
    assert "there is a box 'b2' already" in two["error"]
    assert [(e["result"], changed(e)) for e in (half, bad, two)] == [(None, {})] * 3
    assert seen["result"] == box()
    assert keys["result"] == ["b1", "b2", "b3"]
    assert list(changed(after)) == ["box b1"], "what was undone is in no later event"
    assert changed(after)["box b1"]["count"] == 2


def test_preconditions_are_asked_for_every_member_in_order(events: dict[str, list[dict[str, Any]]]) -> None:
    """Both of `b1, b1` pass with 3 >= 2: a precondition looks at the state before the effect. It then takes 2 twice."""
    assert results(events["guards"]) == [
        {"refused": "There is no box x."}, {"refused": "b1 holds 3, not 4."}, [-1, -1], [], {"refused": "b1 holds -1, not 1."},
            ["b3", "b1", "b3"],
        {"refused": "One of them is not there."},
    ]  # fmt: skip


def test_no_trial_sees_what_another_changed(events: dict[str, list[dict[str, Any]]]) -> None:
    assert results(events["first"]) == [1, ["a", "b", "mine"]]
    assert results(events["second"]) == [box()]


def test_trials_stay_apart_however_many_run_at_once(lab: Stage, events: dict[str, list[dict[str, Any]]]) -> None:
    """One at a time, all at once, and each twice: the same events."""
    trials = lab.trials()
    for name, options in {"one": ["--concurrency", "1"], "many": ["--concurrency", "64"]}.items():
        found = records(lab.play("agent_0", *options, name=name))
        assert {case: calls(found[trial]) for case, trial in trials.items()} == events
    twice = lab.play("agent_0", "--repeat", "2", name="twice")
    lines = [json.loads(line) for line in (twice / "records.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 2 * len(trials)
    by_trial = {trial: case for case, trial in trials.items()}
    assert all(calls(r) == events[by_trial[r["trial"]]] for r in lines)


def test_refusals_are_told_in_words(events: dict[str, list[dict[str, Any]]]) -> None:
    made = events["refused"]
    assert len(made) == len(REFUSED)
    for event, (tool, _, words) in zip(made, REFUSED, strict=True):
        assert event["tool"] == tool
        assert event["result"] is None
        assert event["error"].startswith(words), (event["args"], event["error"])
        assert "records" not in event


def test_an_agent_hears_of_refusals_as_results(lab: Stage, played: Path) -> None:
    said = next(e["text"] for e in records(played)[lab.trials()["undone"]]["events"] if e["type"] == "agent")
    heard = json.loads(said)
    assert heard[0] == {"result": None, "error": "Not with b1."}
    assert heard[3] == {"result": box(), "error": None}


def test_a_conversation_shows_what_changed(lab: Stage, played: Path) -> None:
    done = run("show", played, lab.trials()["undone"], "--package", lab.folder)
    assert done.exit_code == 0, done.output
    lines = [line.strip() for line in done.output.splitlines()]
    assert '> half {"id": "b1"} -> refused: Not with b1.' in lines
    call = lines.index('> less {"by": 1, "id": "b1"}')
    assert lines[call + 1] == "= 2"
    assert re.match(r"box b1: count \d+ → \d+", lines[call + 2]), lines[call : call + 3]
    done = run("show", played, lab.trials()["creates"], "--package", lab.folder)
    assert [line.strip() for line in done.output.splitlines() if "new box new: " in line]


def test_schemas_tell_an_agent_what_tools_take(lab: Stage) -> None:
    """As the agent gets them with its first event."""
    from shopdsl.dsl.plan import open_plan
    from shopdsl.runtime.world import World

    world = World(open_plan(lab.folder / "plan.jsonl"))
    schemas = {s["name"]: s["parameters"] for s in next(iter(world.trials())).store.schemas()}
    assert schemas["guard"] == {
        "type": "object", "required": ["ids"], "additionalProperties": False,
        "properties": {"ids": {"type": "array", "items": {"type": "string"}}, "by": {"type": "integer", "minimum": 1,
            "maximum": 5}},
    }  # fmt: skip
    assert schemas["pick"]["properties"] == {"ids": {"type": "array", "items": {"type": "string"}}}
    assert schemas["types"]["required"] == []
    assert schemas["types"]["properties"]["k"] == {"type": "object", "additionalProperties": {"type": "integer"}}
    assert schemas["types"]["properties"]["o"] == {"enum": [1, 2, 4]}


FLAWED = {
    "a_field_is_missing": ("{owner: {first: A}}", "this `box` lacks `size`"),
    "a_field_is_unknown": (BOX % "colour: red", "`box` has no field `colour`"),
    "a_reference_leads_nowhere": (BOX % "next: b9", "there is no box `b9`"),
    "not_one_of_them": (BOX.replace("size: small", "size: huge") % "note: a", "`huge` is not one of small, large"),
    "a_fraction": (BOX.replace("count: 3", "count: 3.5") % "note: a", "`3.5` is not a whole number"),
    "a_text_for_money": (BOX.replace("price: 12.34", "price: dear") % "note: a", "`dear` is not an amount of money"),
    "another_currency": (BOX.replace("price: 12.34", "price: €12") % "note: a", "`€12` is EUR, and this store sells in USD"),
    "a_text_for_a_list": (BOX.replace("labels: [a, b]", "labels: a") % "note: a", "this is not a list"),
    "yes_for_a_bool": (BOX.replace("open: false", "open: yes") % "note: a", "`yes` is not true or false"),
    "a_nested_field": (BOX.replace("{first: Ada}", "{last: Ada}") % "note: a", "this `person` lacks `first`"),
    "a_quoted_number": (BOX.replace("count: 3", 'count: "3"') % "note: a", "`3` is not a whole number"),
    "a_null": (BOX.replace("count: 3", "count: null") % "note: a", "none is not a whole number"),
}
WRONG_EFFECTS = {
    "no_field": ('box.colour = "red"', "`colour` of a box cannot be assigned to"),
    "the_key": ('box.box_id = "x"', "`box_id` of a box cannot be assigned to"),
    "a_fraction": ("box.count = 1.5", "a whole number is needed here"),
    "a_number_for_money": ("box.price = 5", "money is needed here"),
    "nothing": ("box.count = none", "a whole number is needed here"),
    "a_number_for_a_text": ("append 5 to box.labels", "text is needed here"),
    "no_list": ("append 5 to box.count", "not a list"),
    "no_member": ('box.size = "huge"', '"huge" is not'),
    "half_a_record": ('boxes["x"] = record(size="small")', "this `box` lacks `owner`"),
    "a_place_of_a_list": ('box.labels[0] = "c"', "has no places to assign to"),
    "a_field_too_many": ('box.owner = record(first="a", middle="b")', "`person` has no field `middle`"),
    "a_reference": ("box.following = box", "cannot be assigned to"),
    "no_walk": ("for x in box.count:\n          box.note = none", "cannot be walked through"),
    "no_name": ("box.note = nobody", "`nobody`"),
    "the_table": ("boxes = box", "this cannot be assigned to"),
}


def findings(folder: Path, specs: list[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """The errors of a package, and the lines of its specs."""
    made = stage(folder, "lab", "---\n".join([*specs, SUITE, CASE.format(name="a", said="a")]), {})
    done = run("check", "--package", made.folder, "--format", "json")
    found = [f for f in json.loads(done.stdout) if f["severity"] == "error"]
    return found, (folder / "specs.yaml").read_text("utf-8").splitlines()


def test_flawed_records_are_found_at_their_place(tmp_path: Path) -> None:
    rows = "".join(f"    {name}: {row}\n" for name, (row, _) in FLAWED.items())
    found, lines = findings(tmp_path, [TOOLSET, STORE[: STORE.index("    b1:")] + rows])
    told = {lines[f["line"] - 1].strip().partition(":")[0]: f["message"] for f in found}
    assert told == {name: message for name, (_, message) in FLAWED.items()}
    assert len(found) == len(FLAWED)


def test_effects_that_cannot_work_are_found_at_their_place(tmp_path: Path) -> None:
    head = "    class: write\n    role: note\n    doc: x\n    params: {id: {ref: box, as: box}}\n    result: box\n"
    tools = "".join(f"  {name}:\n{head}    effect: |\n      {effect}\n" for name, (effect, _) in WRONG_EFFECTS.items())
    found, lines = findings(tmp_path, [TOOLSET + tools, STORE])
    told: dict[str, list[str]] = {}
    for f in found:
        above = [line.strip(" :") for line in lines[: f["line"]] if line.startswith("  ") and line[2] != " "]
        told.setdefault(above[-1], []).append(f["message"])
    assert set(told) == set(WRONG_EFFECTS)
    for name, (_, message) in WRONG_EFFECTS.items():
        assert [message in m for m in told[name]].count(True) == 1, told[name]


@pytest.mark.parametrize(
    "value", ['{"p": record(name="p")}', "{t.name: record(name=t.name) for t in box.tags}", "box.parts", "{}"]
)
def test_a_map_of_records_can_be_written(tmp_path: Path, value: str) -> None:
    head = "    class: write\n    role: note\n    doc: x\n    params: {id: {ref: box, as: box}}\n    result: box\n"
    tool = f"  refit:\n{head}    effect: |\n      box.parts = {value}\n"
    assert findings(tmp_path, [TOOLSET + tool, STORE])[0] == []


ROWS = {
    "a key that is another's": f"    b1: {BOX % 'box_id: b2'}\n    b2: {BOX % 'note: a'}\n",
    "a key that is not its own": f"    b1: {BOX % 'box_id: b9'}\n",
    "two of one key": f"    - {BOX % 'box_id: b1'}\n    - {BOX % 'box_id: b1'}\n",
    "a number beyond all bounds": f"    b1: {BOX.replace('weight: 1.50', 'weight: 1e99999999') % 'note: a'}\n",
}


@pytest.mark.parametrize("what", ROWS)
def test_no_record_is_lost_or_renamed_in_silence(tmp_path: Path, what: str) -> None:
    """Of two records with one key only one would be left."""
    found, lines = findings(tmp_path, [TOOLSET, STORE[: STORE.index("    b1:")] + ROWS[what]])
    assert len(found) == 1
    assert "box_id: " in lines[found[0]["line"] - 1] or "weight: 1e" in lines[found[0]["line"] - 1]


OPENINGS = {
    "a_reference_that_leads_nowhere": "{records: {box: {b1: {next: nope}}}}",
    "another_key": "{records: {box: {b1: {box_id: other}}}}",
    "an_unknown_field": "{records: {box: {b1: {colour: red}}}}",
    "half_a_record": "{records: {box: {b7: {count: 1}}}}",
    "an_unknown_record": "{records: {crate: {b1: {count: 1}}}}",
    "an_unknown_product": "{cart: {nothing: 1}}",
    "an_unknown_coupon": "{coupons: [nothing]}",
    "no_date": "{date: yesterday}",
}


def test_flawed_openings_of_cases_are_found_at_their_place(tmp_path: Path) -> None:
    cases = [f"{CASE.format(name=name, said=name)}initial_state: {given}\n" for name, given in OPENINGS.items()]
    found, lines = findings(tmp_path, [TOOLSET, STORE, *cases])
    told = {lines[f["line"] - 1] for f in found}
    assert {name for name, given in OPENINGS.items() if f"initial_state: {given}" not in told} == set()
    assert len(found) == len(OPENINGS)
