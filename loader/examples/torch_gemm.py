"""MXFP4 GEMM of torch tensors on torch's current stream, through libmxgemm by ctypes alone.

    python3 torch_gemm.py LIBMXGEMM.SO PACK

multiplies a small matrix and looks at the result: with torch where it has a GPU, else with plain HIP allocations, on
the HIP library that MXG_HIP names (or the system's). To use it in a program:

    library = Library("libmxgemm.so", "/usr/local/share/mxgemm/mxgemm-gfx950.mxpack")
    linear = TorchLinear(library, weight)       # weight: bf16 [n][k], on any device
    y = linear(x)                               # x: bf16 [..., k] on the current GPU; y: bf16 [..., n]

Before a stream is captured into a graph, call linear once with as many rows, on any stream: that loads the kernel.
"""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p

# ---- What mxgemm.h declares, as far as it is used here ----------------------------------------------------------

SHUFFLED = 2  # mxg_layout


class Problem(ctypes.Structure):
    _fields_ = (
        [("struct_bytes", c_uint64)]
        + [(name, c_int64) for name in ("m", "n", "k", "lda", "ldb", "ldc", "ld_b_scale")]
        + [(name, c_int32) for name in ("a_format", "c_format", "b_layout", "scale_layout")]
        + [("variant", c_char_p), ("split", c_int32), ("reserved", c_int32), ("ld_a_scale", c_int64)]
    )


class Buffers(ctypes.Structure):
    _fields_ = (
        [("struct_bytes", c_uint64)]
        + [(name, c_void_p) for name in ("a", "a_scale", "b", "b_scale", "c", "bias")]
        + [("alpha", c_float), ("reserved", c_uint32)]
    )


class Options(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", c_uint64),
        ("device", c_int32),
        ("reserved", c_int32),
        ("hip_path", c_char_p),
        ("resolve", c_void_p),
        ("user", c_void_p),
    ]


PROTOTYPES = {
    "mxg_library_open_file": [c_char_p, POINTER(c_void_p)],
    "mxg_context_create": [c_void_p, POINTER(Options), POINTER(c_void_p)],
    "mxg_plan_create": [c_void_p, POINTER(Problem), POINTER(c_void_p)],
    "mxg_workspace_init": [c_void_p, c_void_p, c_uint64, c_void_p],
    "mxg_run": [c_void_p, POINTER(Buffers), c_void_p, c_uint64, c_void_p],
    "mxg_scale_bytes": [c_int64, c_int64, c_int32, POINTER(c_uint64)],
    "mxg_quantize_bf16": [c_int64, c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_int32],
    "mxg_shuffle_b": [c_int64, c_int64, c_void_p, c_void_p],
}


class Library:
    """A pack, opened. Its functions raise an exception where the C ones return an error. It stays open until the
    process ends, and so do its contexts, one a device, and the plans below."""

    def __init__(self, library_path, pack_path):
        self.c = ctypes.CDLL(library_path)
        self.c.mxg_last_error.restype = c_char_p
        self.c.mxg_plan_workspace_bytes.argtypes = [c_void_p]
        self.c.mxg_plan_workspace_bytes.restype = c_uint64
        for name, arguments in PROTOTYPES.items():
            function = getattr(self.c, name)
            function.argtypes = arguments
            function.errcheck = self._check
        self.handle = c_void_p()
        self.contexts = {}  # by device
        self.c.mxg_library_open_file(os.fsencode(pack_path), byref(self.handle))

    def _check(self, status, function, arguments):
        if status != 0:
            raise RuntimeError(self.c.mxg_last_error().decode(errors="replace"))
        return status

    def context(self, device):
        if device not in self.contexts:
            context = c_void_p()
            options = Options(struct_bytes=ctypes.sizeof(Options), device=device)
            self.c.mxg_context_create(self.handle, byref(options), byref(context))
            self.contexts[device] = context
        return self.contexts[device]

    def quantize_weights(self, weights, n, k):
        """Host memory: bf16 [n][k] at the address `weights` to what kernels take fastest: codes and scales, shuffled,
        as two bytearrays."""
        scale_bytes = c_uint64()
        self.c.mxg_scale_bytes(n, k, SHUFFLED, byref(scale_bytes))
        codes, shuffled, scales = (bytearray(size) for size in (n * k // 2, n * k // 2, scale_bytes.value))
        at = [(ctypes.c_char * len(part)).from_buffer(part) for part in (codes, shuffled, scales)]
        self.c.mxg_quantize_bf16(n, k, weights, k, at[0], at[2], SHUFFLED)
        self.c.mxg_shuffle_b(n, k, at[0], at[1])
        return shuffled, scales


class Gemm:
    """C[m][n] = A[m][k] * B[n][k]^T, A and C in bf16, B from quantize_weights(), on one device. All addresses are
    integers, of device memory; `stream` is a hipStream_t as one."""

    def __init__(self, library, device, n, k):
        self.library, self.device, self.n, self.k = library, device, n, k
        self.plans = {}  # by m

    def plan(self, m):
        if m not in self.plans:
            plan = c_void_p()
            problem = Problem(struct_bytes=ctypes.sizeof(Problem), m=m, n=self.n, k=self.k)
            problem.b_layout = problem.scale_layout = SHUFFLED
            self.library.c.mxg_plan_create(self.library.context(self.device), byref(problem), byref(plan))
            self.plans[m] = plan
        return self.plans[m]

    def workspace_bytes(self, m):
        return self.library.c.mxg_plan_workspace_bytes(self.plan(m))

    def init_workspace(self, m, workspace, workspace_bytes, stream):
        self.library.c.mxg_workspace_init(self.plan(m), workspace, workspace_bytes, stream)

    def run(self, m, a, b, b_scale, c, workspace, workspace_bytes, stream):
        buffers = Buffers(struct_bytes=ctypes.sizeof(Buffers), a=a, b=b, b_scale=b_scale, c=c, alpha=1)
        self.library.c.mxg_run(self.plan(m), byref(buffers), workspace, workspace_bytes, stream)


# ---- torch ------------------------------------------------------------------------------------------------------


class TorchLinear:
    """x -> x * weight^T, the weight in MXFP4. Not for two threads at once."""

    def __init__(self, library, weight, device="cuda"):
        import torch

        self.torch = torch
        n, k = weight.shape
        self.device = torch.empty(0, device=device).device  # "cuda" with its index
        host = weight.detach().to("cpu", torch.bfloat16).contiguous()
        codes, scales = library.quantize_weights(host.data_ptr(), n, k)
        self.codes = torch.frombuffer(codes, dtype=torch.uint8).to(self.device)
        self.scales = torch.frombuffer(scales, dtype=torch.uint8).to(self.device)
        self.gemm = Gemm(library, self.device.index, n, k)
        self.workspaces = {}  # one a stream, of what is not captured

    def __call__(self, x):
        torch, gemm = self.torch, self.gemm
        if x.dtype != torch.bfloat16 or x.device != self.device or x.shape[-1] != gemm.k:
            what = f"{x.dtype} {tuple(x.shape)} on {x.device}"
            raise ValueError(f"x is {what}, not bf16 [..., {gemm.k}] on {self.device}")
        x = x.contiguous()
        y = torch.empty(*x.shape[:-1], gemm.n, dtype=x.dtype, device=x.device)
        m = x.numel() // gemm.k
        with torch.cuda.device(self.device):
            stream = torch.cuda.current_stream().cuda_stream
            workspace = self.workspace(m, stream)
            gemm.run(m, x.data_ptr(), self.codes.data_ptr(), self.scales.data_ptr(), y.data_ptr(),
                     workspace.data_ptr(), workspace.numel(), stream)
        return y

    def workspace(self, m, stream):
        """One that is made in a capture is of the graph's memory, and made ready when the graph runs: no other launch may
        use it. And a graph may not use one that a later call replaces by a larger one."""
        needed = self.gemm.workspace_bytes(m)
        captured = self.torch.cuda.is_current_stream_capturing()
        workspace = None if captured else self.workspaces.get(stream)
        if workspace is None or workspace.numel() < needed:
            workspace = self.torch.empty(needed, dtype=self.torch.uint8, device=self.device)
            self.gemm.init_workspace(m, workspace.data_ptr(), needed, stream)
            if not captured:
                self.workspaces[stream] = workspace
        return workspace


# ---- A check: values of E2M1 with a 6 in every block, whose products are exact ----------------------------------

M, N, K = 4, 64, 512
VALUES = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -1.5, -2, -3, -4, -6]


def rows_of(count):
    return [[VALUES[(row * 7 + column) % len(VALUES)] for column in range(K)] for row in range(count)]


def to_bf16(value):
    """The bits, to nearest even; no NaN."""
    bits = c_uint32.from_buffer(c_float(value)).value
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def expected():
    return [[sum(x * y for x, y in zip(a, b)) for b in rows_of(N)] for a in rows_of(M)]


def check_with_torch(library):
    import torch

    weight = torch.tensor(rows_of(N), dtype=torch.bfloat16)
    x = torch.tensor(rows_of(M), dtype=torch.bfloat16, device="cuda")
    linear = TorchLinear(library, weight)
    with torch.cuda.stream(torch.cuda.Stream()):
        y = linear(x)
        torch.cuda.current_stream().synchronize()
    return torch.equal(y.cpu(), torch.tensor(expected()).to(torch.bfloat16))


def check_with_hip(library):
    hip = ctypes.CDLL(os.environ.get("MXG_HIP") or "libamdhip64.so")

    def call(name, *arguments):
        status = getattr(hip, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name} failed with {status}")

    def on_device(data):
        memory = c_void_p()
        call("hipMalloc", byref(memory), ctypes.c_size_t(len(data)))
        call("hipMemcpy", memory, bytes(data), ctypes.c_size_t(len(data)), c_int(1))
        return memory.value

    def bf16_bytes(rows):
        return b"".join(to_bf16(value).to_bytes(2, "little") for row in rows for value in row)

    stream = c_void_p()
    call("hipStreamCreate", byref(stream))
    codes, scales = library.quantize_weights(bf16_bytes(rows_of(N)), N, K)
    gemm = Gemm(library, 0, N, K)
    size = gemm.workspace_bytes(M)
    workspace = on_device(bytes(size)) if size else None
    a, b, b_scale, c = (on_device(data) for data in (bf16_bytes(rows_of(M)), codes, scales, bytes(M * N * 2)))
    gemm.init_workspace(M, workspace, size, stream.value)
    gemm.run(M, a, b, b_scale, c, workspace, size, stream.value)
    call("hipStreamSynchronize", stream)
    result = ctypes.create_string_buffer(M * N * 2)
    call("hipMemcpy", result, c_void_p(c), ctypes.c_size_t(M * N * 2), c_int(2))
    for memory in filter(None, (a, b, b_scale, c, workspace)):
        call("hipFree", c_void_p(memory))
    return result.raw == bf16_bytes(expected())


def has_torch():
    try:
        import torch
    except ImportError:
        return False
    return torch.version.hip is not None and torch.cuda.is_available()


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: torch_gemm.py LIBMXGEMM.SO PACK")
    with_torch = has_torch()  # before the library looks for HIP, which torch brings
    library = Library(sys.argv[1], sys.argv[2])
    right = check_with_torch(library) if with_torch else check_with_hip(library)
    print(f"{M}x{N}x{K} with {'torch' if with_torch else 'HIP'}: {'right' if right else 'wrong'}")
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
