"""rpc.md: the service, its messages and its errors, from the proto's own comments."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)
from grpc_tools import protoc

from reference_pages.errors import reasons
from reference_pages.markdown import table

PROTO = Path(__file__).parents[2] / "proto"
SOURCE = "skillcatalog/v1/skillcatalog.proto"

ERRORS = """
## Errors

Every error carries `google.rpc.ErrorInfo` with domain `skillcatalog`, one of these reasons and
metadata for programs, and `google.rpc.RequestInfo` with the id of the request. The exit code is
that of the command line.

"""


def page() -> str:
    file, comments = _described()
    package = file.package
    service = file.service[0]
    introduction = comments.leading((12,)) or comments.leading((2,))
    text = (
        f"# RPC reference\n\nPackage `{package}`, service `{service.name}`.\n\n{introduction}\n\n"
    )
    text += "## Calls\n\n" + table(
        ("call", "request", "answer", "what it does"),
        (
            (
                f"`{method.name}`",
                _link(method.input_type, method.client_streaming),
                _link(method.output_type, method.server_streaming),
                comments.leading((6, 0, 2, place)),
            )
            for place, method in enumerate(service.method)
        ),
    )
    text += ERRORS + reasons() + "\n## Messages\n"
    for place, message in enumerate(file.message_type):
        text += "".join(_message(message, (4, place), comments))
    text += "\n## Enums\n"
    for place, enum in enumerate(file.enum_type):
        text += _enum(enum, (5, place), comments)
    return text


class _Comments:
    """Comments by the path of what they are about, as descriptor.proto numbers it."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self._locations = {tuple(place.path): place for place in file.source_code_info.location}

    def leading(self, path: Sequence[int]) -> str:
        location = self._locations.get(tuple(path))
        if location is None:
            return ""
        detached = "".join(location.leading_detached_comments)
        return "\n".join(
            line.strip() for line in (detached + location.leading_comments).splitlines()
        ).strip()

    def trailing(self, path: Sequence[int]) -> str:
        location = self._locations.get(tuple(path))
        return "" if location is None else location.trailing_comments.strip()


def _described() -> tuple[FileDescriptorProto, _Comments]:
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "descriptor"
        code = protoc.main(
            [
                "protoc",
                f"--proto_path={PROTO}",
                "--include_source_info",
                f"--descriptor_set_out={into}",
                str(PROTO / SOURCE),
            ]
        )
        if code != 0:
            raise SystemExit(code)
        file = FileDescriptorSet.FromString(into.read_bytes()).file[0]
    return file, _Comments(file)


def _message(
    message: DescriptorProto, path: tuple[int, ...], comments: _Comments, outer: str = ""
) -> Iterator[str]:
    name = f"{outer}{message.name}"
    yield f"\n### {name}\n\n"
    if about := comments.leading(path):
        yield f"{about}\n\n"
    if message.field:
        yield table(
            ("field", "type", "number", ""),
            (
                (
                    f"`{field.name}`",
                    _type(field, message),
                    field.number,
                    comments.trailing((*path, 2, place)),
                )
                for place, field in enumerate(message.field)
            ),
        )
    for place, nested in enumerate(message.nested_type):
        if not nested.options.map_entry:
            yield from _message(nested, (*path, 3, place), comments, f"{name}.")
    for place, enum in enumerate(message.enum_type):
        yield _enum(enum, (*path, 4, place), comments, f"{name}.")


def _enum(
    enum: EnumDescriptorProto, path: tuple[int, ...], comments: _Comments, outer: str = ""
) -> str:
    return f"\n### {outer}{enum.name}\n\n" + table(
        ("value", "number", ""),
        (
            (f"`{value.name}`", value.number, comments.trailing((*path, 2, place)))
            for place, value in enumerate(enum.value)
        ),
    )


def _type(field: FieldDescriptorProto, message: DescriptorProto) -> str:
    if field.type_name:
        name = field.type_name.rpartition(".")[2]
        for nested in message.nested_type:
            if nested.name == name and nested.options.map_entry:
                key, value = nested.field
                return f"map of {_type(key, nested)} to {_type(value, nested)}"
        kind = name
    else:
        kind = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {kind}"
    return f"optional {kind}" if field.proto3_optional else kind


def _link(type_name: str, streamed: bool) -> str:
    name = type_name.rpartition(".")[2]
    link = f"[{name}](#{name.lower()})"
    return f"stream of {link}" if streamed else link
