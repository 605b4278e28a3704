import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Planning

@Suite("Gets of a read-back in sequences")
struct ReadBackPackingTests {
    private let network: MeshNetwork
    private let lamp: Node
    private let labels: KnownLabels

    init() throws {
        network = try Office().network
        labels = KnownLabels(network)
        var lamp = try #require(network.nodes.first { $0.name == "lamp-1" })
        lamp.elements[0].models.append(Model(identifier: .opcodesAggregatorServer))
        self.lamp = lamp
    }

    private func requests(for node: Node) -> [ReadBackRequest] {
        NodeReadBack.foreseenRequests(for: node, appKeys: network.appKeys)
    }

    /// What a Get takes alone, as the packing sees it.
    private func alone(_ reading: NodeReading, on node: Node) -> Int {
        let lengths = reading.lengths(on: node)
        return MessageCost.exchange(request: lengths.request, status: lengths.status).pdus
    }

    private func pdus(_ requests: [ReadBackRequest], on node: Node) -> Int {
        requests.reduce(0) { sum, request in
            if case .get(let reading) = request { return sum + alone(reading, on: node) }
            return sum + request.cost(on: node).pdus
        }
    }

    private func randomNode(_ generator: inout SplitMix64) -> Node {
        let catalogue: [ModelIdentifier] = [
            .healthServer, .sig(0x1000), .sig(0x1002), .sig(0x1007), .sig(0x1201), .sig(0x1300),
            .vendor(company: 0x59, model: 1), .sarConfigurationServer, .privateBeaconServer, .bridgeConfigurationServer,
            .largeCompositionDataServer,
        ]
        var node = lamp
        node.appKeys = Bool.random(using: &generator) ? node.appKeys : []
        node.elements = (0...Int.random(in: 0..<6, using: &generator)).map { _ in
            Element(
                models: catalogue.shuffled(using: &generator).prefix(Int.random(in: 1..<9, using: &generator)).map {
                    Model(
                        identifier: $0,
                        bindings: Bool.random(using: &generator) ? node.appKeys.map(\.index) : [],
                        subscriptions: (0..<Int.random(in: 0..<9, using: &generator)).compactMap {
                            GroupAddress(rawValue: 0xC000 + UInt16($0)).map { .group($0) }
                        }
                    )
                }
            )
        }
        node.elements[0].models.append(Model(identifier: .opcodesAggregatorServer))
        return node
    }

    @Test("Everything is asked for once, in messages that fit, each of which is cheaper than its Gets alone")
    func properties() throws {
        var generator = SplitMix64(seed: 9)
        var sequences = 0
        for _ in 0..<300 {
            let node = randomNode(&generator)
            let readings = NodeReadBack.foreseen(for: node, appKeys: network.appKeys)
            let requests = requests(for: node)
            let asked = requests.flatMap(\.readings)
            #expect(asked.count == readings.count && Set(asked) == Set(readings))
            for case .sequence(let together) in requests {
                sequences += 1
                let (request, status) = ReadBackPacking.lengths(of: together, on: node)
                #expect(together.count > 1)
                // Six segments of 12 octets, of which the TransMIC has 4.
                #expect(request <= 68 && status <= 68)
                let cost = MessageCost.exchange(request: request, status: status).pdus
                #expect(cost < together.reduce(0) { $0 + alone($1, on: node) })
                #expect(!together.contains { [.composition, .bridgedSubnets(from: 0)].contains($0) })
            }
            #expect(pdus(requests, on: node) < readings.reduce(0) { $0 + alone($1, on: node) })
            var plain = node
            plain.elements[0].models.removeLast()
            #expect(self.requests(for: plain).allSatisfy { if case .get = $0 { true } else { false } })
        }
        #expect(sequences > 300, "large nodes need several")
    }

    @Test("No other division into messages takes fewer PDUs, nor as many with fewer messages")
    func minimum() throws {
        var generator = SplitMix64(seed: 4)
        for _ in 0..<60 {
            let node = randomNode(&generator)
            var packing = ReadBackPacking()
            packing.statusLimit = Int.random(in: 30...120, using: &generator)
            let readings = Array(
                NodeReadBack.foreseen(for: node, appKeys: network.appKeys).filter(\.isFitForSequence)
                    .shuffled(using: &generator).prefix(9)
            )
            // What the packing makes of it, message by message.
            var (rest, made, messages) = (readings[...], 0, 0)
            while !rest.isEmpty {
                let part = Array(rest.prefix(packing.first(of: Array(rest), on: node)))
                made += cost(part, on: node)
                messages += 1
                rest = rest.dropFirst(part.count)
            }
            // All divisions: a cut or none after each Get but the last.
            var best = (Int.max, Int.max)
            for cuts in 0..<(1 << (readings.count - 1)) {
                var parts: [[NodeReading]] = [[]]
                for (place, reading) in readings.enumerated() {
                    parts[parts.count - 1].append(reading)
                    if cuts >> place & 1 == 1 { parts.append([]) }
                }
                guard parts.allSatisfy({ isAllowed($0, packing, on: node) }) else { continue }
                let sum = parts.reduce(0) { $0 + cost($1, on: node) }
                if (sum, parts.count) < best { best = (sum, parts.count) }
            }
            #expect((made, messages) == best)
        }
    }

    private func cost(_ part: [NodeReading], on node: Node) -> Int {
        guard part.count > 1 else { return part.reduce(0) { $0 + alone($1, on: node) } }
        let (request, status) = ReadBackPacking.lengths(of: part, on: node)
        return MessageCost.exchange(request: request, status: status).pdus
    }

    private func isAllowed(_ part: [NodeReading], _ packing: ReadBackPacking, on node: Node) -> Bool {
        guard part.count > 1 else { return true }
        let (request, status) = ReadBackPacking.lengths(of: part, on: node)
        return request <= 68 && status <= packing.statusLimit
            && cost(part, on: node) < part.reduce(0) { $0 + alone($1, on: node) }
    }

    /// Answers every request by skipping or with a report, and counts the messages.
    private func run(_ readBack: inout NodeReadBack, _ answer: (NodeReading) -> ReadBackAnswers.Answer?) -> [Int] {
        var sizes: [Int] = []
        while let request = readBack.nextRequest {
            sizes.append(request.readings.count)
            switch request {
            case .get(let reading):
                if case .report(let report)? = answer(reading) {
                    readBack.include(report, labels: labels)
                } else {
                    readBack.refuse()
                }
            case .sequence(let readings): readBack.include(ReadBackAnswers(answers: readings.map(answer)), to: readings)
            }
            readBack.takeTold(labels: labels)
        }
        return sizes
    }

    @Test("What turns out to be needless counts for nothing, and what turns out to be needed is asked for")
    func drift() throws {
        var readBack = NodeReadBack(of: lamp, appKeys: network.appKeys)
        _ = run(&readBack) { reading in
            switch reading {
            case .appKeys(let subnet): .report(.appKeys(subnet, []))
            case .bindings(let model): .report(.bindings(model, lamp.appKeys.map(\.index)))
            default: .refused
            }
        }
        #expect(readBack.node.appKeys.isEmpty)
        #expect(readBack.node.elements.flatMap(\.models).allSatisfy { $0.bindings.isEmpty && $0.publication == nil })
        #expect(!readBack.refused.contains { if case .publication = $0 { true } else { false } })

        var bare = lamp
        bare.appKeys = []
        for element in bare.elements.indices {
            for model in bare.elements[element].models.indices { bare.elements[element].models[model].bindings = [] }
        }
        var asked: Set<NodeReading> = []
        readBack = NodeReadBack(of: bare, appKeys: network.appKeys)
        let sizes = run(&readBack) { reading in
            asked.insert(reading)
            switch reading {
            case .appKeys(let subnet): return .report(.appKeys(subnet, lamp.appKeys.map(\.index)))
            case .bindings(let model): return .report(.bindings(model, lamp.appKeys.map(\.index)))
            default: return .refused
            }
        }
        let all = Set(NodeReadBack.foreseen(for: lamp, appKeys: network.appKeys))
        #expect(asked.isSuperset(of: all.filter { if case .bindings = $0 { true } else { false } }))
        #expect(asked.contains(.publication(ModelAddress(element: 0, model: .sig(0x1000)))))
        #expect(sizes.count < asked.count / 2)
    }

    @Test("A full status leaves the rest to a shorter one; any other gap leaves it to single Gets")
    func gaps() throws {
        for (fullAt, gap, isSingle) in [(40, 2, false), (nil, 2, true), (40, 0, true)] as [(Int?, Int, Bool)] {
            var readBack = NodeReadBack(of: lamp, appKeys: network.appKeys)
            while case .get? = readBack.nextRequest { readBack.refuse() }
            guard case .sequence(let readings)? = readBack.nextRequest else {
                Issue.record("no sequence")
                continue
            }
            let answers: [ReadBackAnswers.Answer?] = readings.indices.map { $0 < gap ? .refused : nil }
            readBack.include(ReadBackAnswers(answers: answers, fullAt: fullAt), to: readings)
            readBack.takeTold(labels: labels)
            #expect(readBack.isAskedSingly == isSingle)
            #expect(readBack.next == readings[gap])
            while let request = readBack.nextRequest {
                if case .sequence(let readings) = request {
                    #expect(!isSingle && request.statusLength(on: readBack.node) <= 40)
                    readBack.include(ReadBackAnswers(answers: readings.map { _ in .refused }), to: readings)
                    readBack.takeTold(labels: labels)
                } else {
                    readBack.refuse()
                }
            }
            #expect(readBack.isFinished)
        }
    }
}
