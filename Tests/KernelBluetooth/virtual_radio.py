"""A radio of its own, with one adapter of the kernel (/dev/vhci) and any number of Bumble's controllers on it."""

import asyncio
import fcntl
import itertools
import os
import socket
import struct

from bumble import hci, ll
from bumble.controller import Controller
from bumble.core import PhysicalTransport
from bumble.link import LocalLink

HCIDEVUP = 0x400448C9  # <bluetooth/hci.h>
VENDOR_PACKET = 0xFF  # creates the adapter and tells its number (drivers/bluetooth/hci_vhci.c)

EXTENDED_COMMANDS = {
    hci.HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
    hci.HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
}


class VirtualRadio(LocalLink):
    """Packets go straight to whom they concern: there may be fifty controllers, and the processor may be emulated."""

    def __init__(self):
        super().__init__()
        self.central = None
        self.peripherals = {}  # controllers by their addresses
        self.signals = {}  # dBm by the same

    def find_le_controller(self, address):
        return self.peripherals.get(address, self.central)

    def send_advertising_pdu(self, sender, packet):
        if isinstance(packet, ll.ConnectInd):
            receiver = self.peripherals.get(packet.advertiser_address)
        elif self.central.is_listening:
            receiver = self.central
        else:
            return
        asyncio.get_running_loop().call_soon(receiver.on_ll_advertising_pdu, packet)

    def send_acl_data(self, sender, destination, transport, data):
        if connection := sender.le_connections.get(destination):
            self.deliver(
                connection.self_address,
                destination,
                lambda receiver: receiver.on_link_acl_data(connection.self_address, PhysicalTransport.LE, data),
            )

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        self.deliver(
            sender_address, receiver_address, lambda receiver: receiver.on_ll_control_pdu(sender_address, packet)
        )

    def deliver(self, sender_address, receiver_address, action):
        """What is on its way when the connection ends is lost, as on the air."""

        def arrive():
            receiver = self.find_le_controller(receiver_address)
            if sender_address in receiver.le_connections:
                action(receiver)

        asyncio.get_running_loop().call_soon(arrive)


class VirtualAdapter:
    """What the kernel takes for the other end of a USB cable."""

    def __init__(self):
        self.device = os.open("/dev/vhci", os.O_RDWR | os.O_NONBLOCK)
        self.number = asyncio.get_running_loop().create_future()
        self.controller = None
        asyncio.get_running_loop().add_reader(self.device, self.read)
        os.write(self.device, bytes([VENDOR_PACKET, 0]))

    def read(self):
        packet = os.read(self.device, 4096)
        if packet[0] == VENDOR_PACKET:
            self.number.set_result(struct.unpack("<H", packet[2:4])[0])
        else:
            self.controller.on_packet(packet)

    def on_packet(self, packet):
        if self.device >= 0:
            os.write(self.device, packet)

    def close(self):
        asyncio.get_running_loop().remove_reader(self.device)
        os.close(self.device)
        self.device = -1

    async def turn_on(self):
        """As `hciconfig hci0 up` does; the kernel waits for the controller meanwhile, so another thread has to."""

        def turn_on(number):
            with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as control:
                fcntl.ioctl(control, HCIDEVUP, number)

        try:
            await asyncio.get_running_loop().run_in_executor(None, turn_on, await self.number)
        except OSError as error:
            if error.errno != 114:  # EALREADY: bluetoothd was faster
                raise


class KernelController(Controller):
    """Bumble's controller with what a host other than Bumble needs: reports of the kind that the host has asked for, each
    once if it said so, scan responses, cancelled connections, and an end of connections."""

    le_acl_data_packet_length = 251
    numbers = itertools.cycle(range(256))

    def __init__(self, radio, adapter, maximum_links, is_extended):
        # The kernel tells adapters apart by their addresses when it is to connect.
        address = os.getpid().to_bytes(4, "big")[-2:] + bytes([next(self.numbers)])
        address = hci.Address(f"F0:F0:F0:{address.hex(':')}", hci.Address.PUBLIC_DEVICE_ADDRESS)
        super().__init__("kernel", None, adapter, radio, address)
        adapter.controller = radio.central = self
        self.maximum_links, self.is_extended, self.reported = maximum_links, is_extended, set()
        self.le_features &= ~hci.LeFeatureMask.LL_PRIVACY
        if is_extended:
            self.supported_commands = self.supported_commands | EXTENDED_COMMANDS
        else:
            self.le_features &= ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING

    @property
    def is_listening(self):
        return self.le_scan_enable or self.pending_le_connection is not None

    def on_advertising_pdu(self, pdu):
        advertiser = self.link.peripherals[pdu.advertiser_address].le_legacy_advertiser
        if self.le_scan_enable:
            self.report(pdu.advertiser_address, advertiser.advertising_data, False)
            if self.le_scan_type == 1:
                self.report(pdu.advertiser_address, advertiser.scan_response_data, True)
        pending = self.pending_le_connection
        if pending and pending.peer_address == pdu.advertiser_address and advertiser.enabled:
            self.create_le_connection(pdu.advertiser_address)

    def report(self, address, data, is_response):
        if self.filter_duplicates and (address, data, is_response) in self.reported:
            return
        self.reported.add((address, data, is_response))
        event = hci.HCI_LE_Extended_Advertising_Report_Event if self.is_extended else hci.HCI_LE_Advertising_Report_Event
        common = {"address_type": 1, "address": address, "rssi": self.link.signals[address], "data": data}
        if self.is_extended:  # legacy packets: ADV_IND, SCAN_RSP to an ADV_IND
            common |= {"primary_phy": 1, "secondary_phy": 0, "advertising_sid": 0xFF, "tx_power": 127}
            common |= {"periodic_advertising_interval": 0, "direct_address_type": 0, "direct_address": hci.Address.ANY}
        kind = (0x1B if is_response else 0x13) if self.is_extended else (4 if is_response else 0)
        self.send_hci_packet(event([event.Report(event_type=kind, **common)]))

    def on_hci_le_set_scan_enable_command(self, command):
        self.reported.clear()
        return super().on_hci_le_set_scan_enable_command(command)

    def on_hci_le_set_extended_scan_enable_command(self, command):
        self.reported.clear()
        return super().on_hci_le_set_extended_scan_enable_command(command)

    def on_hci_le_set_extended_scan_parameters_command(self, command):
        self.le_scan_type = command.scan_types[0]
        return super().on_hci_le_set_extended_scan_parameters_command(command)

    def on_hci_le_create_connection_command(self, command):
        if len(self.le_connections) >= self.maximum_links:
            self._send_hci_command_status(hci.HCI_ErrorCode.CONNECTION_LIMIT_EXCEEDED_ERROR, command.op_code)
        else:
            super().on_hci_le_create_connection_command(command)

    def on_hci_le_extended_create_connection_command(self, command):
        if len(self.le_connections) >= self.maximum_links:
            self._send_hci_command_status(hci.HCI_ErrorCode.CONNECTION_LIMIT_EXCEEDED_ERROR, command.op_code)
        else:
            super().on_hci_le_extended_create_connection_command(command)

    def on_hci_le_create_connection_cancel_command(self, command):
        if not (pending := self.pending_le_connection):
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        self.pending_le_connection = None
        asyncio.get_running_loop().call_soon(self.tell_of_cancelled, pending.peer_address)
        return super().on_hci_le_create_connection_cancel_command(command)

    def tell_of_cancelled(self, address):
        self.send_hci_packet(
            hci.HCI_LE_Connection_Complete_Event(
                status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
                connection_handle=0,
                role=0,
                peer_address_type=address.address_type,
                peer_address=address,
                connection_interval=0,
                peripheral_latency=0,
                supervision_timeout=0,
                central_clock_accuracy=0,
            )
        )
