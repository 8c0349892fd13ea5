"""What the conformance suite wants to find on a server: tools, resources and prompts with fixed answers.

Those that ask the client back are in asking.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from memory_wire.mcp.dispatch import Context, Provider
from memory_wire.mcp.rpc import PARAMS, Fault
from memory_wire.mcp.steps import Notify
from tests.mcp import asking
from tests.mcp.asking import Handler, Json, Params, Work, fields, said

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"  # one red pixel
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="  # one sample of silence
IMAGE: Json = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO: Json = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
DIALECT: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADED: Json = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}, "required": ["region"]}

# tools ------------------------------------------------------------------------------------------------------------------------------


def text(value: str) -> Json:
    return {"type": "text", "text": value}


def embedded(uri: str, kind: str, value: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": value}}


def says(*content: Json) -> Handler:
    return lambda context, params: {"content": list(content)}


def failing(context: Context, params: Params) -> Json:
    return {"isError": True, **said("This tool intentionally returns an error for testing")}


def progressing(context: Context, params: Params) -> Work:
    for done in (0, 50, 100):
        yield Notify("notifications/progress", {"progress": done, "total": 100})
    return said("done")


def logging(context: Context, params: Params) -> Work:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        yield Notify("notifications/message", {"level": "info", "data": line})
    return said("logged")


def wanting(context: Context, params: Params) -> Json:
    context.need(sampling={})
    return said("sampled")


MIXED = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
TOOLS: dict[str, tuple[Json, Handler]] = {
    "test_simple_text": (fields(), says(text("This is a simple text response for testing."))),
    "test_image_content": (fields(), says(IMAGE)),
    "test_audio_content": (fields(), says(AUDIO)),
    "test_embedded_resource": (fields(), says(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))),
    "test_multiple_content_types": (fields(), says(text("Multiple content types test:"), IMAGE, MIXED)),
    "test_error_handling": (fields(), failing),
    "test_tool_with_progress": (fields(), progressing),
    "test_tool_with_logging": (fields(), logging),
    "test_logging_tool": (fields(), logging),
    "test_missing_capability": (fields(), wanting),
    "json_schema_2020_12_tool": (DIALECT, says(text("valid"))),
    "test_header_param": (HEADED, says(text("routed"))),
    "test_streaming_elicitation": (fields(), asking.MODERN["elicitation"]),
    **{f"test_input_required_result_{name}": (fields(), work) for name, work in asking.MODERN.items()},
    **asking.LEGACY,
}

# resources and prompts --------------------------------------------------------------------------------------------------------------

RESOURCES: dict[str, Json] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "This one may change."},
}
TEMPLATE = "test://template/{id}/data"


def messages(*content: Json) -> Json:
    return {"messages": [{"role": "user", "content": block} for block in content]}


def simple(context: Context, params: Params) -> Json:
    return messages(text("This is a simple prompt for testing."))


def filled(context: Context, params: Params) -> Json:
    found = params["arguments"]
    return messages(text(f"Prompt with arguments: arg1='{found['arg1']}', arg2='{found['arg2']}'"))


def embedding(context: Context, params: Params) -> Json:
    resource = embedded(params["arguments"]["resourceUri"], "text/plain", "Embedded resource content for testing.")
    return messages(resource, text("Please process the embedded resource above."))


def picturing(context: Context, params: Params) -> Json:
    return messages(IMAGE, text("Please analyze the image above."))


PROMPTS: dict[str, tuple[list[str], Handler]] = {
    "test_simple_prompt": ([], simple),
    "test_prompt_with_arguments": (["arg1", "arg2"], filled),
    "test_prompt_with_embedded_resource": (["resourceUri"], embedding),
    "test_prompt_with_image": ([], picturing),
    "test_input_required_result_prompt": ([], asking.prompted),
}


class Fixtures(Provider):
    """All of the above, with two tools that say that the lists have changed."""

    def __init__(self) -> None:
        changing = {"listChanged": True}
        super().__init__(
            {"name": "memory-wire-fixtures", "version": "1"},
            {
                "tools/list": self.list_tools,
                "tools/call": self.call_tool,
                "resources/list": self.list_resources,
                "resources/templates/list": self.list_templates,
                "resources/read": self.read_resource,
                "prompts/list": self.list_prompts,
                "prompts/get": self.get_prompt,
                "completion/complete": lambda context, params: {"completion": {"values": []}},
            },
            capabilities={"tools": changing, "prompts": changing, "resources": {"subscribe": True}, "completions": {}, "logging": {}},
            legacy={"resources/subscribe": lambda context, params: {}, "resources/unsubscribe": lambda context, params: {}},
            subscribable=frozenset({"toolsListChanged", "promptsListChanged", "resourceSubscriptions"}),
        )
        self.tools: dict[str, tuple[Json, Handler]] = {
            **TOOLS,
            "test_trigger_tool_change": (fields(), self.changes("tools")),
            "test_trigger_prompt_change": (fields(), self.changes("prompts")),
        }

    def changes(self, kind: str) -> Handler:
        def work(context: Context, params: Params) -> Json:
            self.publish(kind)
            return said(f"{kind} changed")

        return work

    def header_params(self, tool: str) -> Mapping[tuple[str, ...], tuple[str, str]]:
        return {("region",): ("Region", "string")} if tool == "test_header_param" else {}

    def list_tools(self, context: Context, params: Params) -> Json:
        return {"tools": [{"name": name, "description": f"{name}.", "inputSchema": schema} for name, (schema, _) in self.tools.items()]}

    def call_tool(self, context: Context, params: Params) -> Json | Work:
        return found(self.tools, params)(context, params)

    def list_resources(self, context: Context, params: Params) -> Json:
        listed = [{"uri": uri, "name": uri, "description": f"{uri}.", "mimeType": known["mimeType"]} for uri, known in RESOURCES.items()]
        return {"resources": listed}

    def list_templates(self, context: Context, params: Params) -> Json:
        return {
            "resourceTemplates": [
                {"uriTemplate": TEMPLATE, "name": "data", "description": "Data of an id.", "mimeType": "application/json"}
            ]
        }

    def read_resource(self, context: Context, params: Params) -> Json:
        uri = params["uri"]
        if uri in RESOURCES:
            return {"contents": [{"uri": uri, **RESOURCES[uri]}]}
        before, _, after = TEMPLATE.partition("{id}")
        if not (uri.startswith(before) and uri.endswith(after)):
            raise context.missing("Resource not found", uri)
        id = uri[len(before) : -len(after)]
        data = f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": data}]}

    def list_prompts(self, context: Context, params: Params) -> Json:
        return {
            "prompts": [
                {"name": name, "description": f"{name}.", "arguments": [{"name": word, "required": True} for word in words]}
                for name, (words, _) in PROMPTS.items()
            ]
        }

    def get_prompt(self, context: Context, params: Params) -> Json | Work:
        return found(PROMPTS, params)(context, params)


def found(table: Mapping[str, tuple[object, Handler]], params: Params) -> Handler:
    """The handler of a name. Raises Fault."""
    name = str(params.get("name"))
    if name not in table:
        raise Fault(PARAMS, f"unknown name: {name}")
    return table[name][1]
