"""ONNX sessions on the CPU that scale by processes, not by threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def session(path: Path, threads: int) -> Any:
    """Open a model on the CPU with `threads` threads (1: workers do not fight for cores, and sums keep their order)."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
