"""Every record carries the declared headers, and they are small enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..conditions.record import HeaderMissing, HeadersTooLarge, RowTest
from ..planning.check import About, Check, Explanation, Found, NotChecked, RowTests
from ..planning.subject import Subject

COUNTED_ALONE = 8  # each needs a bit of the mask; further ones share one


class HeadersCheck(Check):
    about = About(
        id="headers",
        order=90,
        summary="Each record has the required headers, and no more bytes of them than declared.",
        why="Routing and tracing by headers lose these records.",
        needs="`headers`",
        violation="a record without a required header, or with more bytes of them than `maxBytes`",
        declared_at=("headers",),
    )

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        declared = subject.topic.headers
        if declared is None:
            return None
        rows = list(_missing(tuple(dict.fromkeys(declared.required))))
        if declared.max_bytes is not None:
            too_large = HeadersTooLarge(declared.max_bytes)
            most = f"at most {declared.max_bytes} bytes of headers"
            rows.append(RowTest(f"headers above {declared.max_bytes} bytes", too_large, expected=most))
        return RowTests(tuple(rows)) if rows else NotChecked("the topology declares no header and no size")

    def explain(self, subject: Subject, found: Found) -> Explanation:  # noqa: ARG002 - the base class's signature
        kinds = dict.fromkeys(test.condition.__class__ for test, _ in found.evidence)
        if HeaderMissing not in kinds:
            return Explanation(
                "a producer or something between puts more into the headers than is declared",
                "move what is large into the value, or raise `headers.maxBytes`",
            )
        return Explanation(
            "a producer without the interceptor or the code that sets the headers, or that sets them to null",
            "make every producer set the headers, or take them out of `headers.required`",
        )


CHECK = HeadersCheck()


def _missing(names: Sequence[str]) -> Iterator[RowTest]:
    for name in names[:COUNTED_ALONE]:
        yield RowTest(f"no header {name}", HeaderMissing((name,)), expected=f"header {name}")
    if more := tuple(names[COUNTED_ALONE:]):
        needed = f"headers {', '.join(more)}"
        yield RowTest(f"no header {' or '.join(more)}", HeaderMissing(more), expected=needed)
