import pytest
from benchmarks.results import write_section


def test_a_section_is_added_under_a_title_and_replaced_between_its_markers(tmp_path):
    file = tmp_path / "RESULTS.md"
    write_section(file, "split", "## Split\n\nfirst")
    write_section(file, "rows", "## Rows\n\nonly")
    write_section(file, "split", "## Split\n\nsecond\n")
    assert file.read_text() == (
        "# Measured\n\n"
        "<!-- begin split -->\n\n## Split\n\nsecond\n\n<!-- end split -->\n\n"
        "<!-- begin rows -->\n\n## Rows\n\nonly\n\n<!-- end rows -->\n"
    )
    assert [each.name for each in tmp_path.iterdir()] == ["RESULTS.md"]


def test_what_others_wrote_stays_byte_for_byte(tmp_path):
    file = tmp_path / "RESULTS.md"
    file.write_text("own title\n\n<!-- begin a -->\nx\n<!-- end a -->\n\nby hand  \n\n")
    write_section(file, "a", r"new \1")
    assert file.read_text() == "own title\n\n<!-- begin a -->\n\nnew \\1\n\n<!-- end a -->\n\nby hand  \n\n"


@pytest.mark.parametrize(
    "broken",
    ["<!-- begin a -->", "<!-- end a -->", "<!-- end a --><!-- begin a -->", "<!-- begin a -->" * 2 + "<!-- end a -->"],
)
def test_broken_markers_are_refused_and_the_file_stays(tmp_path, broken):
    file = tmp_path / "RESULTS.md"
    file.write_text(broken)
    with pytest.raises(ValueError, match="mend it by hand"):
        write_section(file, "a", "text")
    assert file.read_text() == broken


@pytest.mark.parametrize("name", ["", "A", "a b", "-a", "a-->"])
def test_a_name_that_could_not_be_a_marker_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="small letters"):
        write_section(tmp_path / "RESULTS.md", name, "text")
