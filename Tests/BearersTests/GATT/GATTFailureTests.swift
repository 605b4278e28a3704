import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("GATTClient says why a link does not open")
struct GATTFailureTests {
    private static func failure(of services: [ServicePlan], _ service: MeshService = .proxy) -> GATTFailure? {
        var conversation = Conversation(service, ATTServer(services))
        conversation.open()
        #expect(conversation.outputs.count == 1)
        #expect(conversation.client.nextDeadline == nil)
        return conversation.failure
    }

    private static func failure(with characteristics: [CharacteristicPlan]) -> GATTFailure? {
        let plan = ServicePlan(uuid: MeshService.proxy.uuid, characteristics: characteristics)
        return failure(of: ServicePlan.generic + [plan] + [ServicePlan(uuid: BluetoothUUID(0x180A))])
    }

    @Test("the service is missing")
    func noService() {
        let nothing = Self.failure(of: ServicePlan.generic)
        #expect(nothing == .noService(.proxy, hasOther: false))
        #expect(nothing?.message == "the device does not have the Mesh Proxy Service (0x1828)")
        #expect(Self.failure(of: [] as [ServicePlan]) == .noService(.proxy, hasOther: false))
        let fresh = Self.failure(of: ServicePlan.generic + [.mesh(.provisioning)])
        #expect(fresh == .noService(.proxy, hasOther: true))
        #expect(
            fresh.map(BearerError.init)
                == BearerError(
                    "the device does not have the Mesh Proxy Service (0x1828), but the Mesh Provisioning Service (0x1827)",
                    hint: "it is not in a network: it has been reset, or was never provisioned"
                )
        )
        let taken = Self.failure(of: [.mesh(.proxy)] + ServicePlan.generic, .provisioning)
        #expect(taken == .noService(.provisioning, hasOther: true))
        #expect(taken?.hint == "it is in a network already; reset it to provision it again")
    }

    @Test("the last service ends with the last handle, so that nothing is left to ask about")
    func noServiceUpToTheEnd() {
        #expect(
            Self.failure(of: [ServicePlan(uuid: BluetoothUUID(0x1800), end: 0xFFFF)])
                == .noService(.proxy, hasOther: false)
        )
    }

    @Test("a characteristic is missing")
    func noCharacteristic() {
        let dataIn = CharacteristicPlan.dataIn(.proxy)
        let dataOut = CharacteristicPlan.dataOut(.proxy)
        let noOut = Self.failure(with: [dataIn])
        #expect(noOut == .noCharacteristic(.proxy, MeshService.proxy.dataOut))
        #expect(noOut?.message == "the Mesh Proxy Service (0x1828) lacks the characteristic Data Out (0x2ADE)")
        let noIn = Self.failure(with: [dataOut])
        #expect(noIn == .noCharacteristic(.proxy, MeshService.proxy.dataIn))
        #expect(noIn?.message == "the Mesh Proxy Service (0x1828) lacks the characteristic Data In (0x2ADD)")
        #expect(Self.failure(with: []) == .noCharacteristic(.proxy, MeshService.proxy.dataIn))
        #expect(
            Self.failure(with: [.dataIn(.provisioning), .dataOut(.provisioning)])
                == .noCharacteristic(.proxy, MeshService.proxy.dataIn),
            "those of the other service are not these"
        )
    }

    @Test("a property is missing")
    func properties() {
        var dataIn = CharacteristicPlan.dataIn(.proxy)
        dataIn.properties = 0x08
        let reading = Self.failure(with: [dataIn, .dataOut(.proxy)])
        #expect(reading == .notWritable(.proxy))
        #expect(
            reading?.message
                == "the characteristic Data In (0x2ADD) of the Mesh Proxy Service (0x1828) cannot be written to without response"
        )
        var dataOut = CharacteristicPlan.dataOut(.proxy)
        dataOut.properties = 0x20
        let mute = Self.failure(with: [.dataIn(.proxy), dataOut])
        #expect(mute == .notNotifying(.proxy))
        #expect(
            mute?.message == "the characteristic Data Out (0x2ADE) of the Mesh Proxy Service (0x1828) does not notify"
        )
    }

    @Test("the descriptor is missing")
    func descriptors() {
        var bare = CharacteristicPlan.dataOut(.proxy)
        bare.descriptors = []
        let other = CharacteristicPlan(
            uuid: BluetoothUUID(0x2A19),
            properties: 0x10,
            descriptors: [.clientCharacteristicConfiguration]
        )
        #expect(Self.failure(with: [.dataIn(.proxy), bare]) == .notNotifying(.proxy), "nothing follows")
        #expect(Self.failure(with: [bare, .dataIn(.proxy), other]) == .notNotifying(.proxy), "it is another's")
        bare.descriptors = [BluetoothUUID(0x2901)]
        #expect(Self.failure(with: [.dataIn(.proxy), bare]) == .notNotifying(.proxy))
        #expect(Self.failure(with: [bare, .dataIn(.proxy), other]) == .notNotifying(.proxy))
        // Some servers have a service reach further than its attributes.
        var wide = ServicePlan.mesh(.proxy)
        wide.characteristics[1] = bare
        wide.end = 0x0100
        #expect(Self.failure(of: [wide]) == .notNotifying(.proxy))
    }

    @Test(
        "what is refused is named",
        arguments: [
            (
                0x06, 0x0E, GATTStep.findingService,
                "the device refuses the search for the mesh service: something unlikely went wrong inside the device (ATT error 0x0E)"
            ),
            (
                0x08, 0x05, .findingCharacteristics,
                "the device refuses the search for Data In and Data Out: it wants an authenticated connection (ATT error 0x05)"
            ),
            (
                0x04, 0x0F, .findingDescriptors,
                "the device refuses the search for the descriptor that turns notifications on: it wants an encrypted connection (ATT error 0x0F)"
            ),
            (
                0x12, 0x80, .subscribing,
                "the device refuses turning notifications on: the application refuses it (ATT error 0x80)"
            ),
            (
                0x12, 0x0A, .subscribing,
                "the device refuses turning notifications on: there is no such attribute (ATT error 0x0A)"
            ),
        ] as [(UInt8, UInt8, GATTStep, String)]
    )
    func refused(opcode: UInt8, code: UInt8, step: GATTStep, message: String) {
        var server = ATTServer([.mesh(.proxy)])
        server.refusals[opcode] = ATTErrorCode(rawValue: code)
        var conversation = Conversation(.proxy, server)
        conversation.open()
        #expect(conversation.failure == .refused(step, ATTErrorCode(rawValue: code)))
        #expect(conversation.failure?.message == message)
    }

    @Test("a device without any way to look for services is named")
    func noSearch() {
        var server = ATTServer([.mesh(.proxy)])
        server.unsupported = [0x06, 0x10]
        var conversation = Conversation(.proxy, server)
        conversation.open()
        #expect(conversation.failure == .refused(.findingService, .requestNotSupported))
    }

    @Test("who wants to pair is told that nodes do not", arguments: [0x05, 0x08, 0x0C, 0x0F] as [UInt8])
    func pairing(code: UInt8) {
        let failure = GATTFailure.refused(.subscribing, ATTErrorCode(rawValue: code))
        #expect(failure.hint?.contains("pairing") == true)
    }

    @Test("a device that is silent, at every step", arguments: 0..<5)
    func silence(steps: Int) {
        var conversation = Conversation()
        conversation.begin()
        for _ in 0..<steps { conversation.answer() }
        #expect(conversation.sent.count == steps + 1)
        #expect(conversation.client.nextDeadline == conversation.now.advanced(by: .seconds(10)))
        conversation.advance(by: .milliseconds(9_999))
        #expect(conversation.failure == nil)
        conversation.advance(by: .milliseconds(1))
        let step = GATTStep.allCases[steps]
        #expect(conversation.failure == .unanswered(step, after: .seconds(10)))
        #expect(conversation.client.nextDeadline == nil)
        // The bearer carries nothing any more, whatever comes.
        conversation.answer()
        conversation.deliver(.exchangeMTURequest(100))
        conversation.deliver(.indication(AttributeValue(3, [1])))
        #expect(conversation.sent.count == steps + 1)
        #expect(conversation.outputs.count == 1)
    }

    @Test("what comes after its time is too late, though nobody looked at the clock in between")
    func late() {
        var conversation = Conversation()
        conversation.begin()
        conversation.wait(.seconds(11))
        conversation.answer()
        #expect(conversation.failure == .unanswered(.exchangingMTU, after: .seconds(10)))
    }

    @Test("a device that answers every request, but each time late")
    func slowness() {
        var conversation = Conversation()
        conversation.begin()
        conversation.wait(.seconds(4))
        conversation.answer()
        for _ in 0..<2 {
            conversation.wait(.seconds(7))
            conversation.answer()
        }
        #expect(conversation.client.nextDeadline == Instant(microseconds: 21_000_000))
        conversation.advance(by: .seconds(2))
        let step = GATTStep.allCases[3]
        #expect(conversation.failure == .tooSlow(step, after: .seconds(20)))
        #expect(
            conversation.failure?.message == "the device is too slow: after 20 s it is still at \(step.text)"
        )
    }

    @Test("times are what the owner says")
    func timing() {
        var conversation = Conversation(
            .proxy,
            ATTServer([]),
            timing: GATTTiming(transaction: .seconds(2), overall: .seconds(3))
        )
        conversation.begin()
        conversation.advance(by: .seconds(2))
        #expect(
            conversation.failure?.message
                == "the device has not answered within 2 s during the exchange of packet sizes (MTU)"
        )
    }
}

@Suite("GATTClient and answers that break the rules")
struct GATTRuleTests {
    /// A client that has asked `steps` questions more than the first, and a server that gives `pdu` to the last.
    private static func failure(after steps: Int, _ pdu: [UInt8], unsupported: Set<UInt8> = []) -> GATTFailure? {
        var server = ATTServer(ServicePlan.generic + [.mesh(.proxy)])
        server.unsupported = unsupported
        var conversation = Conversation(.proxy, server)
        conversation.begin()
        for _ in 0..<steps { conversation.answer() }
        conversation.deliver(pdu)
        return conversation.failure
    }

    @Test("another response than the request's")
    func mismatch() {
        #expect(Self.failure(after: 0, [0x13]) == .mismatched(.exchangingMTU, opcode: 0x13))
        #expect(Self.failure(after: 1, [0x03, 23, 0]) == .mismatched(.findingService, opcode: 0x03))
        #expect(Self.failure(after: 4, [0x0B, 1]) == .mismatched(.subscribing, opcode: 0x0B))
        // Prepare Write Response, which this client never asks for.
        #expect(Self.failure(after: 4, [0x17, 1, 0, 0, 0]) == .mismatched(.subscribing, opcode: 0x17))
        #expect(
            Self.failure(after: 2, [0x01, 0x04, 0, 0, 0x0A]) == .mismatched(.findingCharacteristics, opcode: 0x04),
            "an error about another request"
        )
    }

    @Test("responses that break their form")
    func malformed() {
        #expect(
            Self.failure(after: 0, [0x03, 23]) == .malformed(.exchangingMTU, .truncated(offset: 1, needed: 2))
        )
        #expect(
            Self.failure(after: 0, [0x03, 23, 0, 0]) == .malformed(.exchangingMTU, .trailing(offset: 3, count: 1))
        )
        #expect(Self.failure(after: 1, [0x07]) == .malformed(.findingService, .length(1)))
        #expect(
            Self.failure(after: 1, [0x07, 9, 0, 8, 0])
                == .malformed(.findingService, .prohibited(field: "Starting Handle", value: 9))
        )
        #expect(Self.failure(after: 2, [0x09, 7, 0x0B, 0]) == .malformed(.findingCharacteristics, .length(4)))
        #expect(
            Self.failure(after: 2, [0x09, 6, 0x0B, 0, 4, 0x0C, 0, 0xDD])
                == .malformed(.findingCharacteristics, .length(6)),
            "a UUID of one octet"
        )
        #expect(
            Self.failure(after: 3, [0x05, 3, 0x0F, 0, 2, 0x29])
                == .malformed(.findingDescriptors, .prohibited(field: "Format", value: 3))
        )
        #expect(
            Self.failure(after: 4, [0x13, 0]) == .malformed(.subscribing, .trailing(offset: 1, count: 1))
        )
        let group: [UInt8] = [0x11, 7, 1, 0, 9, 0, 1, 2, 3]
        #expect(Self.failure(after: 2, group, unsupported: [0x06]) == .malformed(.findingService, .length(7)))
    }

    @Test("handles that were not asked for, or do not go up")
    func astray() {
        let declaration: [UInt8] = [4, 0x0D, 0, 0xDD, 0x2A]
        let lists: [[UInt8]] = [
            [0x09, 7, 0x09, 0] + declaration,  // before the service
            [0x09, 7, 0x10, 0] + declaration,  // behind it
            [0x09, 7, 0x0C, 0] + declaration + [0x0C, 0] + declaration,  // twice the same
            [0x09, 7, 0x0C, 0, 4, 0x0C, 0, 0xDD, 0x2A],  // a value that is its own declaration
            [0x09, 7, 0x0C, 0, 4, 0x10, 0, 0xDD, 0x2A],  // a value outside
            [0x09, 7, 0x0F, 0, 4, 0x10, 0, 0xDD, 0x2A],  // a declaration with the last handle
        ]
        for list in lists { #expect(Self.failure(after: 2, list) == .astray(.findingCharacteristics)) }
        for handle in [0x0E, 0x10] as [UInt8] {
            #expect(Self.failure(after: 3, [0x05, 1, handle, 0, 2, 0x29]) == .astray(.findingDescriptors))
        }
        let groups: [UInt8] = [0x11, 6, 5, 0, 9, 0, 0, 0x18, 8, 0, 12, 0, 0, 0x18]
        #expect(Self.failure(after: 2, groups, unsupported: [0x06]) == .astray(.findingService))
    }

    @Test("answers without end")
    func endless() {
        var conversation = Conversation()
        conversation.begin()
        conversation.deliver(.exchangeMTUResponse(23))
        conversation.deliver(.errorResponse(request: 0x06, handle: 1, .attributeNotFound))
        var handle: UInt16 = 1
        while conversation.failure == nil, handle < 1_000 {
            guard let range = HandleRange(handle, handle) else { break }
            conversation.deliver(.readByGroupTypeResponse([AttributeGroup(range, [0x00, 0x18])]))
            handle += 1
        }
        #expect(conversation.failure == .endless(.findingService))
        #expect(conversation.sent.count == GATTClient.requestLimit)
    }

    @Test("responses that nobody waits for are ignored once the link is open")
    func unasked() {
        var conversation = Conversation()
        conversation.open()
        conversation.deliver(.writeResponse)
        conversation.deliver(.errorResponse(request: 0x12, handle: 1, .invalidPDU))
        conversation.deliver([])
        #expect(conversation.outputs.count == 1)
        #expect(conversation.client.ignored == 3)
    }
}
