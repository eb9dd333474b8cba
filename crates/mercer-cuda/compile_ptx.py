"""Compile src/kernels/kernels.cu to src/kernels/kernels.ptx.gz by NVRTC.

Needs the package nvidia-cuda-nvrtc-cu12 and no device. The first line of the result has the checksum of the source, which a test
compares, so that the two cannot differ.
"""

from __future__ import annotations

import ctypes
import gzip
import hashlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent / "src" / "kernels"
#: The oldest processors that are served; drivers compile for the others.
OPTIONS = [
    b"--gpu-architecture=compute_75",
    b"--std=c++17",
    b"--device-as-default-execution-space",
]


def library() -> ctypes.CDLL:
    import nvidia.cuda_nvrtc

    folder = Path(next(iter(nvidia.cuda_nvrtc.__path__))) / "lib"
    for name in sorted(folder.glob("libnvrtc-builtins.so*")):
        ctypes.CDLL(str(name), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(next(folder.glob("libnvrtc.so*"))))


def compiled(source: bytes) -> bytes:
    nvrtc, program = library(), ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source, b"kernels.cu", 0, None, None
    )
    options = (ctypes.c_char_p * len(OPTIONS))(*OPTIONS)
    status = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options)
    if status:
        sys.exit(
            text(
                nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program
            ).decode()
        )
    return text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)


def text(size_of, read, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    read(program, buffer)
    return buffer.value


def main() -> None:
    source = (HERE / "kernels.cu").read_bytes()
    first = b"// kernels.cu " + hashlib.sha256(source).hexdigest().encode() + b"\n"
    packed = gzip.compress(first + compiled(source), 9, mtime=0)
    (HERE / "kernels.ptx.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
