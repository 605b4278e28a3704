import MeshCore
import Testing

@testable import Bearers

@Suite("GATTClient opens a link")
struct GATTClientTests {
    @Test(
        "packets fill what both sides take, and a value has at most 512 octets",
        arguments: [
            (23, 20), (24, 21), (69, 66), (185, 182), (247, 244), (514, 511), (515, 512), (517, 512), (0xFFFF, 512),
            (0, 20), (22, 20),
        ] as [(UInt16, Int)],
        MeshService.allCases
    )
    func packetSizes(size: (mtu: UInt16, packet: Int), service: MeshService) throws {
        var conversation = Conversation(service, mtu: size.mtu)
        conversation.open()
        #expect(conversation.outputs == [.opened(maximumPacketSize: size.packet)])
        #expect(conversation.server.violations.isEmpty)
        #expect(conversation.server.isNotifying(service.dataOut))
        #expect(conversation.client.nextDeadline == nil)
        let packet = [UInt8](repeating: 7, count: size.packet)
        _ = conversation.server.receive(try #require(try conversation.client.write(packet)))
        let dataIn = try #require(conversation.server.valueHandle(of: service.dataIn))
        #expect(conversation.server.written == [AttributeValue(dataIn, packet)])
        #expect(conversation.server.violations.isEmpty)
    }

    @Test("five requests are enough, octet by octet")
    func requests() {
        var conversation = Conversation(.proxy)
        conversation.open()
        #expect(
            conversation.sent == [
                [0x02, 0x05, 0x02],
                [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x28, 0x18],
                [0x08, 0x0A, 0x00, 0x0F, 0x00, 0x03, 0x28],
                [0x04, 0x0F, 0x00, 0x0F, 0x00],
                [0x12, 0x0F, 0x00, 0x01, 0x00],
            ]
        )
    }

    @Test("a device that cannot exchange sizes works with 23", arguments: [0x06, 0x01, 0x0E] as [UInt8])
    func noExchange(code: UInt8) {
        var server = ATTServer([.mesh(.proxy)])
        server.refusals[0x02] = ATTErrorCode(rawValue: code)
        var conversation = Conversation(.proxy, server)
        conversation.open()
        #expect(conversation.packetSize == 20)
        #expect(conversation.server.violations.isEmpty)
    }

    @Test("UUIDs of 16 and of 128 bits are the same", arguments: MeshService.allCases, [23, 185, 517] as [UInt16])
    func longUUIDs(service: MeshService, mtu: UInt16) {
        for mask in 0..<8 {
            var plan = ServicePlan.mesh(service)
            plan.isLong = mask & 1 != 0
            plan.characteristics[0].isLong = mask & 2 != 0
            plan.characteristics[1].isLong = mask & 4 != 0
            var server = ATTServer(ServicePlan.generic + [plan])
            server.mtu = mtu
            var conversation = Conversation(service, server)
            conversation.open()
            #expect(conversation.packetSize != nil, "\(mask): \(conversation.failure?.message ?? "")")
            #expect(conversation.server.isNotifying(service.dataOut))
            #expect(conversation.server.violations.isEmpty)
        }
    }

    @Test("services stand anywhere, up to the last handle")
    func handles() {
        for gap in [0, 1, 0x00FE, 0x0100, 0x7FFF, 0xFFF0 - 20] as [UInt16] {
            for end in [nil, 0xFFFF] as [UInt16?] {
                var plan = ServicePlan.mesh(.proxy)
                plan.gap = gap
                plan.end = end
                var conversation = Conversation(.proxy, ATTServer(ServicePlan.generic + [plan]))
                conversation.open()
                #expect(conversation.packetSize == 512, "\(gap): \(conversation.failure?.message ?? "")")
                #expect(conversation.server.violations.isEmpty)
            }
        }
        var server = ATTServer(ServicePlan.generic)
        server.attributes += ATTServer.placed(.mesh(.proxy), at: 0xFFFA)
        var conversation = Conversation(.proxy, server)
        conversation.open()
        #expect(conversation.packetSize == 512, "\(conversation.failure?.message ?? "")")
    }

    @Test("characteristics come in either order, among others, with descriptors of any kind in between")
    func orders() {
        let name = BluetoothUUID(0x2901)
        let own = BluetoothUUID(Octets16(high: 0x1234, low: 0x5678))
        let long = BluetoothUUID(Octets16(high: 0x1234, low: 0x9ABC))
        let other = CharacteristicPlan(
            uuid: own,
            properties: 0x3E,
            isLong: true,
            descriptors: [.clientCharacteristicConfiguration, name]
        )
        let dataIn = CharacteristicPlan.dataIn(.proxy)
        var dataOut = CharacteristicPlan.dataOut(.proxy)
        let descriptors: [[BluetoothUUID]] = [
            [.clientCharacteristicConfiguration], [name, .clientCharacteristicConfiguration],
            [long, name, long, .clientCharacteristicConfiguration, name],
        ]
        for list in descriptors {
            dataOut.descriptors = list
            let orders = [
                [dataIn, dataOut], [dataOut, dataIn], [other, dataIn, dataOut], [dataIn, other, dataOut, other],
                [dataOut, other, dataIn], [other, other, dataOut, dataIn, other],
            ]
            for mtu in [23, 517] as [UInt16] {
                for order in orders {
                    var server = ATTServer(
                        [ServicePlan(uuid: MeshService.proxy.uuid, characteristics: order)] + ServicePlan.generic
                    )
                    server.mtu = mtu
                    var conversation = Conversation(.proxy, server)
                    conversation.open()
                    #expect(conversation.packetSize != nil, "\(conversation.failure?.message ?? "")")
                    #expect(conversation.server.isNotifying(MeshService.proxy.dataOut))
                    let isOtherNotifying = conversation.server.isNotifying(own)
                    #expect(!isOtherNotifying)
                    #expect(conversation.server.violations.isEmpty)
                }
            }
        }
    }

    @Test("devices without Find By Type Value are asked for all their services", arguments: [23, 517] as [UInt16])
    func listing(mtu: UInt16) {
        let vendor = ServicePlan(uuid: BluetoothUUID(Octets16(high: 0xF000_1234, low: 9)), isLong: true, gap: 3)
        let many = (0..<40).map { ServicePlan(uuid: BluetoothUUID(0x1900 + $0)) }
        var server = ATTServer(ServicePlan.generic + [vendor] + many + [vendor, .mesh(.proxy), vendor])
        server.mtu = mtu
        server.unsupported = [0x06]
        var conversation = Conversation(.proxy, server)
        conversation.open()
        #expect(conversation.packetSize != nil, "\(conversation.failure?.message ?? "")")
        #expect(conversation.server.violations.isEmpty)
    }

    @Test("each stage has its instant")
    func stages() throws {
        var conversation = Conversation(.provisioning)
        #expect(conversation.client.stages == GATTStages())
        conversation.open()
        let stages = conversation.client.stages
        let start = try #require(stages.connected)
        #expect(start == Instant(microseconds: 1_000_000))
        // Every request and every response takes 10 ms.
        #expect(stages.mtuExchanged == start.advanced(by: .milliseconds(20)))
        #expect(stages.discovered == start.advanced(by: .milliseconds(80)))
        #expect(stages.subscribed == start.advanced(by: .milliseconds(100)))
    }

    @Test("packets are written once the link is open, and no larger than it carries")
    func writing() throws {
        var conversation = Conversation(.proxy, mtu: 23)
        #expect(try conversation.client.write([1]) == nil)
        conversation.open()
        #expect(try conversation.client.write([1, 2]) == [0x52, 0x0C, 0x00, 1, 2])
        #expect(throws: BearerError("a packet of 21 octets cannot be written, 1 to 20 are possible")) {
            try conversation.client.write([UInt8](repeating: 0, count: 21))
        }
        #expect(throws: BearerError.self) { try conversation.client.write([]) }
    }
}

extension ATTServer {
    /// The attributes of a service that begins with that handle.
    static func placed(_ plan: ServicePlan, at handle: UInt16) -> [Attribute] {
        let shift = handle - 1
        return ATTServer([plan]).attributes.map { attribute in
            var moved = attribute
            moved.handle += shift
            moved.groupEnd = attribute.groupEnd.map { $0 + shift }
            if attribute.type == .characteristic {
                let value = (UInt16(attribute.value[1]) | UInt16(attribute.value[2]) << 8) + shift
                moved.value[1] = UInt8(value & 0xFF)
                moved.value[2] = UInt8(value >> 8)
            }
            return moved
        }
    }
}
