"""Descriptions: what a model made of documents and bundles, told apart from what people wrote."""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import descriptions as n
else:
    n = Later("descriptions")

OPS: tuple[Op, ...] = (
    Op(
        name="describe_doc",
        request=n.DescribeDoc,
        response=n.Described,
        http=("PUT", "/v1/docs/{id}/description"),
        body=True,
        contract=False,
        writes=True,
        summary="Keep what a model made of a document: summary, themes, takeaways, insights, open questions.",
        errors=("unknown_document", "unknown_version", "invalid"),
    ),
    Op(
        name="describe_bundle",
        request=n.DescribeBundle,
        response=n.Described,
        http=("PUT", "/v1/bundles/{id}/description"),
        body=True,
        contract=False,
        writes=True,
        summary="Keep what a model made of a bundle: summary, themes, takeaways, insights, gaps, connections.",
        errors=("unknown_bundle", "unknown_document", "invalid"),
    ),
)
