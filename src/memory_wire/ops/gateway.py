"""The gateway to integrations."""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import integrations as i
    from memory_wire import types as t
else:
    i = Later("integrations")
    t = Later("types")

OPS: tuple[Op, ...] = (
    Op(
        name="gateway_call",
        request=i.GatewayCall,
        response=i.GatewayAnswer,
        http=("POST", "/v1/gateway"),
        body=True,
        contract=False,
        apart=True,
        needs="write",
        cli="gateway-call",
        tool="gateway_call",
        summary="Call an integration of the project; its secrets stay on the server.",
        errors=("invalid", "unknown_integration", "forbidden", "outside_failed", "outside_timeout"),
    ),
    Op(
        name="exposed_tools",
        request=t.Empty,
        response=i.ExposedTools,
        http=("GET", "/v1/gateway/tools"),
        contract=False,
        needs="write",
        summary="Integrations of the project that are tools of their own.",
        errors=("forbidden",),
    ),
    Op(
        name="integrations",
        request=i.ListIntegrations,
        response=i.Integrations,
        http=("GET", "/v1/admin/integrations"),
        contract=False,
        needs="admin",
        summary="The project's integrations, without their secrets.",
        errors=("unknown_name",),
    ),
    Op(
        name="set_integration",
        request=i.SetIntegration,
        response=i.IntegrationRow,
        http=("POST", "/v1/admin/integrations"),
        body=True,
        contract=False,
        writes=True,
        needs="admin",
        summary="Allow the project's agents to call a server, or change how.",
        errors=("invalid", "forbidden", "unknown_name"),
    ),
    Op(
        name="remove_integration",
        request=i.RemoveIntegration,
        response=i.IntegrationRemoved,
        http=("POST", "/v1/admin/integrations/remove"),
        body=True,
        contract=False,
        writes=True,
        needs="admin",
        summary="Allow it no longer.",
        errors=("unknown_name",),
    ),
)
