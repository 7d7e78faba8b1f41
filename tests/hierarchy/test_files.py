from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.errors import TreeError
from paravent.hierarchy.builders import groups, tree_file
from paravent.hierarchy.files import level_csv, nested, read_groups, read_tree, write_tree
from paravent.hierarchy.fitting import fit
from paravent.hierarchy.tree import ROOT_LABEL, Tree
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "adult"
Make = Callable[..., Domain]

# What other tools' trees for Adult hold: values, nodes after chains are collapsed, height, levels.
OTHERS = {
    "age": (100, 136, 5, 5),
    "education": (16, 23, 4, 4),
    "marital-status": (7, 10, 3, 3),
    "native-country": (41, 46, 3, 3),
    "occupation": (14, 18, 3, 3),
    "race": (5, 6, 2, 2),
    "salary-class": (2, 3, 2, 2),
    "sex": (2, 3, 2, 2),
    "workclass": (8, 12, 3, 3),
}


def levels(tree: Tree) -> list[tuple[list[int], tuple[str, ...]]]:
    return [(level.codes.tolist(), level.labels) for level in tree.levels]


@pytest.mark.skipif(not SHARED.exists(), reason="the comparison data (../shared/data/adult) are not here")
@pytest.mark.parametrize("name", OTHERS)
def test_level_files_of_other_tools_load_as_they_are_and_back(name: str, tmp_path: Path) -> None:
    theirs = SHARED / f"hierarchy_{name}.csv"
    tree = read_tree(theirs)
    assert (tree.n_leaves, tree.n_nodes, tree.height, len(tree.levels)) == OTHERS[name]
    write_tree(tree, tmp_path / "ours.csv")
    ours = (tmp_path / "ours.csv").read_text(encoding="utf-8")
    # The same rows in the same format; only neighbours under one label may have moved together.
    assert sorted(ours.splitlines()) == sorted(theirs.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_delimiters_are_found(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "t.csv"
    rows = [["17", "[15, 20[", "*"], ["22", "[20, 25[", "*"]]
    quoted = [[f'"{cell}"' if delimiter in cell else cell for cell in row] for row in rows]
    path.write_text("\n".join(delimiter.join(row) for row in quoted), encoding="utf-8")
    tree = read_tree(path)
    assert tree.leaves == ("17", "22")
    assert tree.levels[1].labels == ("[15, 20[", "[20, 25[")
    assert read_tree(path, delimiter=delimiter, name="age").name == "age"


def test_files_as_people_have_them(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("\ufeffÄrztin;Heilberuf\r\n\r\nPfleger;Heilberuf\r\n".encode())
    assert read_tree(path).labels == ("Ärztin", "Pfleger", "Heilberuf")
    path.write_text("Male\nFemale\n", encoding="utf-8")
    assert read_tree(path).labels == ("Male", "Female", ROOT_LABEL)
    path.write_text('"a;b";x\n"c ""d""";x\n', encoding="utf-8")
    assert read_tree(path).leaves == ("a;b", 'c "d"')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty. Give one row for each value."),
        ("\n\n", "the file is empty"),
        ("a;x;*\nb;*\n", "row 2 has 2 levels, the first has 3."),
        ("a;x;*\nb;x;*\na;y;*\n", "value 'a' appears twice (row 3). Remove one of its rows."),
        ("a;x;*\n\n;x;*\n", "it has an empty value (row 3). Name it, or make it missing."),
        ("a;x;*\nb; ;*\n", "it has an empty label on level 1 (row 2)."),
        ("a;x;p;*\nb;x;q;*\n", "'x' on level 1 lies under both 'p' and 'q' (row 2) on level 2. Levels must be nested"),
        ("a;x;*\nb;x;*\nc;a;*\nd;a;*\n", "label 'a' names two different nodes."),
        ("job;group;all\na;x;*\nb;y;*\n", "row 1 ends in 'all' and all others in '*'. If it is a header, remove it"),
        ("*;x\nb;x\n", "value '*' (row 1) is the sign for any value."),
        ('"a;x\nb;y\n', "the file is no CSV"),
        ("a\0;x\n", "the file holds NUL bytes"),
    ],
)
def test_level_files_that_are_no_tree(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "job.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TreeError) as error:
        read_tree(path)
    assert message in str(error.value)
    assert str(error.value).startswith(f"tree {str(path)!r}: ")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TreeError, match="there is no file"):
        read_tree(tmp_path / "none.csv")
    with pytest.raises(TreeError, match="cannot be opened"):
        read_tree(tmp_path)
    (tmp_path / "t.csv").write_bytes(b"a;x\n\xe4;x\n")
    with pytest.raises(TreeError, match="row 2 is not UTF-8"):
        read_tree(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.json", "{", "the file cannot be read"),
        ("t.json", '{"a": ["x"], "a": ["y"]}', "label 'a' names two groups"),
        ("t.json", "7", "groups must be a mapping"),
        ("t.json", "[" * 100_000, "nested too deep"),
        ("t.json", '{"a": [null]}', "None is neither a value nor a group"),
        ("t.toml", "a = [", "the file cannot be read"),
        ("t.toml", "", "groups must be a mapping"),
        ("t.toml", 'a = ["secret"]\nb = ["secret"]', "value 'secret' appears twice"),
    ],
)
def test_nested_files_that_are_no_tree(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TreeError) as error:
        read_tree(path)
    assert message in str(error.value)
    assert "secret" not in error.value.redacted


def test_nested_groups_in_toml_and_json(tmp_path: Path, domain_of: Make) -> None:
    (tmp_path / "t.toml").write_text('low = [1, 2]\n"quite high" = { top = [8, 9], more = [5, 6] }\n', encoding="utf-8")
    tree = tree_file(tmp_path / "t.toml").build(domain_of([1, 9], Kind.INTEGER, name="x"))
    assert tree.leaves == ("1", "2", "8", "9", "5", "6")
    assert (tree.name, tree.height) == ("x", 4)
    with pytest.raises(TreeError, match=r"t.toml': 1 is of type int, and the column holds nominal"):
        tree_file(tmp_path / "t.toml").build(domain_of(["1", "9"], name="x"))
    assert read_groups(tmp_path / "t.toml") == groups({"low": [1, 2], "quite high": {"top": [8, 9], "more": [5, 6]}})


@st.composite
def nested_groups(draw: st.DrawFn) -> list[object]:
    """Groups of the groups before, with values of all sorts of letters."""
    texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="*"), min_size=1, max_size=6)
    leaves = draw(st.lists(texts.filter(lambda text: not text.isspace()), min_size=2, max_size=8, unique=True))
    items: list[object] = list(leaves)
    for i in range(draw(st.integers(0, 4))):
        size = draw(st.integers(2, 3))
        if len(items) <= size:
            break
        items = [*items[size:], {f"group {i} of many": items[:size]}]
    return items


@settings(max_examples=60)
@given(nested_groups(), st.sampled_from([".csv", ".tsv", ".toml", ".json"]))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, under: list[object], suffix: str
) -> None:
    tree = groups(under).tree("q")
    path = tmp_path_factory.mktemp("trees") / f"t{suffix}"
    write_tree(tree, path)
    again = read_tree(path)
    assert again.labels == tree.labels
    assert again.parent.tolist() == tree.parent.tolist()
    if suffix in (".csv", ".tsv"):
        assert levels(again) == levels(tree)
    assert os.listdir(path.parent) == [path.name]


def test_writing_leaves_the_old_file_or_the_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = groups({"x": ["a", "b"], "y": ["c"]}).tree("q")
    path = tmp_path / "t.csv"
    path.write_text("old", encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(TreeError, match="cannot be written"):
            write_tree(tree, path)
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["t.csv"]
    with pytest.raises(TreeError, match="cannot be written as"):
        write_tree(tree, tmp_path / "t.xlsx")
    with pytest.raises(TreeError, match="nowhere does not exist"):
        write_tree(tree, tmp_path / "nowhere" / "t.csv")


def test_nested_groups_of_a_tree_keep_values_beside_groups() -> None:
    tree = groups(["p", {"g": ["a", "b"]}]).tree("q")
    assert nested(tree) == {"*": ["p", {"g": ["a", "b"]}]}
    assert json.loads(json.dumps(nested(tree))) == nested(tree)
    assert level_csv(tree, ",") == "p,p,*\na,g,*\nb,g,*\n"


def test_a_written_tree_fits_the_column_it_came_from(tmp_path: Path, domain_of: Make) -> None:
    from paravent.hierarchy.builders import intervals

    domain = domain_of([17, 22, 31], Kind.INTEGER, name="age")
    for name in ("t.csv", "t.toml"):
        write_tree(intervals(5, 10).build(domain), tmp_path / name)
        fitted = fit(tree_file(tmp_path / name).build(domain), domain)
        assert fitted.order.tolist() == [0, 1, 2]


SEEDS = (
    b"a;x;*\nb;x;*\nc;y;*\n",
    b'{"x": ["a", 1, {"y": [2.5, true]}], "z": "c"}',
    b'x = ["a", 1, { y = [2.5, true] }]\n[z]\nw = [2020-01-01, "c"]\n',
)


@settings(max_examples=300)
@given(
    st.sampled_from(SEEDS),
    st.sampled_from([".csv", ".tsv", ".json", ".toml"]),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 3), st.binary(max_size=4)), max_size=6),
)
def test_damaged_files_get_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, seed: bytes, suffix: str, damage: list[tuple[int, int, bytes]]
) -> None:
    for at, width, put in damage:
        seed = seed[:at] + put + seed[at + width :]
    path = tmp_path_factory.mktemp("damaged") / f"t{suffix}"
    path.write_bytes(seed)
    with suppress(TreeError):
        assert read_tree(path).n_leaves > 0


def test_a_row_may_be_repeated_but_not_with_other_labels(tmp_path: Path) -> None:
    path = tmp_path / "job.csv"
    path.write_text("nurse;care;*\njudge;law;*\nnurse;care;*\n")
    assert read_tree(path).labels == ("nurse", "judge", "*")
    path.write_text("nurse;care;*\njudge;law;*\nnurse;law;*\n")
    with pytest.raises(TreeError, match=r"value 'nurse' appears twice \(row 3\)"):
        read_tree(path)


def test_a_group_called_like_one_of_its_values_is_renamed(tmp_path: Path) -> None:
    """As other tools write codes: 33.1 stands for itself and for all that begins with it."""
    path = tmp_path / "code.csv"
    path.write_text("33.1;33.1;33;*\n33.11;33.1;33;*\n33.2;33.2;33;*\n40;40;40;*\n")
    tree = read_tree(path)
    assert tree.labels == ("33.1", "33.11", "33.2", "40", "33.1 (group)", "33", "*")
    assert [level.labels for level in tree.levels[1:3]] == [("33.1 (group)", "33.2", "40"), ("33", "40")]
    path.write_text("a;b;*\nb;b;*\nb (group);c;*\nd;c;*\n")
    assert "b (group)'" in read_tree(path).labels


@settings(max_examples=60)
@given(st.data())
def test_a_file_reads_alike_whether_its_cells_are_quoted_or_not(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Plain files are read column by column, quoted ones row by row."""
    path = tmp_path_factory.mktemp("trees") / "t.csv"
    cells = st.sampled_from(["a", "b", "b.1", "c c", " ", "33", "33.1", "x", "y", "*", "é"])
    rows = data.draw(st.lists(st.lists(cells, min_size=1, max_size=4), min_size=1, max_size=7))
    end = data.draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
    found = []
    for sign in ("", '"'):
        path.write_bytes(end.join(";".join(f"{sign}{cell}{sign}" for cell in row) for row in rows).encode())
        try:
            found.append(levels(read_tree(path, name="t", delimiter=";")))
        except TreeError as error:
            found.append(str(error))
    assert found[0] == found[1]


def test_a_file_that_was_changed_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;x;*\nb;x;*\n", encoding="utf-8")
    first, again = read_tree(path), read_tree(path)
    assert again is first
    path.write_text("a;y;*\nb;y;*\n", encoding="utf-8")
    assert read_tree(path).levels[1].labels == ("y",)
