"""Faults as the network really makes them, on this machine."""

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Unpack

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.doubles.servers import HOST, KEY

from flagtui.api import Client, Deadlines, errors
from flagtui.api.client import ClientOptions

BODY = b'{"id": 5, "key": "a"}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(
    talk: Talk, trust: ssl.SSLContext | None = None, heads: list[bytes] | None = None
) -> AsyncIterator[int]:
    """The port of a server that reads a request, adds it to `heads`, and then does as told."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if heads is not None:
                heads.append(head)
            await talk(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=trust)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        # A connection that is accepted as the server closes would stay open.
        for _ in range(3):
            await asyncio.sleep(0)
            if tasks := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(tasks)
        server.close()
        await server.wait_closed()


def client_at(port: int, scheme: str = "http", **options: Unpack[ClientOptions]) -> Client:
    return Client(f"{scheme}://127.0.0.1:{port}", KEY, 1, **options)


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY)
    await writer.drain()


async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"Content-Length: 500\r\n\r\n" + BODY)
    await writer.drain()


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH\r\n\r\n")
    await writer.drain()


async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"Content-Length: 100000\r\n\r\n")
    while not writer.is_closing():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.005)


@pytest.mark.parametrize("talk", [half, hang_up, babble, silence, drip], ids=lambda talk: talk.__name__)
async def test_a_write_without_a_whole_answer_is_not_known(talk: Talk) -> None:
    async with listening(talk) as port, client_at(port, deadlines=Deadlines(read=0.05, write=0.05)) as client:
        with pytest.raises(errors.Unanswered):
            await client.flags.update(5, {"active": True})
        assert client.link.requests == 1


async def test_untrusted_certificate_is_refused_until_it_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    bundle = make_certificate(tmp_path)
    trust.load_cert_chain(bundle)
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    async with listening(answer, trust) as port:
        async with client_at(port, "https") as client:
            with pytest.raises(errors.TlsFailed):
                await client.flags.update(5, {"active": True})
        async with client_at(port, "https", ca_bundle=str(bundle)) as client:
            assert (await client.flags.get(5)).key == "a"
        # A bundle is that of one client.
        async with client_at(port, "https") as client:
            with pytest.raises(errors.TlsFailed):
                await client.flags.get(5)
        monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
        async with client_at(port, "https") as client:
            assert (await client.flags.get(5)).key == "a"


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_proxy_never_sees_what_goes_to_this_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    seen: list[bytes] = []
    async with listening(hang_up, heads=seen) as proxy, listening(answer) as port:
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        async with client_at(port) as client:
            assert (await client.flags.get(5)).key == "a"
    assert seen == []


async def test_a_proxy_from_the_environment_is_used_for_other_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[bytes] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async with listening(refuse, heads=heads) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy}")
        async with Client(HOST, KEY, 1) as client:
            with pytest.raises(errors.ProxyFailed):
                await client.flags.get(5)
    assert heads[0].startswith(b"CONNECT flags.example.test:443")
    assert KEY.encode() not in b"".join(heads)


def make_certificate(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that signs itself, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "flagtui test")])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    addresses = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now - day, now + day)
    builder = builder.add_extension(addresses, critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    certificate = builder.sign(key, hashes.SHA256())
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    path = folder / "server.pem"
    path.write_bytes(
        key.private_bytes(pem, pkcs8, serialization.NoEncryption()) + certificate.public_bytes(pem)
    )
    return path


async def test_cancelled_requests_never_use_up_the_connections() -> None:
    async with listening(answer) as port, client_at(port) as client:

        async def give_up_after(turns: int) -> None:
            reading = asyncio.ensure_future(client.flags.get(5))
            for _ in range(turns):
                await asyncio.sleep(0)
            reading.cancel()
            await asyncio.wait([reading])

        for turns in range(40):
            await asyncio.gather(*(give_up_after(turns) for _ in range(8)))
        assert (await asyncio.wait_for(client.flags.get(5), 5)).key == "a"
