"""Archives give the same skills as their folder, and nothing bad comes out of them."""

import bz2
import gzip
import io
import lzma
import os
import struct
import tarfile
import warnings
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import InvalidPack, PackTooLarge, SkillCatalogError
from importer import archive, unpacking
from importer.pack import read_packs
from importer.source import open_source

SKILL = "---\nname: kiln\ndescription: d\n---\nBody\n"


def zipped(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for path, data in files.items():
            info = zipfile.ZipInfo("placeholder")
            info.filename = path
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, data)
    return buffer.getvalue()


def tarred(files: dict[str, str], *, links: dict[str, str] | None = None) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.PAX_FORMAT) as file:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text.encode())
            file.addfile(info, io.BytesIO(text.encode()))
        for path, target in (links or {}).items():
            info = tarfile.TarInfo(path)
            info.type, info.linkname = tarfile.SYMTYPE, target
            file.addfile(info)
    return buffer.getvalue()


def names(data: bytes) -> list[str]:
    return [item.skill.qualified_name for item in read_packs(data, name="p") if item.skill]


def said(data: bytes) -> dict[str, str]:
    return {
        finding.path: finding.code
        for item in read_packs(data, name="p")
        for finding in item.diagnostics
        if finding.severity == "error"
    }


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_reads_as_its_folder(pack, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    files = {"studio/kiln/SKILL.md": SKILL, "studio/kiln/scripts/fire.py": "print(1)"}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    of_archive = [item.skill for item in read_packs(pack(files), name="p")]
    of_folder = [item.skill for item in read_packs(tmp_path / "studio", name="p")]

    assert of_archive == of_folder


def test_an_archive_on_disk_names_its_pack(tmp_path: Path) -> None:
    file = tmp_path / "studio.tar.gz"
    file.write_bytes(tarred({"kiln/SKILL.md": SKILL}))

    (item,) = read_packs(file)

    assert item.skill is not None
    assert item.skill.qualified_name == "studio:kiln"


def test_entries_that_lead_out_are_refused_and_dots_in_a_name_are_not() -> None:
    data = zipped(
        {
            "kiln/SKILL.md": SKILL,
            "kiln/notes/v1..2.md": "notes",
            "../other/SKILL.md": SKILL,
            "/top/SKILL.md": SKILL,
            "..\\dos\\SKILL.md": SKILL,
            "D:/packs/SKILL.md": SKILL,
        }
    )

    assert set(said(data)) == {
        "../other/SKILL.md",
        "/top/SKILL.md",
        "..\\dos\\SKILL.md",
        "D:/packs/SKILL.md",
    }
    (item,) = [item for item in read_packs(data, name="p") if item.path]
    assert item.skill is not None
    assert [artifact.path for artifact in item.skill.artifacts] == ["notes/v1..2.md"]


def test_a_link_entry_that_leads_out_is_refused_and_one_inside_is_followed() -> None:
    data = tarred(
        {"p/kiln/SKILL.md": SKILL, "p/shared/cones.csv": "6"},
        links={"p/kiln/host": "/etc/hostname", "p/kiln/cones.csv": "../shared/cones.csv"},
    )

    assert said(data) == {"kiln/host": "link-refused"}
    (item,) = [item for item in read_packs(data, name="p") if item.path]
    assert item.skill is not None
    assert [artifact.path for artifact in item.skill.artifacts] == ["cones.csv"]


def test_a_link_entry_in_a_zip_is_judged_too() -> None:
    buffer = io.BytesIO(zipped({"kiln/SKILL.md": SKILL}))
    with zipfile.ZipFile(buffer, "a") as file:
        info = zipfile.ZipInfo("kiln/host")
        info.external_attr = 0o120777 << 16
        file.writestr(info, "/etc/hostname")

    assert said(buffer.getvalue()) == {"host": "link-refused"}


def test_a_skill_of_zeros_is_refused_with_the_size_that_came_out() -> None:
    data = zipped({"bomb/SKILL.md": b"\0" * (64 * 1024 * 1024), "kiln/SKILL.md": SKILL})

    refused = [item for item in read_packs(data, name="p") if item.path and item.skill is None]

    assert names(data) == ["p:kiln"]
    assert "67,108,864 bytes" in refused[0].diagnostics[-1].message


def test_a_size_that_the_header_claims_is_not_believed() -> None:
    data = zipped({"bomb/SKILL.md": b"\0" * (2 * 1024 * 1024), "kiln/SKILL.md": SKILL})
    claimed = data.replace(struct.pack("<L", 2 * 1024 * 1024), struct.pack("<L", 5))

    assert claimed != data
    assert names(claimed) == ["p:kiln"]
    assert said(claimed) == {"bomb/SKILL.md": "skill-too-large"}


def test_more_than_a_pack_may_hold_refuses_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_UNPACKED_BYTES", 100_000)
    bomb = {"kiln/SKILL.md": SKILL, "kiln/a": "\0" * 60_000, "kiln/b": "\0" * 60_000}

    for data in (zipped(bomb), tarred(bomb)):
        with pytest.raises(PackTooLarge, match="100,000 bytes"):
            names(data)


def test_more_files_than_a_pack_may_have_refuse_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_PACK_FILES", 3)

    with pytest.raises(PackTooLarge, match="more than 3 entries"):
        names(zipped({f"kiln/{number}": "x" for number in range(4)}))


def test_an_encrypted_entry_is_refused_and_its_siblings_are_not() -> None:
    data = bytearray(zipped({"a/SKILL.md": SKILL, "kiln/SKILL.md": SKILL}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1

    assert said(bytes(data)) == {"a/SKILL.md": "entry-refused"}
    assert names(bytes(data)) == ["p:kiln"]


def test_names_in_utf8_are_read_without_the_flag_for_it() -> None:
    data = zipped({"图表/SKILL.md": "Body"})
    without_flag = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        without_flag[without_flag.index(signature) + offset + 1] &= ~0x08

    assert names(bytes(without_flag)) == names(data) == ["p:图表"]


def test_long_names_are_read_in_both_tar_dialects() -> None:
    path = f"{'kiln-' * 40}/SKILL.md"
    for dialect in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=dialect) as file:
            info = tarfile.TarInfo(path)
            info.size = len(SKILL)
            file.addfile(info, io.BytesIO(SKILL.encode()))
        assert names(buffer.getvalue()) == ["p:kiln"]


def test_a_huge_extended_header_is_refused() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as file:
        info = tarfile.TarInfo("kiln/SKILL.md")
        info.pax_headers = {"comment": "x" * 100_000}
        file.addfile(info)

    with pytest.raises(InvalidPack, match="extended header"):
        names(buffer.getvalue())


def repeated_in_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for body in ("First", "Last"):
            file.writestr("kiln/SKILL.md", SKILL.replace("Body", body))
    return buffer.getvalue()


def repeated_in_tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as file:
        for path, body in (("kiln/SKILL.md", "First"), ("./kiln/SKILL.md", "Last")):
            data = SKILL.replace("Body", body).encode()
            info = tarfile.TarInfo(path)
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@pytest.mark.parametrize("data", [repeated_in_zip(), repeated_in_tar()], ids=["zip", "tar"])
def test_of_a_repeated_entry_the_last_is_read_and_it_is_told(data: bytes) -> None:
    first, second = read_packs(data, name="p")

    assert [(found.code, found.path) for found in first.diagnostics] == [
        ("entry-repeated", "SKILL.md")
    ]
    assert second.skill is not None
    assert second.skill.body == "Last\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 and no more",
        b"\x1f\x8b\x08\x00 and no more",
        gzip.compress(b"not a tar"),
        tarred({"kiln/SKILL.md": SKILL * 50})[:-20],
        zipped({"kiln/SKILL.md": SKILL})[:-30],
    ],
)
def test_a_corrupt_archive_says_so(data: bytes) -> None:
    with pytest.raises(InvalidPack):
        names(data)


@pytest.mark.parametrize(
    ("data", "packing"),
    [
        (lzma.compress(b"x"), "xz"),
        (bz2.compress(b"x"), "bzip2"),
        (b"Rar!\x1a\x07\x00", "RAR"),
        (b"7z\xbc\xaf\x27\x1c\x00", "7-Zip"),
    ],
)
def test_an_archive_of_another_kind_is_named(data: bytes, packing: str) -> None:
    with pytest.raises(InvalidPack, match=f"is packed with {packing}; zip"):
        names(data)


def test_a_stream_that_cannot_seek_is_read_once_to_its_end() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as stream:
        stream.write(zipped({"kiln/SKILL.md": SKILL}))
    with os.fdopen(reader, "rb") as stream:
        assert [item.skill.name for item in read_packs(stream, name="p") if item.skill] == ["kiln"]


def test_the_text_of_a_skill_can_come_as_a_stream() -> None:
    assert names(SKILL.encode()) == ["p:kiln"]


def test_a_stream_without_a_name_asks_for_one() -> None:
    with pytest.raises(InvalidPack, match="give it one"):
        list(read_packs(SKILL.encode()))


ZIP = zipped({"kiln/SKILL.md": SKILL, "kiln/a.txt": "a" * 300})
TAR = gzip.decompress(tarred({"kiln/SKILL.md": SKILL, "kiln/a.txt": "a" * 300}))


@given(
    st.sampled_from([ZIP, TAR]),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), min_size=1, max_size=6),
)
def test_a_damaged_archive_is_read_or_refused(data: bytes, damage: list[tuple[int, int]]) -> None:
    damaged = bytearray(data)
    for position, value in damage:
        damaged[position % len(damaged)] = value
    with suppress(SkillCatalogError), open_source(bytes(damaged)) as files:
        for path in files.paths:
            with suppress(SkillCatalogError):
                assert files.read(path, 1000) is not None
