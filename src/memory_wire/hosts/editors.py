"""Where VS Code and the editors built from it keep the files of their user and of their extensions."""

from __future__ import annotations

import os

from memory_wire.hosts.base import Environment

EDITIONS = ("Code", "Code - Insiders", "VSCodium")


def users(env: Environment) -> list[str]:
    """The folders of the user's settings, of which some may exist."""
    base = env.at("Library", "Application Support") if env.platform == "darwin" else env.config()
    return [os.path.join(base, edition, "User") for edition in EDITIONS]


def storage(env: Environment, extension: str) -> list[str]:
    """The folders that exist of an extension."""
    found = [os.path.join(user, "globalStorage", extension) for user in users(env)]
    return [folder for folder in found if os.path.isdir(folder)]
