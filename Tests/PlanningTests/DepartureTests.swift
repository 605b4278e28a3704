import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

/// Subnets that nodes leave whose composition has to be read first: what is lowered then must not come too late.
@Suite("Leaving subnets when compositions are not known")
struct DepartureTests {
    private static let guests = NetKeyIndex(rawValue: 1)
    private static let withoutGuests = Office.definition
        .replacing(", guests: {}", with: "").replacing(", sensing: { subnet: guests }", with: "")
    private static let both = "subnets: [building, guests], application_keys: [lighting, sensing]"

    /// All nodes in both subnets; of lamp-1 it is not known any more what it is made of.
    private func office(_ features: Node.Features) throws -> (office: Office, composition: Composition) {
        var office = try Office()
        office.manageAll()
        try office.apply(Office.definition + Office.nodes(lamp1: Self.both, lamp2: Self.both, switch1: Self.both))
        var composition: Composition?
        try office.change("lamp-1") { node in
            composition = Composition(
                company: 1,
                product: 2,
                version: 3,
                replayListSize: 10,
                features: [.relay, .proxy],
                elements: node.elements.map { element in
                    CompositionElement(location: 0, models: element.models.map(\.identifier))
                }
            )
            node.product = nil
            node.elements = []
            node.features = features
        }
        return (office, try #require(composition))
    }

    private func lamp(_ office: Office) throws -> Node {
        try #require(office.network.nodes.first { $0.name == "lamp-1" })
    }

    private func configurations(_ plan: Plan) -> [DeferredConfiguration] {
        plan.steps.compactMap { step in
            if case .configureWhenKnown(let configuration) = step.work { configuration } else { nil }
        }
    }

    @Test("A subnet that leaves the network goes after what a composition brings, though the node carries nobody")
    func leavingSubnet() throws {
        let silent = Node.Features(relay: .disabled, proxy: .disabled, friend: .disabled)
        let (office, _) = try office(silent)
        let waiting = "elements: { 0: { generic-onoff-server: { keys: [lighting] } } }"
        let plan = try #require(try office.result(Self.withoutGuests + Office.nodes(lamp1: waiting)).plan)
        let text = PlanDebugText.text(plan).split(separator: "\n")
        let last = try #require(text.lastIndex { $0.hasSuffix("lamp-1: configure when known after 0") })
        let loss = try #require(text.firstIndex { $0.contains("lamp-1: delete NetKey 1") })
        #expect(last < loss, "\(text.joined(separator: "\n"))")
        #expect(text[loss].hasPrefix("| "), "no barrier before it: \(text[loss])")
        // The network lets go of the key after the node.
        let step = try #require(text[loss].split(separator: " ").compactMap { Int($0) }.first)
        #expect(text.last?.contains("remove NetKey 1 after") == true && text.last?.contains("\(step)") == true)
    }

    @Test("What a node loses besides is lowered once all others are done, with the rest of its configuration before")
    func ownList() throws {
        let (known, composition) = try office(Node.Features())
        let yaml =
            Office.definition
            + Office.nodes(
                lamp1: "subnets: [building], application_keys: [lighting]",
                lamp2: Self.both + ", ttl: 9",
                switch1: Self.both
            )
        let plan = try #require(try known.result(yaml).plan)
        #expect(configurations(plan).map(\.subnetLosses) == [.later, .alone])
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
        let departure = try #require(
            plan.steps.lastIndex { if case .configureWhenKnown = $0.work { true } else { false } }
        )
        #expect(plan.barriers.contains(departure))
        #expect(PlanDebugText.text(plan).contains("- node.lamp-1.subnet.guests [index 1] (deferred)"))
        var simulation = StepSimulation(known.network, compositions: [try lamp(known).uuid: composition])
        for (position, step) in plan.steps.enumerated() {
            let lamp = try #require(simulation.network.nodes.first { $0.name == "lamp-1" })
            #expect(lamp.netKeys.count == 2, "\(position)")
            try simulation.apply(step)
        }
        #expect(simulation.problems == [])
        var after = known
        after.network = simulation.network
        #expect(try lamp(after).netKeys.map(\.index) == [.primary])
        #expect(try lamp(after).appKeys.map(\.index) == [.first])
        #expect(try #require(try after.result(yaml).plan).steps == [])
    }

    @Test("A key stays on which a publication still depends, since it did not get another one")
    func failedMove() throws {
        var (office, composition) = try office(Node.Features())
        let sensing = try #require(AppKeyIndex(rawValue: 1))
        let kitchen = try #require(GroupAddress(rawValue: 0xC001))
        try office.change("lamp-1") { node in
            node.record(composition)
            node.elements[0].models[1].bindings = [.first, sensing]
            node.elements[0].models[1].publication = Publication(address: .group(kitchen), appKeyIndex: sensing)
        }
        var configuration = DeferredConfiguration(node: try lamp(office).uuid, name: "lamp-1")
        configuration.subnets = [.primary]
        configuration.applicationKeys = [.first]
        let wanted = DesiredPublication(
            target: .address(.group(kitchen)),
            key: .first,
            ttl: Publication.defaultTTL,
            period: .none,
            retransmit: .none,
            usesFriendshipCredentials: false
        )
        let model = ModelAddress(element: 0, model: .sig(0x1000))
        configuration.models = [DeferredModel(address: model, bindings: [.first], publication: .on(wanted))]
        configuration.subnetLosses = .alone
        let stuck = configuration.lowered(in: office.network)
        #expect(stuck.steps == [])
        #expect(
            stuck.problems.map(\.message) == [
                "node `lamp-1` keeps application key `sensing`: a publication that should have got another key still "
                    + "uses it"
            ]
        )
        configuration.subnetLosses = .later
        let rest = configuration.lowered(in: office.network)
        #expect(rest.problems == [])
        for step in rest.steps {
            guard case .configure(_, let action) = step.work else { continue }
            if case .deleteNetKey = action { Issue.record("the subnet goes with the rest") }
            let appKeys = office.network.appKeys
            try office.change("lamp-1") { $0.apply(action, appKeys: appKeys) }
        }
        configuration.subnetLosses = .alone
        let departure = configuration.lowered(in: office.network)
        #expect(departure.problems == [])
        #expect(
            departure.steps.map(\.work) == [.configure(try lamp(office).uuid, .deleteNetKey(try #require(Self.guests)))]
        )
    }

    @Test("A node whose new NetKey did not come keeps the old one")
    func missingKey() throws {
        var (office, composition) = try office(Node.Features())
        try office.change("lamp-1") { node in
            node.record(composition)
            node.netKeys = [NodeKey(index: .primary)]
            node.appKeys = []
        }
        var configuration = DeferredConfiguration(node: try lamp(office).uuid, name: "lamp-1")
        configuration.subnets = [try #require(Self.guests)]
        configuration.allowed = [.transportNetKey]
        configuration.subnetLosses = .alone
        let lowered = configuration.lowered(in: office.network)
        #expect(lowered.steps == [])
        #expect(
            lowered.problems.map(\.message)
                == ["node `lamp-1` would lose its last NetKey, that of subnet `building`"]
        )
    }
}
