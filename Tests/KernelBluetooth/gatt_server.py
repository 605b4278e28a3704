"""Adapters whose neighbours are the nodes of simulators, each of them a GATT server of its own.

    gatt_server.py --listen SOCKET       waits for lines with the arguments below on SOCKET
    gatt_server.py --simulator SOCKET    one adapter, until the simulator ends

Each connection to SOCKET has a radio of its own. The first line asks for an adapter whose radio has the nodes of one
`meshplan sim run --listen unix:…`, and the answer is `hci0` or another name; further lines ask for the state of its
controller, as in `scanning, 2 links`, or are `connections`: how many nodes have had so far. The end of the connection takes
the adapter away.
A node is a Bumble peer that advertises what the simulator says of it and, once somebody subscribes to Data Out, carries
packets between that connection and a link of the simulator.
"""

import argparse
import asyncio
import hashlib
import logging
import os
import shlex
import sys

import peculiar_server
from bumble import att, hci
from bumble.controller import Controller
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink

from simulator_client import PROVISIONING, PROXY, SimulatorClient
from virtual_radio import KernelController, VirtualAdapter, VirtualRadio

SERVICES = {PROVISIONING: (0x1827, 0x2ADB, 0x2ADC), PROXY: (0x1828, 0x2ADD, 0x2ADE)}


def signals(text):
    pairs = (pair.split("=") for pair in text.lower().split(","))
    return {uuid.replace("-", ""): int(signal) for uuid, signal in pairs}


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listen", help="the Unix socket to wait at")
    parser.add_argument("--simulator", help="the Unix socket of the simulator")
    parser.add_argument("--extended", action="store_true", help="a controller with extended scanning and connecting")
    parser.add_argument("--off", action="store_true", help="leave the adapter turned off")
    parser.add_argument("--links", type=int, default=8, help="connections that the controller can have at once")
    parser.add_argument("--interval", type=float, default=0.2, help="seconds between advertisements of a peer")
    parser.add_argument("--uri", help="the URI in the scan response of devices that have one")
    parser.add_argument("--uuids-128", action="store_true", help="UUIDs of 128 bits in the peers' databases")
    parser.add_argument("--asks-mtu", action="store_true", help="peers are GATT clients, too, and exchange the MTU first")
    parser.add_argument("--drop-after", type=int, help="packets after which a peer ends the connection")
    parser.add_argument("--private", type=float, metavar="SECONDS", help="private addresses, others after so long or a connection")
    parser.add_argument(
        "--signals",
        metavar="UUID=DBM,=DBM",
        type=signals,
        default={},
        help="how strongly nodes are heard, and the rest; without, as the simulator says",
    )
    peculiar_server.add_arguments(parser)
    return parser.parse_args(words)


def segments(packet, size):
    """A Proxy PDU in packets of at most `size` octets (Mesh Protocol 6.3.1.1)."""
    kind, data = packet[0] & 0x3F, packet[1:]
    starts, ends = packet[0] >> 6 in (0, 1), packet[0] >> 6 in (0, 3)
    chunks = [data[at : at + size - 1] for at in range(0, len(data), size - 1)] or [b""]
    for index, chunk in enumerate(chunks):
        is_first, is_last = starts and index == 0, ends and index == len(chunks) - 1
        yield bytes([{(1, 1): 0, (1, 0): 1, (0, 0): 2, (0, 1): 3}[is_first, is_last] << 6 | kind]) + chunk


class Node:
    """A node or device of the simulator as a GATT server, and the link of the connection that it has."""

    def __init__(self, station, advertiser):
        self.station, self.options, self.advertiser = station, station.options, advertiser
        self.digest = hashlib.sha256(advertiser).digest()
        # A static address (Core Vol 6 Part B 1.3.2.1), always the same.
        octets = self.digest[:5] + bytes([self.digest[5] | 0xC0])
        self.address = hci.Address(octets, hci.Address.RANDOM_DEVICE_ADDRESS)
        self.controller = Controller("peer", link=station.radio)
        self.controller.le_features &= ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
        self.controller.le_acl_data_packet_length = 251
        self.device = Device("node", address=self.address, host=Host(self.controller, AsyncPipeSink(self.controller)))
        self.device.advertising_interval_min = self.device.advertising_interval_max = self.options.interval * 625
        self.device.on(Device.EVENT_CONNECTION, self.connected)
        self.kind = self.connection = self.link = None
        self.is_busy = False
        self.moves_at = asyncio.get_running_loop().time()

    def sound(self, signal):
        """Is on the radio under its address, so strong."""
        self.signal = signal
        self.station.radio.signals[self.address] = signal
        self.station.radio.peripherals[self.address] = self.controller

    async def advertise(self, kind, data, has_uri):
        """Advertises that service data; a node's database follows what it is now."""
        if self.connection or self.is_busy:
            return
        self.is_busy = True
        if self.kind is None:
            await self.device.power_on()
        if self.options.private and self.moves_at <= asyncio.get_running_loop().time():
            await self.move()
        if kind != self.kind:
            self.kind = kind
            self.make_database()
        service = UUID(SERVICES[kind][0]).to_pdu_bytes()
        fields = [(AdvertisingData.FLAGS, b"\x06")]
        fields.append((AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, service))
        fields.append((AdvertisingData.SERVICE_DATA_16_BIT_UUID, service + data))
        response = [(AdvertisingData.COMPLETE_LOCAL_NAME, f"mesh-{self.advertiser.hex()[-4:]}".encode())]
        if has_uri and self.options.uri:
            # The scheme "https:" is one character, U+0017 (Assigned Numbers 2.7).
            response = [(AdvertisingData.URI, self.options.uri.replace("https:", "\x17").encode())]
        advertised = bytes(AdvertisingData(fields))
        advertiser = self.controller.le_legacy_advertiser
        if not advertiser.enabled or advertiser.advertising_data != advertised:
            await self.device.start_advertising(
                advertising_data=advertised, scan_response_data=bytes(AdvertisingData(response))
            )
        self.is_busy = False

    async def move(self):
        """Takes another resolvable private address; under those before it does not advertise any more."""
        self.moves_at = asyncio.get_running_loop().time() + self.options.private
        await self.device.stop_advertising()
        self.address = self.device.random_address = hci.Address.generate_private_address(self.digest[:16])
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=self.address))
        self.sound(self.signal)

    async def fall_silent(self):
        if self.controller.le_legacy_advertiser.enabled:
            await self.device.stop_advertising()

    def make_database(self):
        service, data_in, data_out = (self.uuid(number) for number in SERVICES[self.kind])
        self.out = Characteristic(data_out, Characteristic.Properties.NOTIFY, 0, b"")
        self.out.on(Characteristic.EVENT_SUBSCRIPTION, self.subscribed)
        write = CharacteristicValue(write=self.write)
        properties = Characteristic.Properties.WRITE_WITHOUT_RESPONSE
        data_in = Characteristic(data_in, properties, Characteristic.WRITEABLE, write)
        self.server = peculiar_server.PeculiarServer(self.device, self.options, self.station.spare)
        self.server.out, self.device.gatt_server = self.out, self.server
        self.device.add_default_services()
        self.device.add_service(Service(service, [data_in, self.out]))

    def uuid(self, number):
        return UUID(f"0000{number:04X}-0000-1000-8000-00805F9B34FB" if self.options.uuids_128 else number)

    def connected(self, connection):
        self.connection, self.packets = connection, 0
        self.station.connections += 1
        self.server.connected()
        connection.on(connection.EVENT_DISCONNECTION, self.disconnected)
        if self.options.asks_mtu:
            asyncio.ensure_future(Peer(connection).request_mtu(self.options.mtu))

    def disconnected(self, _reason):
        self.connection = None
        self.moves_at = 0
        if self.link is not None:
            self.station.simulator.disconnect(self.link)
            self.link = None

    def subscribed(self, _bearer, is_on, _indicates):
        if is_on and self.options.error is not None and self.server.has_trouble():
            raise att.ATT_Error(self.options.error)
        if is_on and self.link is None:
            self.link = self.station.simulator.connect(self.kind, self.advertiser, self)

    def write(self, _bearer, packet):
        if self.link is None:
            return
        self.station.simulator.packet(self.link, packet)
        self.packets += 1
        if self.packets == self.options.drop_after and self.server.has_trouble():
            self.hang_up()

    def hang_up(self):
        if self.connection:
            asyncio.ensure_future(self.connection.disconnect())

    # What the simulator says of the link.

    def opened(self):
        pass

    def received(self, packet):
        if self.connection is None:
            return
        for segment in segments(packet, self.connection.att_mtu - 3):
            self.server.notify(self.connection, segment)

    def closed(self, message):
        logging.info("%s: the simulator has closed the link: %s", self.address, message)
        self.link = None
        self.hang_up()


class Station:
    """An adapter of the kernel and the nodes of one simulator around it."""

    SILENCE = 5  # seconds after which a node that is not heard any more does not advertise either

    def __init__(self, options):
        self.options, self.nodes, self.silences = options, {}, {}
        self.connections = self.troubles = 0
        self.radio = VirtualRadio()
        self.adapter = VirtualAdapter()
        self.controller = KernelController(self.radio, self.adapter, options.links, options.extended)
        self.simulator = SimulatorClient(self.heard)

    async def start(self):
        """The name of the adapter."""
        await self.simulator.start(self.options.simulator)
        if not self.options.off:
            await self.adapter.turn_on()
        return f"hci{await self.adapter.number}"

    @property
    def state(self):
        scan = "scanning" if self.controller.le_scan_enable else "not scanning"
        return f"{scan}, {len(self.controller.le_connections)} links"

    def spare(self):
        """Whether one more connection may have trouble."""
        self.troubles += 1
        return self.troubles <= self.options.times

    def close(self):
        self.adapter.close()
        self.simulator.close()
        for silence in self.silences.values():
            silence.cancel()
        for node in self.nodes.values():
            node.controller.le_legacy_advertiser.stop()

    def heard(self, advertiser, is_proxy, signal, data, has_uri):
        if not (node := self.nodes.get(advertiser)):
            node = self.nodes[advertiser] = Node(self, advertiser)
        else:
            self.silences[advertiser].cancel()
        signals = self.options.signals
        node.sound(signals.get(advertiser.hex(), signals.get("", signal)))
        loop = asyncio.get_running_loop()
        self.silences[advertiser] = loop.call_later(self.SILENCE, lambda: loop.create_task(node.fall_silent()))
        loop.create_task(node.advertise(PROXY if is_proxy else PROVISIONING, data, has_uri))


async def serve(reader, writer):
    station = None
    try:
        station = Station(arguments(shlex.split((await reader.readline()).decode())))
        writer.write(f"{await station.start()}\n".encode())
        while question := await reader.readline():
            answer = station.connections if question == b"connections\n" else station.state
            writer.write(f"{answer}\n".encode())
    except (Exception, SystemExit) as error:
        writer.write(f"error: {error!r}\n".encode())
    finally:
        if station:
            station.close()
        writer.close()


async def main():
    options = arguments(sys.argv[1:])
    if options.listen:
        server = await asyncio.start_unix_server(serve, options.listen)
        await server.serve_forever()
    station = Station(options)
    print(await station.start(), flush=True)
    await station.simulator.ended


logging.basicConfig(level=os.environ.get("BUMBLE_LOGLEVEL", "WARNING").upper())
asyncio.run(main())
