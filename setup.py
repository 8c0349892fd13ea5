"""Extension modules: Cython over plain C in csrc/. Everything else is in pyproject.toml.

Build switches (environment):
  MEMORY_WIRE_ONLY=text,rank   build just these extensions
  MEMORY_WIRE_CHECKS=1         all Cython checks on, assertions in C on
  MEMORY_WIRE_SANITIZE=1       AddressSanitizer and UBSan (run with libasan preloaded)
"""

import os
import shutil

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel

CHECKS = os.environ.get("MEMORY_WIRE_CHECKS") == "1"
SANITIZE = os.environ.get("MEMORY_WIRE_SANITIZE") == "1"
ONLY = {name for name in os.environ.get("MEMORY_WIRE_ONLY", "").split(",") if name}

SOURCES = {
    "text": ["fold.c", "stem.c", "token.c", "hash.c", "scan.c", "disguise.c", "orders.c"],
    "postings": ["codec.c", "part.c", "segment.c", "live.c", "build.c", "merge.c", "stats.c", "verify.c"],
    "rank": ["rank.c", "choose.c", "rescore.c", "filter.c", "fuzzy.c", "codec.c", "part.c", "segment.c", "live.c"],
    "fuse": ["fuse.c"],
    "sysmem": ["mem.c"],
    "vec": ["dot.c", "near.c", "codec.c"],
}

COMPILE = ["-std=c11", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra"]
LINK: list[str] = []
if SANITIZE:
    COMPILE += ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    LINK += ["-fsanitize=address,undefined"]
else:
    COMPILE += ["-O3", "-g0", "-Wno-unused-function"]
    LINK += ["-s", "-Wl,--gc-sections"] if os.uname().sysname == "Linux" else ["-Wl,-dead_strip", "-Wl,-x"]
MACROS = [("CYTHON_USE_TYPE_SPECS", "1")] + ([] if CHECKS else [("NDEBUG", "1")])
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKS,
    "wraparound": CHECKS,
    "initializedcheck": CHECKS,
    "overflowcheck": CHECKS,
    "cdivision": not CHECKS,
    "embedsignature": True,
    "binding": False,
}


def extension(name: str) -> Extension:
    return Extension(
        f"memory_wire.kernels.{name}",
        [f"src/memory_wire/kernels/{name}.pyx", *(f"csrc/{source}" for source in SOURCES[name])],
        include_dirs=["csrc"],
        extra_compile_args=COMPILE,
        extra_link_args=LINK,
        define_macros=MACROS,
        depends=[f"{folder}/{entry}" for folder in ("csrc", "csrc/tables") for entry in os.listdir(folder) if entry.endswith(".h")],
    )


class Wheel(bdist_wheel):
    """Without what an earlier build in the same folder left behind: a module since removed must not be shipped."""

    def run(self) -> None:
        shutil.rmtree(self.get_finalized_command("build").build_lib, ignore_errors=True)
        super().run()


setup(
    cmdclass={"bdist_wheel": Wheel},
    ext_modules=cythonize(
        [extension(name) for name in SOURCES if not ONLY or name in ONLY],
        compiler_directives=DIRECTIVES,
        include_path=["src"],
        build_dir="build/cython",
    ),
)
