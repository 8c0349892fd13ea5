"""Fixtures that ask the client for something: by a request of their own (legacy), or by an answer that wants input (modern)."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Callable, Generator, Mapping
from typing import Any

from memory_wire.mcp.dispatch import Context
from memory_wire.mcp.rpc import PARAMS, Fault
from memory_wire.mcp.steps import Ask, Hold, Notify, Run

Json = dict[str, Any]
Params = Mapping[str, Any]
Work = Generator[Run | Notify | Ask | Hold, Any, Json]
Handler = Callable[[Context, Params], Json | Work]

KEY = os.urandom(16)


def fields(**kinds: str) -> Json:
    return {"type": "object", "properties": {name: {"type": kind} for name, kind in kinds.items()}, "required": list(kinds)}


def said(value: str) -> Json:
    return {"content": [{"type": "text", "text": value}]}


def elicit(message: str, schema: Json) -> Json:
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sample(prompt: str, tokens: int) -> Json:
    message = {"role": "user", "content": {"type": "text", "text": prompt}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": tokens}}


ROOTS: Json = {"method": "roots/list", "params": {}}

# legacy -----------------------------------------------------------------------------------------------------------------------------

DEFAULTS: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)]
ENUMS: Json = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    },
}


def sampling(context: Context, params: Params) -> Work:
    answer = yield Ask(**sample(params["arguments"]["prompt"], 100))
    return said(f"LLM response: {answer['content']['text']}")


def eliciting(context: Context, params: Params) -> Work:
    user = {"type": "string", "description": "User's response"}
    schema: Json = {"type": "object", "properties": {"username": user, "email": user}, "required": ["username", "email"]}
    answer = yield Ask(**elicit(params["arguments"]["message"], schema))
    return said(f"User response: {json.dumps(answer)}")


def form(schema: Json) -> Handler:
    def work(context: Context, params: Params) -> Work:
        answer = yield Ask(**elicit("Please fill in", schema))
        return said(f"Elicitation completed: action={answer['action']}, content={json.dumps(answer.get('content'))}")

    return work


LEGACY: dict[str, tuple[Json, Handler]] = {
    "test_sampling": (fields(prompt="string"), sampling),
    "test_elicitation": (fields(message="string"), eliciting),
    "test_elicitation_sep1034_defaults": (fields(), form(DEFAULTS)),
    "test_elicitation_sep1330_enums": (fields(), form(ENUMS)),
}

# modern -----------------------------------------------------------------------------------------------------------------------------


def wants(requests: Json, state: str | None = None) -> Json:
    asked: Json = {"resultType": "input_required", "inputRequests": requests}
    return asked if state is None else {**asked, "requestState": sealed(state)}


def sealed(state: str) -> str:
    return f"{state}.{hmac.digest(KEY, state.encode(), hashlib.sha256).hex()}"


def state_of(params: Params) -> str | None:
    """The state that came back. Raises Fault when it isn't ours."""
    found = params.get("requestState")
    if found is None:
        return None
    state = str(found).rpartition(".")[0]
    if not hmac.compare_digest(sealed(state), str(found)):
        raise Fault(PARAMS, "the request state was changed")
    return state


def given(params: Params, key: str) -> Json | None:
    """What the client answered to one of our requests."""
    responses = params.get("inputResponses")
    found = responses.get(key) if isinstance(responses, dict) else None
    return found if isinstance(found, dict) else None


def once(key: str, request: Json, then: Callable[[Json], str], state: str | None = None) -> Handler:
    """Asks one thing, then answers."""

    def work(context: Context, params: Params) -> Json:
        came = state_of(params)
        answer = given(params, key)
        return wants({key: request}, state) if answer is None or came != state else said(then(answer))

    return work


NAME, CONFIRM = elicit("What is your name?", fields(name="string")), elicit("Please confirm", fields(ok="boolean"))
THREE: Json = {"user_name": NAME, "greeting": sample("Generate a greeting", 50), "client_roots": ROOTS}


def three(context: Context, params: Params) -> Json:
    came = state_of(params)
    return said("all three") if came and all(given(params, key) for key in THREE) else wants(THREE, "three")


def rounds(context: Context, params: Params) -> Json:
    came = state_of(params)
    if came == "one" and given(params, "step1"):
        return wants({"step2": elicit("Step 2: What is your favorite color?", fields(color="string"))}, "two")
    if came == "two" and given(params, "step2"):
        return said("two rounds")
    return wants({"step1": elicit("Step 1: What is your name?", fields(name="string"))}, "one")


def capable(context: Context, params: Params) -> Json:
    """Asks only for what the client said it can do."""
    possible = {"elicitation": ("name", NAME), "sampling": ("greeting", sample("Generate a greeting", 50)), "roots": ("roots", ROOTS)}
    return wants(dict(asked for able, asked in possible.items() if able in context.capabilities))


def prompted(context: Context, params: Params) -> Json:
    answer = given(params, "user_context")
    if answer is None:
        return wants({"user_context": elicit("What context should the prompt use?", fields(context="string"))})
    return {"messages": [{"role": "user", "content": {"type": "text", "text": json.dumps(answer.get("content"))}}]}


MODERN: dict[str, Handler] = {
    "elicitation": once("user_name", NAME, lambda answer: f"Hello, {answer['content']['name']}!"),
    "sampling": once("capital_question", sample("What is the capital of France?", 100), lambda answer: json.dumps(answer["content"])),
    "list_roots": once("client_roots", ROOTS, lambda answer: json.dumps(answer["roots"])),
    "request_state": once("confirm", CONFIRM, lambda answer: "state-ok", "asked"),
    "tampered_state": once("confirm", CONFIRM, lambda answer: "state-ok", "asked"),
    "multiple_inputs": three,
    "multi_round": rounds,
    "capabilities": capable,
    "streaming": once("user_name", NAME, lambda answer: "streamed"),
}
