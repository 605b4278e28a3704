"""An adapter of the kernel for a mesh stack that advertises, such as bluetooth-meshd: its neighbours are the nodes of a
`meshplan sim run --air`."""

import asyncio
import fcntl
import itertools
import os
import socket
import struct
import time

from bumble import hci
from bumble.controller import Controller
from bumble.link import LocalLink

from virtual_radio import VirtualAdapter

MESH_TYPES = {0x29, 0x2A, 0x2B}  # PB-ADV, Mesh Message, Mesh Beacon (Assigned Numbers 2.3)
HCIGETDEVINFO, HCI_INIT = 0x800448D3, 1 << 1  # <bluetooth/hci.h>
NON_CONNECTABLE = 0x10  # event type of an ADV_NONCONN_IND in an extended report (Core Vol 4 Part E 7.7.65.13)


def types(data):
    """The types of the AD structures: a length, a type and data each (Core Vol 3 Part C 11)."""
    while len(data) > 1 and data[0]:
        yield data[1]
        data = data[1 + data[0] :]


class Air:
    """The simulator's datagrams: each is the advertising data of one packet."""

    def __init__(self, path, own_path, heard):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(own_path)
        self.socket.setblocking(False)
        self.socket.connect(path)
        self.heard = heard
        asyncio.get_running_loop().add_reader(self.socket, self.read)
        self.send(b"")  # from now on the simulator knows of us

    def read(self):
        try:
            while True:
                self.heard(self.socket.recv(2048))
        except (BlockingIOError, ConnectionError):
            pass

    def send(self, data):
        try:
            self.socket.send(data)
        except (BlockingIOError, ConnectionError):
            pass  # lost, as on the air


class MeshController(Controller):
    """Bumble's controller with what a host that only advertises and listens needs: advertising sets whose data goes to the
    simulator, and a report for each packet of its nodes.

    What each advertisement needs is answered without Bumble's decoding: bluetooth-meshd 5.66 frees a packet twice if the
    kernel has not told it of one copy when the last one is sent (send_queued of mesh-io-mgmt.c), and dies of it.
    """

    addresses = itertools.count(1)

    def __init__(self, adapter, log):
        address = hci.Address(f"F0:F0:F1:{os.getpid().to_bytes(4, 'big')[-3:].hex(':')}", hci.Address.PUBLIC_DEVICE_ADDRESS)
        super().__init__("mesh", None, adapter, LocalLink(), address)
        adapter.controller = self
        self.le_features &= ~hci.LeFeatureMask.LL_PRIVACY
        self.air, self.log = None, log
        self.data, self.timers = {}, {}  # by the handles of advertising sets

    def note(self, direction, data):
        print(f"{time.monotonic():.3f} {direction} {data.hex()}", file=self.log, flush=True)

    def hear(self, data):
        """Each packet comes from a private address of its own: bluetooth-meshd 5.66 leaks a timer for each packet of the only
        advertiser that it has heard within a second (filter_dups of mesh-io-mgmt.c), and hears none after a hundred."""
        if not self.le_scan_enable:
            return
        self.note("->", data)
        event = hci.HCI_LE_Extended_Advertising_Report_Event
        address = hci.Address(next(self.addresses).to_bytes(6, "little"), hci.Address.RANDOM_DEVICE_ADDRESS)
        report = event.Report(
            event_type=NON_CONNECTABLE,
            address_type=1,
            address=address,
            primary_phy=1,
            secondary_phy=0,
            advertising_sid=0xFF,
            tx_power=127,
            rssi=-50,
            periodic_advertising_interval=0,
            direct_address_type=0,
            direct_address=hci.Address.ANY,
            data=data,
        )
        self.send_hci_packet(event([report]))

    def on_packet(self, packet):
        packet = bytes(packet)
        opcode = int.from_bytes(packet[1:3], "little")
        if packet[0] != hci.HCI_COMMAND_PACKET or opcode not in self.ADVERTISING:
            super().on_packet(packet)
            return
        answer = self.ADVERTISING[opcode](self, packet[4:]) or b"\0"
        event = bytes([hci.HCI_EVENT_PACKET, 0x0E, 3 + len(answer), 1]) + packet[1:3] + answer
        self.host.on_packet(event)

    def set_parameters(self, parameters):
        return b"\0\0"  # done, with 0 dBm

    def set_data(self, parameters):
        self.data[parameters[0]] = parameters[4:]  # after the operation, the fragment preference and the length

    def enable(self, parameters):
        """Core Vol 4 Part E 7.8.56: whether on, and for each set its handle, a duration and a number of events."""
        sets = list(struct.iter_unpack("<BHB", parameters[2:]))
        for handle in [handle for handle, _, _ in sets] or list(self.timers):
            self.stop(handle)
        for handle, duration, events in sets if parameters[0] else []:
            data = self.data.get(handle, b"")
            if MESH_TYPES & set(types(data)):
                self.note("<-", data)
                self.air.send(data)
            if duration or events:
                end = asyncio.get_running_loop().call_later(duration / 100 or 0.02, self.terminate, handle)
                self.timers[handle] = end

    def stop(self, handle):
        if timer := self.timers.pop(handle, None):
            timer.cancel()

    def remove(self, parameters):
        self.stop(parameters[0])

    def ignore(self, parameters):
        pass

    # LE Set Extended Advertising Parameters, Data and Enable, Set Advertising Set Random Address, Remove Advertising Set
    ADVERTISING = {0x2036: set_parameters, 0x2037: set_data, 0x2039: enable, 0x2035: ignore, 0x203C: remove}

    def terminate(self, handle):
        self.stop(handle)
        self.send_hci_packet(
            hci.HCI_LE_Advertising_Set_Terminated_Event(
                status=hci.HCI_ErrorCode.ADVERTISING_TIMEOUT_ERROR,
                advertising_handle=handle,
                connection_handle=0,
                num_completed_extended_advertising_events=0,
            )
        )

    def on_hci_le_set_extended_scan_parameters_command(self, command):
        self.le_scan_type = command.scan_types[0]
        return super().on_hci_le_set_extended_scan_parameters_command(command)


async def mesh_adapter(air, own_path, log):
    """An adapter that is turned off, as bluetooth-meshd wants it; its number."""
    adapter = VirtualAdapter()
    controller = MeshController(adapter, log)
    controller.air = Air(air, own_path, controller.hear)
    number = await adapter.number
    while is_being_set_up(number):
        await asyncio.sleep(0.1)
    return number


def is_being_set_up(number):
    """Whether the kernel does not list the adapter yet."""
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as control:
        information = bytearray(struct.pack("<H", number).ljust(128, b"\0"))
        fcntl.ioctl(control, HCIGETDEVINFO, information)
        return bool(struct.unpack_from("<I", information, 16)[0] & HCI_INIT)
