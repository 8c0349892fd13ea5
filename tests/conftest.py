"""One Hypothesis profile for all tests: no deadlines, since two cores are shared; failures print how to run them again."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("suite", deadline=None, print_blob=True)
settings.load_profile("suite")
