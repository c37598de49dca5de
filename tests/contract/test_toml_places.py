"""Every value of a TOML text is found where it stands."""

import tomllib

import hypothesis.strategies as st
import tomlkit
from hypothesis import given

from dagster_contracts.contract.toml_places import Place, find_places

KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
LEAVES = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.booleans(), st.floats(allow_nan=False), st.text(max_size=12), st.datetimes()
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)


def cut(text: str, place: Place) -> str:
    """The part of a text at a place."""
    lines = text.split("\n")[place.line - 1 : place.end_line]
    lines[-1] = lines[-1][: place.end_column - 1]
    return "\n".join([lines[0][place.column - 1 :], *lines[1:]])


def at(document: object, path: tuple) -> object:
    for part in path:
        document = document[part]
    return document


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_what_stands_at_a_place_is_the_value_again(document: dict):
    text = tomlkit.dumps(document).replace("\r\n", "\n")
    known = tomllib.loads(text)
    for path, places in find_places(text).items():
        value = at(known, path)
        if cut(text, places.value) != cut(text, places.key):  # a table's own header
            assert tomllib.loads(f"v = {cut(text, places.value)}")["v"] == value


def test_every_form_of_toml_has_its_place():
    text = '''# a comment with [brackets] = "and quotes"
name = "a" # not 'this'
site."google.com" . port = 1_000
long = """
two "quoted" lines\\
 """""
'quoted key' = \'\'\'it's\'\'\'
when = 1979-05-27 07:32:00  # with a blank in it
list = [ 1, # one
  { a = "]", b = [2, 3] },
]
[one.two]
x = true
[[many]]
n = 1
[many.inner]
deep = inf
[[many]]
n = 2
[[many.more]]
last = "#"
'''
    tomllib.loads(text)
    found = {path: cut(text, places.value) for path, places in find_places(text).items()}
    assert found == {
        ("name",): '"a"',
        ("site",): 'site."google.com" . port',
        ("site", "google.com"): 'site."google.com" . port',
        ("site", "google.com", "port"): "1_000",
        ("long",): '"""\ntwo "quoted" lines\\\n """""',
        ("quoted key",): "'''it's'''",
        ("when",): "1979-05-27 07:32:00",
        ("list",): '[ 1, # one\n  { a = "]", b = [2, 3] },\n]',
        ("list", 0): "1",
        ("list", 1): '{ a = "]", b = [2, 3] }',
        ("list", 1, "a"): '"]"',
        ("list", 1, "b"): "[2, 3]",
        ("list", 1, "b", 0): "2",
        ("list", 1, "b", 1): "3",
        ("one", "two"): "one.two",
        ("one", "two", "x"): "true",
        ("many",): "many",
        ("many", 0): "many",
        ("many", 0, "n"): "1",
        ("many", 0, "inner"): "many.inner",
        ("many", 0, "inner", "deep"): "inf",
        ("many", 1): "many",
        ("many", 1, "n"): "2",
        ("many", 1, "more"): "many.more",
        ("many", 1, "more", 0): "many.more",
        ("many", 1, "more", 0, "last"): '"#"',
    }


def test_lines_and_columns_begin_at_one_and_columns_end_past_the_last_letter():
    places = find_places('a = 1\n  bc = "de"\n')
    assert places["a",] == (Place(1, 1, 1, 2), Place(1, 5, 1, 6))
    assert places["bc",] == (Place(2, 3, 2, 5), Place(2, 8, 2, 12))
