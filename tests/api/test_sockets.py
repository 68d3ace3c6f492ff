"""Faults as the network really makes them, on this machine."""

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.doubles.servers import KEY

from flagtui.api import Client, Deadlines, errors
from flagtui.api.errors import ApiError

BODY = b'{"id": 5, "key": "a"}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(talk: Talk, trust: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port of a server that reads a request and then does as told."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await talk(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=trust)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


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


async def test_a_plain_answer_arrives() -> None:
    async with listening(answer) as port, Client(f"http://127.0.0.1:{port}", KEY, 1) as client:
        assert (await client.flags.get(5)).key == "a"


@pytest.mark.parametrize("talk", [half, hang_up, babble, silence, drip], ids=lambda talk: talk.__name__)
async def test_a_write_without_a_whole_answer_is_not_known(talk: Talk) -> None:
    limits = Deadlines(read=0.05, write=0.05)
    async with (
        listening(talk) as port,
        Client(f"http://127.0.0.1:{port}", KEY, 1, deadlines=limits) as client,
    ):
        with pytest.raises(errors.Unanswered) as caught:
            await client.flags.update(5, {"active": True})
        assert caught.value.sent
        assert client.link.requests == 1


async def test_untrusted_certificate_is_refused_until_it_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    bundle = make_certificate(tmp_path)
    trust.load_cert_chain(bundle)
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    async with listening(answer, trust) as port:
        async with Client(f"https://127.0.0.1:{port}", KEY, 1) as client:
            with pytest.raises(errors.TlsFailed) as caught:
                await client.flags.update(5, {"active": True})
            assert not caught.value.sent
        async with Client(f"https://127.0.0.1:{port}", KEY, 1, ca_bundle=str(bundle)) as client:
            assert await outcome(client) is None
        async with Client(f"https://127.0.0.1:{port}", KEY, 1) as client:
            # A bundle is that of one client.
            assert isinstance(await outcome(client), errors.TlsFailed)
        monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
        async with Client(f"https://127.0.0.1:{port}", KEY, 1) as client:
            error = await outcome(client)
            assert error is None, error


async def outcome(client: Client) -> ApiError | None:
    try:
        await client.flags.get(5)
    except ApiError as error:
        return error
    return None


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_proxy_never_sees_what_goes_to_this_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    seen: list[bytes] = []

    async def snoop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(b"!")

    async with listening(snoop) as proxy, listening(answer) as port:
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        async with Client(f"http://127.0.0.1:{port}", KEY, 1) as client:
            assert (await client.flags.get(5)).key == "a"
    assert seen == []


async def test_a_proxy_from_the_environment_is_used_for_other_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    async with Client("https://flags.example.test", KEY, 1) as client:
        with pytest.raises(errors.ProxyFailed):
            await client.flags.get(5)
    server.close()
    assert requests
    assert requests[0].startswith(b"CONNECT flags.example.test:443")
    assert KEY.encode() not in b"".join(requests)


def make_certificate(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that signs itself, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "flagtui test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path


async def test_cancelled_requests_never_use_up_the_connections() -> None:
    async with listening(answer) as port, Client(f"http://127.0.0.1:{port}", KEY, 1) as client:

        async def give_up_after(turns: int) -> None:
            reading = asyncio.ensure_future(client.flags.get(5))
            for _ in range(turns):
                await asyncio.sleep(0)
            reading.cancel()
            await asyncio.wait([reading])

        for turns in range(40):
            await asyncio.gather(*(give_up_after(turns) for _ in range(8)))
        assert (await asyncio.wait_for(client.flags.get(5), 5)).key == "a"
