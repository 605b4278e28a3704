"""A GATT server that can be otherwise than most."""

import asyncio

from bumble import att, gatt_server

STEPS = {
    "mtu": {att.Opcode.ATT_EXCHANGE_MTU_REQUEST},
    "discovery": {
        att.Opcode.ATT_FIND_INFORMATION_REQUEST,
        att.Opcode.ATT_FIND_BY_TYPE_VALUE_REQUEST,
        att.Opcode.ATT_READ_BY_TYPE_REQUEST,
        att.Opcode.ATT_READ_BY_GROUP_TYPE_REQUEST,
    },
    "subscription": {att.Opcode.ATT_WRITE_REQUEST},
}


def add_arguments(parser):
    parser.add_argument("--mtu", type=int, default=69, help="the largest ATT_MTU of the peers")
    parser.add_argument("--delay", type=float, default=0, help="seconds before each answer")
    parser.add_argument("--error", type=lambda text: int(text, 0), help="the ATT error of writing to the CCCD")
    parser.add_argument("--hang-at", choices=STEPS, help="where a peer stops answering")
    parser.add_argument("--end-at", choices=STEPS, help="where a peer ends the connection instead of answering")
    parser.add_argument("--flood", type=int, default=0, help="notifications that nobody has asked for, before each answer")
    parser.add_argument(
        "--changed",
        metavar="FIRST-LAST",
        type=lambda text: [int(handle, 0) for handle in text.split("-")],
        help="handles of which a peer says that they have changed, once notifications are on",
    )
    parser.add_argument("--times", type=int, default=1_000_000, help="connections in which this happens, at most")


class PeculiarServer(gatt_server.Server):
    """The server of one connection after the other; `spare()` says whether one more may have trouble.

    What `notify` is given goes out in order, and not before an indication that is under way is confirmed: a client that
    does not confirm hears nothing any more.
    """

    # A beacon that nobody can authenticate; what a peer may send without being asked.
    UNASKED = bytes([0x01, 0x01, 0x00]) + bytes(8) + bytes(4) + bytes(8)

    def __init__(self, device, options, spare):
        super().__init__(device)
        self.options, self.spare, self.max_mtu = options, spare, options.mtu
        self.out = None  # the characteristic Data Out
        self.connected()

    def connected(self):
        """A connection is new."""
        self.is_troubled = self.is_hanging = False
        self.held = None  # what waits for a confirmation

    def has_trouble(self):
        """Whether this connection has trouble, which is found out once."""
        self.is_troubled = self.is_troubled or self.spare()
        return self.is_troubled

    def on_gatt_pdu(self, bearer, pdu):
        code = pdu.op_code
        if self.options.hang_at and code in STEPS[self.options.hang_at] and self.has_trouble():
            self.is_hanging = True
        if self.options.end_at and code in STEPS[self.options.end_at] and self.has_trouble():
            self.is_hanging = True
            asyncio.ensure_future(bearer.disconnect())
        if code == att.Opcode.ATT_HANDLE_VALUE_CONFIRMATION and self.held is not None:
            held, self.held = self.held, None
            for packet in held:
                self.notify(bearer, packet)
        elif not self.is_hanging:
            super().on_gatt_pdu(bearer, pdu)

    def send_response(self, bearer, response):
        for _ in range(self.options.flood):
            self.notify(bearer, self.UNASKED)
        if self.options.delay:
            asyncio.get_running_loop().call_later(self.options.delay, super().send_response, bearer, response)
        else:
            super().send_response(bearer, response)
        if response.op_code == att.Opcode.ATT_WRITE_RESPONSE and self.options.changed and self.has_trouble():
            self.held = []
            first, last = self.options.changed
            value = first.to_bytes(2, "little") + last.to_bytes(2, "little")
            handle = self.device.gatt_service.service_changed_characteristic.handle
            self.send_gatt_pdu(bearer, bytes(att.ATT_Handle_Value_Indication(handle, value)))

    def notify(self, bearer, packet):
        """Notifies Data Out."""
        if self.held is not None:
            self.held.append(packet)
        else:
            self.send_gatt_pdu(bearer, bytes(att.ATT_Handle_Value_Notification(self.out.handle, packet)))
