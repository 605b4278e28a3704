import DefinitionModel
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@testable import Execution

@Suite("Reading nodes back with the Opcodes Aggregator")
struct AggregatedReadBackTests {
    /// A configured site whose lamps have the Opcodes Aggregator Server, read back once so that everything is known.
    private func site(lamps: Int, settings: WorldSettings = .ideal) throws -> Site {
        var network = try House.network(lamps: lamps)
        for node in network.nodes.indices where !network.nodes[node].elements.isEmpty {
            guard network.nodes[node].name != "meshplan" else { continue }
            network.nodes[node].elements[0].models.append(Model(identifier: .opcodesAggregatorServer))
        }
        let site = try Site(network: network, lamps: lamps, settings: settings)
        site.options.readsInSequences = true
        try #require(try site.apply(try site.plan()).isComplete)
        try #require(try site.execute { $0.readBack(all(lamps)) }.isComplete)
        return site
    }

    private func all(_ lamps: Int) -> [DeviceUUID] { (1...lamps).map { uuid(UInt64($0)) } }

    private func outcome(_ site: Site, _ number: Int = 1) -> ReadBackOutcome? {
        for case .nodeReadBack(let node, let outcome) in site.events where node == uuid(UInt64(number)) {
            return outcome
        }
        return nil
    }

    /// How many messages a lamp takes that is as recorded.
    private func messages(_ site: Site, _ number: Int = 1) throws -> Int {
        let network = try site.network
        return NodeReadBack.foreseenRequests(for: try site.lamp(number), appKeys: network.appKeys).count
    }

    @Test("A node as recorded takes less than half as many messages as it has values, none of more than six segments")
    func asRecorded() throws {
        let site = try site(lamps: 3)
        let before = try site.database.snapshot()
        let requests = site.world.statistics.requests
        let recap = try site.execute { $0.readBack(all(3)) }
        let messages = try messages(site)
        #expect(recap.isComplete && recap.messagesSent == 3 * messages)
        #expect(site.world.statistics.requests - requests == 3 * messages)
        #expect(try site.database.snapshot().serial == before.serial)
        for number in 1...3 {
            let (node, appKeys) = (try site.lamp(number), before.network.appKeys)
            let readings = NodeReadBack.foreseen(for: node, appKeys: appKeys)
            let requests = NodeReadBack.foreseenRequests(for: node, appKeys: appKeys)
            #expect(readings.count == 1 + 1 + 2 + 6 + 2 + 5 + 4 + 3)
            #expect(requests.count * 2 < readings.count, "\(requests.count) for \(readings.count)")
            #expect(outcome(site, number)?.reports == readings.count)
            #expect(outcome(site, number)?.isAskedSingly == false && outcome(site, number)?.drifted == [])
            let plain = readings.reduce(0) { $0 + $1.cost.pdus }
            let packed = requests.reduce(0) { $0 + $1.cost(on: node).pdus }
            #expect(packed < plain, "\(plain) to \(packed) PDUs")
            let inquiries = ActionInquiries(.read(.netKeys), node: node.unicastAddress, network: before.network)
            for case .sequence(let sent) in requests {
                let cost = ReadBackRequest.sequence(sent).cost(on: node)
                // One more each way acknowledges the segments of the other.
                #expect(cost.pdusToNode <= 6 + 1 && cost.pdusFromNode <= 6 + 1)
                let sequence = try inquiries.sequence(sent, answerSize: 300)
                let alone = MessageCost.exchange(request: sequence.payload.count, status: 0)
                #expect(cost.pdusToNode == alone.pdusToNode + 1)
            }
        }
        #expect(try site.plan().isEmpty)
        #expect(site.world.violations == [])
    }

    @Test("Drift is the same as when everything is asked for singly", arguments: [nil, SequenceFault.unanswered])
    func drift(fault: SequenceFault?) throws {
        let site = try site(lamps: 1)
        let guests = try #require(House.guests)
        site.world.change(uuid(1)) { state in
            state.defaultTTL = 9
            state.elements[0].models[2].subscriptions.removeLast()
            state.elements[0].models[3].publication = nil
            state.removeNetKey(guests)
        }
        if let fault { site.world.setFaults(NodeFaults(sequences: fault), of: uuid(1)) }
        #expect(try site.execute { $0.readBack([uuid(1)]) }.isComplete)
        let drift = try #require(try site.network.drifts[uuid(1)])
        #expect(drift.resources.contains(.netKey(guests)) && drift.resources.contains(.defaultTTL))
        #expect(drift.resources.count == 6)
        #expect(try site.world.mismatches(against: site.network) == [])
        site.world.setFaults(NodeFaults(), of: uuid(1))
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.network.drifts.isEmpty)
    }

    @Test(
        "What a node does not answer in a sequence is asked for singly, and it gets no second one",
        arguments: [
            (SequenceFault.refused(.invalidAddress), 23), (.refused(.wrongAccessKey), 23), (.refused(.wrongOpcode), 23),
            (.refused(.messageNotUnderstood), 23), (.refused(.success), 23), (.refused(.responseOverflow), 23),
            (.otherElement(.first), 23), (.emptyItem(0), 14), (.emptyItem(3), 14), (.emptyItem(7), 14),
            (.unanswered, 23),
        ] as [(SequenceFault, Int)]
    )
    func fallback(fault: SequenceFault, singles: Int) throws {
        let site = try site(lamps: 1)
        site.world.setFaults(NodeFaults(sequences: fault), of: uuid(1))
        let recap = try site.execute { $0.readBack([uuid(1)]) }
        #expect(recap.isComplete)
        #expect(recap.messagesSent - recap.retries == 2 + singles)
        let outcome = try #require(self.outcome(site))
        #expect(outcome.isAskedSingly && outcome.isComplete && outcome.reports == 24)
        #expect(outcome.drifted == [] && outcome.refused == [])
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("A node with less room for answers is asked in shorter sequences")
    func room() throws {
        let site = try site(lamps: 1)
        let usual = try messages(site)
        site.world.setFaults(NodeFaults(sequences: .room(40)), of: uuid(1))
        let recap = try site.execute { $0.readBack([uuid(1)]) }
        #expect(recap.isComplete && recap.messagesSent > usual && recap.messagesSent < 24, "\(recap.messagesSent)")
        #expect(outcome(site)?.isAskedSingly == false && outcome(site)?.reports == 24)
        #expect(outcome(site)?.drifted == [])
    }

    @Test("A Get that is refused within a sequence leaves what is recorded, and the others count")
    func refusal() throws {
        let site = try site(lamps: 1)
        let opcode = ConfigModelPublicationGet.opcode
        let answer = NodeFaults.Answer(opcode: opcode, status: .invalidPublishParameters, count: 1)
        site.world.setFaults(NodeFaults(answers: [answer]), of: uuid(1))
        let usual = try messages(site)
        let recap = try site.execute { $0.readBack([uuid(1)]) }
        #expect(recap.isComplete && recap.messagesSent == usual)
        #expect(outcome(site)?.refused.count == 1 && outcome(site)?.drifted == [])
    }

    @Test("Other nodes of a product that takes no sequences are spared them")
    func product() throws {
        let site = try site(lamps: 6)
        for number in 1...6 {
            site.world.setFaults(NodeFaults(sequences: .refused(.wrongOpcode)), of: uuid(UInt64(number)))
        }
        site.options.initialWindow = 1
        site.options.maximumWindow = 1
        let recap = try site.execute { $0.readBack(all(6)) }
        #expect(recap.isComplete && recap.messagesSent == 6 * 24 + 1)
    }

    @Test("New firmware without the server is asked singly")
    func newFirmware() throws {
        let site = try site(lamps: 1)
        site.world.change(uuid(1)) { state in
            state.product.version = 3
            state.elements[0].models.removeLast()
        }
        let recap = try site.execute { $0.readBack([uuid(1)]) }
        #expect(recap.isComplete && recap.messagesSent == 23 && outcome(site)?.isAskedSingly == false)
        #expect(outcome(site)?.isCompositionNew == true)
    }

    @Test("A mutilated status is never more than fewer answers")
    func hostile() throws {
        let site = try site(lamps: 1)
        let (node, network) = (try site.lamp(1), try site.network)
        let request = NodeReadBack.foreseenRequests(for: node, appKeys: network.appKeys).last
        let readings = try #require(request?.readings)
        let inquiries = ActionInquiries(.read(.netKeys), node: node.unicastAddress, network: network)
        let sequence = try inquiries.sequence(readings, answerSize: 300)
        var server = try #require(site.world.node(uuid(1)))
        let status = try #require(
            ConfigurationServer().respond(to: sequence.payload, through: .primary, state: &server, refusal: nil)
        )
        func answers(_ payload: [UInt8]) -> [ReadBackAnswers.Answer?]? {
            guard case .reports(let reports)? = sequence.verdict(on: payload) else { return nil }
            #expect(reports.answers.count == readings.count)
            return reports.answers
        }
        let whole = try #require(answers(status))
        #expect(whole.allSatisfy { $0 != nil })
        for length in 0..<status.count {
            guard let cut = answers(Array(status.prefix(length))) else { continue }
            #expect(zip(cut, whole).allSatisfy { $0 == nil || $0 == $1 })
        }
        for place in status.indices {
            for mask: UInt8 in [0x01, 0x02, 0x10, 0x80, 0xFF] {
                var flipped = status
                flipped[place] ^= mask
                _ = answers(flipped)
            }
        }
        var generator = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            _ = answers(status.prefix(5) + (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        #expect(answers(status.prefix(5) + [0x00, 0x00, 0x00])?.allSatisfy { $0 == nil } == true)
    }

    /// Where everybody hears everybody, segments get lost: a sequence of few of them comes through, so that next to no
    /// node has to be asked singly.
    @Test("In a flooded office, too, everything is read with half of the messages", arguments: [5, 6, 7] as [UInt64])
    func office(seed: UInt64) throws {
        let known = try site(lamps: 12)
        func recap(singly: Bool) throws -> (recap: Recap, asked: Int) {
            let site = try Site(network: known.network, lamps: 12, settings: .office, seed: seed)
            site.options.readsInSequences = !singly
            let recap = try site.execute { $0.readBack(all(12)) }
            return (recap, (1...12).count { outcome(site, $0)?.isAskedSingly == true })
        }
        let ((packed, asked), (plain, _)) = (try recap(singly: false), try recap(singly: true))
        #expect(packed.isComplete && plain.isComplete)
        #expect(
            packed.messagesSent * 2 < plain.messagesSent,
            "\(packed.messagesSent) in \(packed.duration), \(plain.messagesSent) in \(plain.duration), \(asked) singly"
        )
        #expect(asked <= 1, "\(asked)")
    }
}
