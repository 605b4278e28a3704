import DefinitionModel
import Definitions
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Properties of adopted networks")
struct AdoptionPropertyTests {
    private static let seeds = 0..<UInt64(250)

    @Test("Whatever is recorded, the plan of what was written is empty, and it is written the same again")
    func anything() throws {
        var (nodes, profiles, notes, rules) = (0, 0, 0, 0)
        for seed in Self.seeds {
            let records = RandomRecords(seed: seed, isSound: false)
            let adopted = try AdoptedNetwork(records.network, "seed \(seed)")
            let contradicting = adopted.adoption.leftOut.filter { $0.text.contains("contradicts") }
            #expect(contradicting.isEmpty, "seed \(seed): \(contradicting)")
            let others = records.network.nodes.count { $0.uuid != records.network.ownProvisioner }
            #expect(adopted.definition.nodes.count + adopted.adoption.leftOut.count == others, "seed \(seed)")
            nodes += adopted.definition.nodes.count
            profiles += adopted.definition.profiles.count
            rules += adopted.definition.subscriptions.count + adopted.definition.publications.count
            notes += adopted.adoption.notes.count
        }
        #expect(nodes > Self.seeds.count * 3 && notes > Self.seeds.count, "\(nodes) nodes, \(notes) notes")
        #expect(
            profiles > Self.seeds.count / 10 && rules > Self.seeds.count / 10,
            "\(profiles) profiles, \(rules) rules"
        )
    }

    @Test("What was written of sound records makes such a network again of nodes that have nothing but a NetKey")
    func rebuilt() throws {
        var (messages, profiles, rules) = (0, 0, 0)
        for seed in Self.seeds {
            let original = RandomRecords(seed: seed, isSound: true).network
            let adopted = try AdoptedNetwork(original, "seed \(seed)")
            let unexpected = adopted.adoption.notes.filter { !$0.text.contains("repeats as a relay") }
                .filter { !$0.subject.hasPrefix("group") }
            #expect(unexpected.isEmpty, "seed \(seed): \(unexpected)")
            let blank = adopted.network.blank
            let result = Planner.plan(
                definition: adopted.definition,
                network: blank,
                base: (Octets16(high: 1, low: 1), 1),
                identifier: Octets16(high: 2, low: 2),
                options: PlannerOptions(allowed: Set(PlanGuard.allCases))
            )
            let plan = try #require(result.plan, "seed \(seed): \(result.diagnostics)")
            var simulation = StepSimulation(blank)
            for step in plan.steps { try simulation.apply(step) }
            messages += plan.steps.count
            profiles += adopted.definition.profiles.count
            rules += adopted.definition.subscriptions.count + adopted.definition.publications.count
            let declared = Set(adopted.definition.nodes.map(\.uuid.value))
            for (node, before) in zip(simulation.network.nodes, original.nodes) where declared.contains(node.uuid) {
                #expect(node.comparable == before.comparable, "seed \(seed)")
            }
        }
        #expect(messages > Self.seeds.count * 5)
        #expect(profiles > Self.seeds.count / 5 && rules > Self.seeds.count / 5, "\(profiles) profiles, \(rules) rules")
    }
}

/// A network with the definition written from it, which is checked to be read well, to plan empty and to stay the same.
struct AdoptedNetwork {
    let adoption: Adoption
    let text: String
    let definition: Definition
    /// The network with the names of the definition, managed by it.
    let network: MeshNetwork

    init(_ original: MeshNetwork, _ comment: Comment) throws {
        adoption = Adoption.make(of: original, named: "adopted")
        text = DefinitionWriter.text(of: adoption.definition)
        let files = SourceFiles(files: [SourceFiles.File(path: "adopted.yaml", bytes: Array(text.utf8))])
        let (definitions, diagnostics) = DefinitionReader.read(files: files)
        #expect(diagnostics.filter { $0.severity > .note } == [], comment)
        definition = try #require(definitions.first, comment)
        #expect(DefinitionWriter.text(of: definition) == text, comment)
        let first = Self.plan(definition, original)
        #expect(first.diagnostics.filter { $0.severity > .note } == [], comment)
        let plan = try #require(first.plan, comment)
        network = try #require(original.recording(plan), comment)
        let second = Self.plan(definition, network)
        #expect(second.plan?.steps == [] && second.plan?.changes == [], comment)
        #expect(second.plan?.claims == Claims(), comment)
    }

    static func plan(_ definition: Definition, _ network: MeshNetwork) -> PlanningResult {
        Planner.plan(
            definition: definition,
            network: network,
            base: (Octets16(high: 1, low: 1), 1),
            identifier: Octets16(high: 2, low: 2)
        )
    }
}

extension MeshNetwork {
    /// The network with nodes that were provisioned and not configured.
    fileprivate var blank: MeshNetwork {
        var blank = self
        for place in nodes.indices {
            blank.nodes[place].netKeys = Array(nodes[place].netKeys.prefix(1))
            blank.nodes[place].appKeys = []
            blank.nodes[place].states = []
            blank.nodes[place].bridgingTable = nodes[place].bridgingTable.map { _ in [] }
            blank.nodes[place].defaultTTL = nil
            blank.nodes[place].secureNetworkBeacon = nil
            blank.nodes[place].networkTransmit = nil
            blank.nodes[place].relayRetransmit = nil
            for element in nodes[place].elements.indices {
                blank.nodes[place].elements[element].models = nodes[place].elements[element].models.map {
                    Model(identifier: $0.identifier)
                }
            }
        }
        return blank
    }
}

extension Node {
    /// What a node is like, in one form where there are several, without what cannot be asked for.
    fileprivate var comparable: Node {
        var node = self
        node.name = ""
        node.isManaged = false
        node.observedAt = nil
        if node.features.relay.flatMap({ $0 == .notSupported ? nil : $0 }) == nil { node.relayRetransmit = nil }
        node.relayRetransmit = node.relayRetransmit.map { $0.count == 0 ? TransmitParameters(octet: 0) : $0 }
        node.networkTransmit = node.networkTransmit.map { $0.count == 0 ? TransmitParameters(octet: 0) : $0 }
        node.states = node.states.compactMap { state in
            switch state {
            case .heartbeatPublication(let heartbeat) where heartbeat.isOff: nil
            case .heartbeatSubscription(let heartbeat) where heartbeat.isOff: nil
            case .nodeIdentity where features.proxy != .enabled: nil
            case let other where other.kind.needsProxyFeature && features.proxy == .notSupported: nil
            default: state
            }
        }
        for element in node.elements.indices {
            for place in node.elements[element].models.indices {
                var model = node.elements[element].models[place]
                model.managedBindings = []
                model.managedSubscriptions = []
                model.isPublicationManaged = false
                if let publication = model.publication {
                    let period = publication.period.milliseconds
                    model.publication?.period = PublishPeriod(milliseconds: period) ?? .none
                    if publication.retransmit.count == 0 { model.publication?.retransmit = .none }
                }
                node.elements[element].models[place] = model
            }
        }
        return node
    }
}
