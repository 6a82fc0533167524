"""The smallest grpc.aio server there is: bytes in, the same bytes out. The baseline of servers.

    python -m benchmarks.echo_server

It imports nothing of the catalog, so that its start and its memory are gRPC's own.
"""

from __future__ import annotations

import asyncio

import grpc

ECHO = "/benchmark.Echo/Echo"


async def started_echo_server() -> tuple[grpc.aio.Server, int]:
    """A serving echo and its port."""

    async def echo(request: bytes, _context: object) -> bytes:
        return request

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handler = grpc.unary_unary_rpc_method_handler(echo)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("benchmark.Echo", {"Echo": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    return server, port


async def _serve() -> None:
    server, port = await started_echo_server()
    print(f"serving on 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(_serve())
