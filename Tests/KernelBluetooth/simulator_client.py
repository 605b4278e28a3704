"""A client of `meshplan sim run`: the frames of Sources/Bearers/Frames, with asyncio."""

import asyncio
import struct

MAGIC = b"mesh"
VERSION = 2
SILENCE = 60  # seconds in which we say something at least
PROXY, PROVISIONING = 1, 2


class SimulatorClient:
    """One connection, on which it scans. What comes is given to `heard(advertiser, is_proxy, signal, data, has_uri)`, and for
    each link to `opened()`, `received(packet)` and `closed(message)` of the object that `connect` was called with."""

    def __init__(self, heard):
        self.heard = heard
        self.links = {}
        self.next_link = 0
        self.ended = self.heartbeat = None

    async def start(self, path):
        """Connects, and begins to scan and to read; `ended` is done when the connection is."""
        self.reader, self.writer = await asyncio.open_unix_connection(path)
        self.send(0x01, MAGIC + struct.pack(">HH", VERSION, SILENCE * 1000))
        hello = await self.read()
        if hello[0] != 0x81:
            raise ConnectionError(f"the simulator says {hello.hex()}")
        self.send(0x05, b"\x01")
        self.ended = asyncio.ensure_future(self.run())
        self.stay()

    def close(self):
        if self.ended:
            self.ended.cancel()
            self.writer.close()
        if self.heartbeat:
            self.heartbeat.cancel()

    def stay(self):
        """Says that we are there, and will say so again."""
        self.send(0x06, b"")
        self.heartbeat = asyncio.get_running_loop().call_later(SILENCE / 2, self.stay)

    def connect(self, kind, advertiser, link):
        """Opens a link; its number."""
        number, self.next_link = self.next_link, self.next_link + 1
        self.links[number] = link
        self.send(0x02, struct.pack(">IB", number, kind) + advertiser)
        return number

    def packet(self, number, packet):
        """Writes a packet to Data In."""
        self.send(0x03, struct.pack(">I", number) + packet)

    def disconnect(self, number):
        """Closes a link."""
        if self.links.pop(number, None):
            self.send(0x04, struct.pack(">I", number))

    def send(self, kind, body):
        self.writer.write(struct.pack(">HB", len(body) + 1, kind) + body)

    async def read(self):
        (length,) = struct.unpack(">H", await self.reader.readexactly(2))
        return await self.reader.readexactly(length)

    async def run(self):
        try:
            while True:
                content = await self.read()
                self.handle(content[0], content[1:])
        except (asyncio.IncompleteReadError, ConnectionError):
            pass

    def handle(self, kind, body):
        number = int.from_bytes(body[:4], "big")
        if kind == 0x82 and (link := self.links.get(number)):
            link.opened()
        elif kind == 0x83 and (link := self.links.get(number)):
            link.received(body[4:])
        elif kind == 0x84 and (link := self.links.pop(number, None)):
            length = int.from_bytes(body[4:6], "big")
            link.closed(body[6 : 6 + length].decode())
        elif kind == 0x85:
            end = 1 + body[0]
            has_signal, signal, has_uri, _, is_proxy = struct.unpack(">?b?I?", body[end : end + 8])
            self.heard(body[1:end], is_proxy, signal if has_signal else 127, body[end + 8 :], has_uri)
