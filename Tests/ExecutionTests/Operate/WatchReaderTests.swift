import Catalogue
import Execution
import TestSupport
import Testing

@testable import MeshCore

@Suite("Reading what is heard")
struct WatchReaderTests {
    private func message(_ payload: [UInt8], from source: UInt16 = 0x0010) throws -> IncomingMessage {
        IncomingMessage(
            source: try unicast(source),
            destination: Address(rawValue: 0xC001),
            payload: payload,
            security: .application(try LitHouse.lightKey()),
            netKeyIndex: .primary,
            ttl: 4,
            ivIndex: 5,
            sequence: 1,
            isSegmented: false
        )
    }

    private func read(_ payload: [UInt8], from source: UInt16 = 0x0010) throws -> WatchedMessage {
        WatchReader(try LitHouse.network(lamps: 2)).read(try message(payload, from: source))
    }

    @Test("A status is the state of the server that sends it, with the value that it changes to")
    func status() throws {
        let read = try read([0x82, 0x04, 0x00, 0x01, 0x0A])
        #expect(read.model == House.onOffServer && read.place?.node == 1 && read.place?.element == 0)
        guard case .states(let states, isSet: false) = read.content, let state = states.first else {
            Issue.record("\(read.content)")
            return
        }
        #expect(states.count == 1 && state.state.name == "onoff")
        #expect(state.reading == .value(["onoff": 0], target: ["onoff": 1], remaining: 0x0A))
    }

    @Test("A set is what a client wants of others", arguments: [[0x82, 0x02, 0x01, 0x07], [0x82, 0x03, 0x01, 0x07]])
    func set(_ payload: [UInt8]) throws {
        let read = try read(payload, from: 0x0020)
        #expect(read.model == House.onOffClient && read.place?.node == 2)
        guard case .states(let states, isSet: true) = read.content else {
            Issue.record("\(read.content)")
            return
        }
        #expect(states.map(\.state.name) == ["onoff"])
        #expect(states.first?.reading == .value(["onoff": 1], target: nil, remaining: nil))
    }

    @Test("Every state of the catalogue is known again in its own set message")
    func everySet() throws {
        let reader = WatchReader(try LitHouse.network(lamps: 1))
        var lost: [String] = []
        for state in StateCatalogue.states {
            guard let set = state.unacknowledgedSetMessage ?? state.setMessage,
                let value = try? state.value(reading: state.fields.map { "\($0.name)=1" }),
                let parameters = try? state.setParameters(value)
            else { continue }
            let read = reader.read(try message(set.opcode.encoded + parameters))
            guard case .states(let states, isSet: true) = read.content, states.contains(where: { $0.state == state })
            else {
                lost.append(state.name)
                continue
            }
        }
        #expect(lost.isEmpty, "\(lost)")
    }

    @Test("A request carries no state and is a message with its name")
    func request() throws {
        let read = try read([0x82, 0x01])
        guard case .message(let decoded) = read.content else {
            Issue.record("\(read.content)")
            return
        }
        #expect(decoded.description.name == "generic-onoff-get" && read.model == House.onOffClient)
    }

    @Test("What is not known stays octets: opcodes, parameters that do not fit, payloads without an opcode")
    func unknown() throws {
        #expect(try read([0xC1, 0x59, 0x00, 0xFE, 0x01]).content == .unknown(0xC15900, [0xFE, 0x01]))
        #expect(try read([0x82, 0x04]).content == .unknown(0x8204, []), "a status without its value")
        #expect(try read([0x82, 0x04, 0x01, 0x01, 0x01, 0x01]).content == .unknown(0x8204, [1, 1, 1, 1]))
        #expect(try read([0x7F, 0x01]).content == .unknown(nil, [0x7F, 0x01]))
        #expect(try read([0xC1]).content == .unknown(nil, [0xC1]))
        #expect(try read([0xC1, 0x59, 0x00]).model == nil)
    }

    @Test("A stranger has an address only")
    func stranger() throws {
        let read = try read([0x82, 0x04, 0x01], from: 0x0777)
        #expect(read.place == nil && read.source.rawValue == 0x0777 && read.model == House.onOffServer)
    }

    // MARK: What is wanted

    private func selection(_ targets: [String], model: ModelIdentifier? = nil) throws -> WatchSelection {
        let network = try LitHouse.network(lamps: 3)
        let parsed = try targets.map { try OperatingTarget($0) }
        return try WatchSelection(parsed, TargetResolver(network), in: network, model: model)
    }

    @Test("Nodes and elements choose by the sender, groups by the destination")
    func targets() throws {
        let first = try read([0x82, 0x04, 0x01])
        let second = try read([0x82, 0x04, 0x01], from: 0x0021)
        #expect(try selection([]).wants(first) && selection([]).wants(second))
        #expect(try selection(["lamp-1"]).wants(first) && !selection(["lamp-1"]).wants(second))
        #expect(try selection(["lamp-2/1"]).wants(second) && !selection(["lamp-2/0"]).wants(second))
        #expect(try selection(["lamp-*"]).wants(second))
        #expect(try selection(["group.kitchen"]).wants(first) && selection(["lamp-3", "group.kitchen"]).wants(first))
        #expect(try !selection(["group.all-nodes"]).wants(first))
        #expect(throws: TargetError.noGroup("kitchn", suggestion: "group.kitchen")) {
            try selection(["group.kitchn"])
        }
    }

    @Test("A model chooses its messages, sent or received, and no heartbeats")
    func model() throws {
        let set = try read([0x82, 0x03, 0x01, 0x07])
        #expect(try selection([], model: House.onOffServer).wants(set))
        #expect(try selection([], model: House.onOffClient).wants(set))
        #expect(try !selection([], model: .healthServer).wants(set))
        #expect(try !selection([], model: House.onOffServer).wants(read([0xC1, 0x59, 0x00])))
        let control = IncomingControlMessage(
            source: try unicast(0x0010),
            destination: Address(rawValue: 0xFFFF),
            opcode: Heartbeat.opcode,
            parameters: [],
            netKeyIndex: .primary,
            ttl: 5
        )
        let reader = WatchReader(try LitHouse.network(lamps: 1))
        let heartbeat = reader.read(Heartbeat(initialTTL: 5, features: 0), in: control)
        #expect(heartbeat.hops == 1)
        #expect(try selection(["lamp-1"]).wants(heartbeat) && selection(["group.all-nodes"]).wants(heartbeat))
        #expect(try !selection([], model: House.onOffServer).wants(heartbeat))
        #expect(try !selection(["lamp-2"]).wants(heartbeat))
    }

    @Test("The proxy is asked for groups, what models use, and fixed groups; or only for the groups that are wanted")
    func wish() throws {
        var network = try LitHouse.network(lamps: 2)
        let label = LabelUUID(rawValue: Octets16(high: 7, low: 9))
        network.nodes[1].elements[1].models[0].subscriptions = [.virtual(label)]
        network.nodes[2].elements[1].models[0].publication = Publication(
            address: .group(try required(GroupAddress(rawValue: 0xC0FF))),
            appKeyIndex: try LitHouse.lightKey()
        )
        let all = WatchSelection().wish(in: network)
        let expected = [0xC001, label.virtualAddress.rawValue, 0xC0FF, 0xFFFF, 0xFFFE, 0xFFFD, 0xFFFC] as [UInt16]
        #expect(all.addresses.map(\.rawValue) == expected)
        #expect(all.labels == [label] && all.subnets == [.primary])
        #expect(try selection(["group.kitchen"]).wish(in: network).addresses.map(\.rawValue) == [0xC001])
        let mixed = try selection(["group.all-nodes", "lamp-1"]).wish(in: network).addresses.map(\.rawValue)
        #expect(mixed.first == 0xFFFF && mixed.count == expected.count)
    }
}
