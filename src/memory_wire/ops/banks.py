"""Banks as wholes: delete, rename, copy, merge, sweep."""

from __future__ import annotations

from memory_wire import types as t
from memory_wire.ops.op import BANK, Op

OPS: tuple[Op, ...] = (
    Op(
        name="delete_bank",
        request=t.DeleteBank,
        response=t.BankDeleted,
        http=("DELETE", BANK),
        contract=False,
        writes=True,
        needs="admin",
        summary="Delete a bank and everything in it; `confirm` repeats its name.",
        errors=("invalid", "unknown_bank"),
    ),
    Op(
        name="rename_bank",
        request=t.RenameBank,
        response=t.BankMoved,
        http=("POST", "/v1/banks/{bank}/rename"),
        body=True,
        contract=False,
        writes=True,
        needs="admin",
        summary="Give a bank another name; everything in it stays as it is.",
        errors=("invalid", "unknown_bank", "bank_exists"),
    ),
    Op(
        name="copy_bank",
        request=t.CopyBank,
        response=t.BankMoved,
        http=("POST", "/v1/banks/{bank}/copy"),
        body=True,
        contract=False,
        writes=True,
        summary="Copy a bank, its memories under new ids, to a bank that isn't there yet.",
        errors=("invalid", "unknown_bank", "bank_exists"),
    ),
    Op(
        name="merge_bank",
        request=t.MergeBank,
        response=t.BankMoved,
        http=("POST", "/v1/banks/{bank}/merge"),
        body=True,
        contract=False,
        writes=True,
        needs="admin",
        summary="Move a bank's memories into another bank, without duplicates, and delete it.",
        errors=("invalid", "unknown_bank"),
    ),
    Op(
        name="sweep",
        request=t.Sweep,
        response=t.Swept,
        http=("POST", "/v1/sweep"),
        body=True,
        contract=False,
        writes=True,
        needs="admin",
        summary="Delete the memories that are older than their bank's ttl_days.",
    ),
)
