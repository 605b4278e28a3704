import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Planning

@Suite("Gets of a read-back")
struct NodeReadBackTests {
    private let network: MeshNetwork
    private let lamp: Node

    init() throws {
        network = try Office().network
        lamp = try #require(network.nodes.first { $0.name == "lamp-1" })
    }

    private func readings(of node: Node) -> [NodeReading] {
        NodeReadBack.foreseen(for: node, appKeys: network.appKeys)
    }

    @Test("A node is asked only for what is not known by then")
    func minimum() throws {
        let onOff = ModelAddress(element: 0, model: .sig(0x1000))
        let lightness = ModelAddress(element: 0, model: .sig(0x1300))
        let level = ModelAddress(element: 1, model: .sig(0x1002))
        #expect(
            readings(of: lamp) == [
                .composition, .netKeys, .appKeys(.primary), .defaultTTL, .secureNetworkBeacon, .networkTransmit, .relay,
                .proxy, .state(.heartbeatPublication), .state(.heartbeatSubscription), .bindings(onOff),
                .bindings(lightness), .bindings(level), .subscriptions(onOff), .publication(onOff),
                .subscriptions(lightness), .publication(lightness), .subscriptions(level), .publication(level),
            ]
        )
    }

    /// Answers everything as it is recorded, but for what the closure says.
    private func read(
        _ node: Node,
        _ answer: (NodeReading, inout NodeReadBack) -> Bool
    ) -> NodeReadBack {
        var readBack = NodeReadBack(of: node, appKeys: network.appKeys)
        while let reading = readBack.next {
            if !answer(reading, &readBack) { readBack.refuse() }
        }
        return readBack
    }

    @Test("One odd answer costs one value: it stays as recorded, and everything else is asked")
    func oddAnswer() throws {
        let asked = readings(of: lamp)
        for odd in asked {
            var seen: [NodeReading] = []
            let answer = OddAnswer(.aboutElse, payload: [0x80, 0x4E, 0])
            let readBack = read(lamp) { reading, readBack in
                seen.append(reading)
                guard reading == odd else { return false }
                readBack.leave(answer)
                return true
            }
            #expect(seen == asked, "\(odd)")
            #expect(readBack.unread == [UnreadValue(odd, answer: answer)])
            #expect(readBack.isFinished && readBack.refused.count == asked.count - 1)
            #expect(readBack.node.hasConfiguration(of: lamp))
        }
    }

    @Test("A binding to a key that the node does not have is none, and a publication under it neither")
    func danglingBinding() throws {
        let onOff = ModelAddress(element: 0, model: .sig(0x1000))
        let key = try #require(lamp.appKeys.first?.index)
        let gone = try #require(AppKeyIndex(rawValue: 0x123))
        let settings = PublicationSettings(appKeyIndex: gone)
        let target = Address(rawValue: 0xC000)
        func readBack(knowsKeys: Bool) -> NodeReadBack {
            read(lamp) { reading, readBack in
                switch reading {
                case .appKeys(let subnet):
                    guard knowsKeys else {
                        readBack.leave(nil)
                        return true
                    }
                    readBack.include(.appKeys(subnet, lamp.appKeys.map(\.index)), labels: KnownLabels(network))
                case .netKeys: readBack.include(.netKeys(lamp.netKeys.map(\.index)), labels: KnownLabels(network))
                case .bindings(onOff): readBack.include(.bindings(onOff, [key, gone]), labels: KnownLabels(network))
                case .publication(onOff):
                    readBack.include(.publication(onOff, target, settings), labels: KnownLabels(network))
                default: return false
                }
                return true
            }
        }
        let known = readBack(knowsKeys: true)
        #expect(known.node.model(at: onOff)?.bindings == [key])
        #expect(known.node.model(at: onOff)?.publication == nil)
        #expect(known.quirks == [.keepsBindings])
        let unknown = readBack(knowsKeys: false)
        #expect(unknown.node.model(at: onOff)?.bindings == [key, gone].sorted(), "the node may have that key")
        #expect(unknown.node.model(at: onOff)?.publication?.appKeyIndex == gone)
        #expect(unknown.quirks == [])
    }

    @Test("The Gets follow from keys, features and models by a formula")
    func formula() throws {
        var generator = SplitMix64(seed: 5)
        let catalogue: [ModelIdentifier] = [
            .configurationServer, .healthServer, .sig(0x0010), .sig(0x1000), .sig(0x1007), .sig(0x1201), .sig(0x1300),
            .vendor(company: 0x59, model: 1), .sarConfigurationServer, .privateBeaconServer, .bridgeConfigurationServer,
            .largeCompositionDataServer,
        ]
        for _ in 0..<300 {
            var node = lamp
            node.appKeys = Bool.random(using: &generator) ? node.appKeys : []
            node.netKeys = (0...Int.random(in: 0..<3, using: &generator)).compactMap {
                NetKeyIndex(rawValue: UInt16($0)).map { NodeKey(index: $0) }
            }
            let states: [FeatureState?] = [.enabled, .disabled, .notSupported, nil]
            node.features = Node.Features(
                relay: states.randomElement(using: &generator) ?? nil,
                proxy: states.randomElement(using: &generator) ?? nil,
                friend: states.randomElement(using: &generator) ?? nil
            )
            node.elements = (0...Int.random(in: 0..<3, using: &generator)).map { _ in
                Element(
                    models: catalogue.shuffled(using: &generator).prefix(Int.random(in: 1..<8, using: &generator)).map {
                        Model(identifier: $0, bindings: Bool.random(using: &generator) ? node.appKeys.map(\.index) : [])
                    }
                )
            }
            node.compositionPages = Bool.random(using: &generator) ? [1: [0]] : nil
            var expected = 3 + node.netKeys.count + 2
            for state in [node.features.relay, node.features.proxy, node.features.friend] where state != .notSupported {
                expected += 1
            }
            let primary = Set(node.elements[0].models.map(\.identifier))
            if primary.contains(.configurationServer) { expected += 2 }
            if primary.contains(.sarConfigurationServer) { expected += 2 }
            if primary.contains(.privateBeaconServer) { expected += node.features.proxy == .notSupported ? 1 : 2 }
            if primary.contains(.bridgeConfigurationServer) { expected += 2 }
            if primary.contains(.largeCompositionDataServer), node.compositionPages == nil { expected += 2 }
            for model in node.elements.flatMap(\.models) {
                let known = ModelCatalogue.model(model.identifier)
                if !node.appKeys.isEmpty, known?.supportsAppKeyBinding != false { expected += 1 }
                if known?.supportsSubscription != false { expected += 1 }
                if known?.supportsPublication != false, !node.appKeys.isEmpty, !model.bindings.isEmpty { expected += 1 }
            }
            let readings = readings(of: node)
            #expect(readings.count == expected)
            let repeated = node.elements.count > 1 ? 0 : readings.count - Set(readings).count
            #expect(repeated == 0)
        }
    }

    @Test("A bridging table is asked for until it is all there")
    func bridgingTable() throws {
        var node = lamp
        node.elements[0].models.append(Model(identifier: .bridgeConfigurationServer))
        let guests = try #require(NetKeyIndex(rawValue: 1))
        let pair = NetKeyIndexPair(first: .primary, second: guests)
        let addresses = (1...3).compactMap { UnicastAddress(rawValue: $0) }.map {
            BridgedAddresses(first: $0, second: Address(rawValue: 0xC000), directions: .oneWay)
        }
        var readBack = NodeReadBack(of: node, appKeys: network.appKeys)
        var asked: [NodeReading] = []
        while let reading = readBack.next {
            switch reading {
            case .bridgedSubnets(let position):
                asked.append(reading)
                readBack.include(.bridgedSubnets(position == 0 ? [pair] : []), labels: KnownLabels(network))
            case .bridgingTable(let pair, let position):
                asked.append(reading)
                // Two fit in a message.
                let rest = addresses.dropFirst(Int(position)).prefix(2)
                readBack.include(.bridgingTable(pair, Array(rest)), labels: KnownLabels(network))
            default: readBack.refuse()
            }
        }
        #expect(
            asked == [
                .bridgedSubnets(from: 0), .bridgingTable(pair, from: 0), .bridgingTable(pair, from: 2),
                .bridgingTable(pair, from: 3), .bridgedSubnets(from: 1),
            ]
        )
        #expect(readBack.node.bridgingTable == addresses.map { BridgingTableEntry(subnets: pair, addresses: $0) })
        #expect(readBack.isFinished)
    }

    @Test("A key of an index that the database has in another subnet is not that key")
    func foreignKey() throws {
        let lighting = try #require(AppKeyIndex(rawValue: 0))
        let guests = try #require(NetKeyIndex(rawValue: 1))
        var readBack = NodeReadBack(of: lamp, appKeys: network.appKeys)
        while let reading = readBack.next {
            switch reading {
            case .netKeys: readBack.include(.netKeys([.primary, guests]), labels: KnownLabels(network))
            case .appKeys(let netKey):
                readBack.include(.appKeys(netKey, netKey == guests ? [lighting] : []), labels: KnownLabels(network))
            default: readBack.refuse()
            }
        }
        #expect(readBack.node.appKeys.isEmpty)
        #expect(readBack.node.netKeys.map(\.index) == [.primary, guests])
        #expect(readBack.node.elements[0].models[1].bindings.isEmpty)
    }

    @Test("Readings survive a plan file")
    func encoding() throws {
        let guests = try #require(NetKeyIndex(rawValue: 1))
        let readings =
            readings(of: lamp) + [
                .friend, .bridgedSubnets(from: 7), .state(.privateNodeIdentity(guests)),
                .bridgingTable(NetKeyIndexPair(first: .primary, second: guests), from: 300),
                .page(.composition(page: 255)), .page(.largeComposition(page: 128, offset: 300)),
                .page(.modelsMetadata(page: 0, offset: 1)),
            ]
        for reading in readings {
            let action = ConfigurationAction.read(reading)
            #expect(try ConfigurationAction(decoding: action.encoded) == action)
            #expect(reading.cost.messages == 1)
        }
    }
}
