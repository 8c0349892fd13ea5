"""Work that is done in the background."""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import background as b
else:
    b = Later("background")

OPS: tuple[Op, ...] = (
    Op(
        name="jobs",
        request=b.ListJobs,
        response=b.JobList,
        http=("GET", "/v1/jobs"),
        contract=False,
        needs="admin",
        summary="What waits to be done in the background, and what was given up.",
    ),
    Op(
        name="run_jobs",
        request=b.RunJobs,
        response=b.JobList,
        http=("POST", "/v1/jobs/run"),
        body=True,
        contract=False,
        apart=True,
        needs="admin",
        summary="Do now what waits; the answer is what is left.",
        errors=("storage",),
    ),
)
