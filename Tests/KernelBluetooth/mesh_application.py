"""A plain node that is an application of bluetooth-meshd (doc/mesh-api.txt of BlueZ)."""

import asyncio

from dbus_next import BusType, Message, MessageFlag, MessageType, PropertyAccess, Variant
from dbus_next.aio import MessageBus
from dbus_next.service import ServiceInterface, dbus_property, method

SERVICE, NETWORK = "org.bluez.mesh", "/org/bluez/mesh"
COMPANY, PRODUCT, VERSION = 0x05F1, 0x0B2E, 0x0566
VENDOR_MODEL = 0x0001
# For each element: models of the SIG, and of COMPANY. The Configuration Server is meshd's own.
ELEMENTS = [([0x0002, 0x1000, 0x1002], [VENDOR_MODEL]), ([0x1000, 0x1001], [])]


class Application(ServiceInterface):
    def __init__(self):
        super().__init__("org.bluez.mesh.Application1")
        self.joined = asyncio.get_running_loop().create_future()

    @dbus_property(access=PropertyAccess.READ)
    def CompanyID(self) -> "q":
        return COMPANY

    @dbus_property(access=PropertyAccess.READ)
    def ProductID(self) -> "q":
        return PRODUCT

    @dbus_property(access=PropertyAccess.READ)
    def VersionID(self) -> "q":
        return VERSION

    @dbus_property(access=PropertyAccess.READ)
    def CRPL(self) -> "q":
        return 32

    @method()
    def JoinComplete(self, token: "t"):
        self.joined.set_result(token)

    @method()
    def JoinFailed(self, reason: "s"):
        self.joined.set_exception(RuntimeError(f"meshd: {reason}"))


class Element(ServiceInterface):
    def __init__(self, index):
        super().__init__("org.bluez.mesh.Element1")
        self.index = index
        self.configurations = {}

    @dbus_property(access=PropertyAccess.READ)
    def Index(self) -> "y":
        return self.index

    @dbus_property(access=PropertyAccess.READ)
    def Location(self) -> "q":
        return 0x0100 + self.index

    @dbus_property(access=PropertyAccess.READ)
    def Models(self) -> "a(qa{sv})":
        return [[model, self.options()] for model in ELEMENTS[self.index][0]]

    @dbus_property(access=PropertyAccess.READ)
    def VendorModels(self) -> "a(qqa{sv})":
        return [[COMPANY, model, self.options()] for model in ELEMENTS[self.index][1]]

    @staticmethod
    def options():
        return {"Publish": Variant("b", True), "Subscribe": Variant("b", True)}

    @method()
    def MessageReceived(self, source: "q", key_index: "q", destination: "v", data: "ay"):
        pass

    @method()
    def DevKeyMessageReceived(self, source: "q", remote: "b", net_index: "q", data: "ay"):
        pass

    @method()
    def UpdateModelConfiguration(self, model: "q", configuration: "a{sv}"):
        self.configurations[model] = configuration


class MeshNode:
    """The node's end of D-Bus. `token` is what meshd knows it by once it is in a network."""

    async def start(self):
        """Connects, and waits until meshd is there."""
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        self.application = Application()
        self.bus.export("/app/application", self.application)
        self.elements = [Element(index) for index in range(len(ELEMENTS))]
        for element in self.elements:
            self.bus.export(f"/app/element{element.index}", element)
        await self.service()

    async def service(self):
        """Waits until meshd has its adapter: only then has it the interface that nodes call."""
        for _ in range(300):
            reply = await self.bus.call(
                Message(SERVICE, NETWORK, "org.freedesktop.DBus.Introspectable", "Introspect",
                        flags=MessageFlag.NO_AUTOSTART)
            )
            if reply.message_type == MessageType.METHOD_RETURN and "org.bluez.mesh.Network1" in reply.body[0]:
                return
            await asyncio.sleep(0.1)
        raise RuntimeError("bluetooth-meshd does not come up")

    async def call(self, member, signature, body):
        message = Message(SERVICE, NETWORK, "org.bluez.mesh.Network1", member, signature=signature, body=body)
        reply = await asyncio.wait_for(self.bus.call(message), 30)
        if reply.message_type == MessageType.ERROR:
            raise RuntimeError(f"{member}: {reply.error_name} {reply.body}")
        return reply.body

    async def import_node(self, uuid, device_key, net_key, iv_index, address):
        """Becomes a node of a network that somebody else has it in already."""
        body = ["/app", uuid, device_key, net_key, 0, {}, iv_index, address]
        await self.call("Import", "oayayayqa{sv}uq", body)
        self.token = await asyncio.wait_for(self.application.joined, 30)
        await self.attach()

    async def attach(self):
        """Takes its place again, after Import or when meshd was started anew."""
        await self.call("Attach", "ot", ["/app", self.token])
