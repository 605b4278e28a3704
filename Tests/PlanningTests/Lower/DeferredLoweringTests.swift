import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Planning

@Suite("Lowering what waited for a composition")
struct DeferredLoweringTests {
    private let onOff = ModelAddress(element: 0, model: .sig(0x1000))

    /// The configuration of lamp-1, of which the office knows everything.
    private func configuration(_ office: Office) throws -> DeferredConfiguration {
        let lamp = try #require(office.network.nodes.first { $0.name == "lamp-1" })
        return DeferredConfiguration(node: lamp.uuid, name: "lamp-1")
    }

    private func publication(_ target: DesiredPublication.Target, _ key: UInt16? = 0) -> DesiredPublication {
        DesiredPublication(
            target: target,
            key: key.flatMap { AppKeyIndex(rawValue: $0) },
            ttl: Publication.defaultTTL,
            period: .none,
            retransmit: .none,
            usesFriendshipCredentials: false
        )
    }

    private func actions(_ lowered: LoweredConfiguration) -> [ConfigurationAction] {
        lowered.steps.compactMap { step in
            if case .configure(_, let action) = step.work { action } else { nil }
        }
    }

    @Test("What is already so takes no step, and what is not takes the steps of a plan")
    func difference() throws {
        let office = try Office()
        var configuration = try configuration(office)
        configuration.relay = true
        configuration.models = [DeferredModel(address: onOff, bindings: [try #require(AppKeyIndex(rawValue: 0))])]
        #expect(configuration.lowered(in: office.network) == LoweredConfiguration())
        let alarm = try #require(office.network.groups.last).address
        configuration.rules = [
            ModelRule(model: .sig(0x1002), element: nil, isRequired: true, effect: .subscribe([alarm]))
        ]
        let lowered = configuration.lowered(in: office.network)
        #expect(actions(lowered) == [.addSubscription(ModelAddress(element: 1, model: .sig(0x1002)), alarm)])
        #expect(lowered.changes.map(\.address) == ["node.lamp-1.element[1].generic-level-server.subscription.alarm"])
        #expect(lowered.problems == [])
    }

    @Test("What the node lacks is a problem without a place; the rest is done")
    func problems() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.features.proxy = .notSupported }
        var configuration = try configuration(office)
        configuration.proxy = true
        configuration.relay = false
        configuration.relayRetransmit = TransmitParameters(octet: 0)
        configuration.models = [
            DeferredModel(address: ModelAddress(element: 7, model: .sig(0x1000)), bindings: []),
            DeferredModel(address: onOff, bindings: [try #require(AppKeyIndex(rawValue: 9))]),
        ].sorted { $0.address < $1.address }
        configuration.rules = [
            ModelRule(model: .sig(0x1100), element: nil, isRequired: true, effect: .subscribe([])),
            ModelRule(model: .sig(0x1101), element: nil, isRequired: false, effect: .subscribe([])),
        ]
        let lowered = configuration.lowered(in: office.network)
        #expect(
            lowered.problems.map(\.message) == [
                "node `lamp-1` does not have the proxy feature", "node `lamp-1` has no `sensor-server`",
                "node `lamp-1` has no element 7", "node `lamp-1`: there is no AppKey with index 9",
            ]
        )
        #expect(lowered.problems.allSatisfy { $0.location == nil && $0.resource == "node.lamp-1" })
        #expect(
            actions(lowered) == [
                .unbind(onOff, try #require(AppKeyIndex(rawValue: 0))),
                .setRelay(false, TransmitParameters(octet: 0)),
            ]
        )
    }

    @Test("The cost that is foreseen for states is that of their messages")
    func costOfStates() throws {
        var configuration = try configuration(try Office())
        let bridge = FoundationState.subnetBridge(true)
        configuration.states = [DeferredState(state: .value(bridge), isOptional: false)]
        #expect(configuration.foreseenCost == ConfigurationAction.set(bridge).cost)
        configuration.states = [DeferredState(state: .value(.subnetBridge(false)), isOptional: false)]
        #expect(configuration.foreseenCost == .zero)
        #expect(!configuration.isCostExact)
    }

    @Test("The cost that is foreseen for a model is that of its publication with the node that it names, and else all")
    func costOfPublications() throws {
        var configuration = try configuration(try Office())
        let other = DeviceUUID(rawValue: Octets16(high: 0, low: 0x12))
        let key = AppKeyIndex.first
        configuration.models = [
            DeferredModel(address: onOff, bindings: [key], publication: .on(publication(.element(of: other, index: 0))))
        ]
        #expect(configuration.foreseenCost == ConfigurationAction.bind(onOff, key).cost)
        configuration.target = other
        let set = ConfigurationAction.setPublication(onOff, Publication(address: .group(.allNodes), appKeyIndex: key))
        #expect(configuration.foreseenCost == set.cost)
    }

    @Test("What waits for a node consists of the publications and of the rules that publish, and of nothing else")
    func publicationsToOne() throws {
        var configuration = try configuration(try Office())
        let other = DeviceUUID(rawValue: Octets16(high: 0, low: 0x12))
        let all = publication(.address(.group(.allNodes)))
        let publish = ModelRule(model: .sig(0x1000), element: nil, isRequired: true, effect: .publish(all))
        configuration.rules = [
            ModelRule(model: .sig(0x1002), element: nil, isRequired: true, effect: .subscribe([])), publish,
        ]
        let part = configuration.publications(to: other)
        #expect(part.target == other && part.rules == [publish])
    }

    @Test("Of two publications of one model neither is set")
    func conflict() throws {
        let office = try Office()
        var configuration = try configuration(office)
        let rule = { [self] (group: GroupAddress) in
            ModelRule(
                model: .sig(0x1000),
                element: nil,
                isRequired: false,
                effect: .publish(publication(.address(.group(group))))
            )
        }
        configuration.rules = [rule(.allNodes), rule(.allRelays)]
        let lowered = configuration.lowered(in: office.network)
        #expect(
            lowered.problems.map(\.message)
                == ["`generic-onoff-server` on element 0 of node `lamp-1` has two publications"]
        )
        #expect(lowered.steps == [])
    }

    @Test("A publication to a node without an address is left out, unless it is what was waited for")
    func targets() throws {
        var office = try Office()
        let target = DeviceUUID(rawValue: Octets16(high: 0, low: 0x12))
        var configuration = try configuration(office)
        configuration.models = [
            DeferredModel(address: onOff, publication: .on(publication(.element(of: target, index: 1))))
        ]
        let expected = Publication(
            address: .unicast(try #require(UnicastAddress(rawValue: 0x0013))),
            appKeyIndex: try #require(AppKeyIndex(rawValue: 0))
        )
        #expect(actions(configuration.lowered(in: office.network)) == [.setPublication(onOff, expected)])
        #expect(
            configuration.lowered(in: office.network).changes.map(\.after) == ["to lamp-2/1, key lighting"]
        )
        try office.change("lamp-2") { $0.unprovisionedSeenAt = Timestamp(rawValue: 1) }
        #expect(configuration.lowered(in: office.network) == LoweredConfiguration())
        configuration.target = target
        #expect(
            configuration.lowered(in: office.network).problems.map(\.message)
                == ["node `lamp-1`: node `lamp-2` has no address yet"]
        )
        try office.change("lamp-2") { $0.unprovisionedSeenAt = nil }
        #expect(actions(configuration.lowered(in: office.network)) == [.setPublication(onOff, expected)])
        // A publication to another address was set with the rest of the configuration.
        let level = ModelAddress(element: 1, model: .sig(0x1002))
        let elsewhere = publication(.address(.group(.allRelays)))
        configuration.models.append(DeferredModel(address: level, publication: .on(elsewhere)))
        #expect(actions(configuration.lowered(in: office.network)) == [.setPublication(onOff, expected)])
        configuration.models.removeLast()
        configuration.models[0].publication = .on(publication(.element(of: target, index: 2)))
        #expect(
            configuration.lowered(in: office.network).problems.map(\.message)
                == ["node `lamp-1`: node `lamp-2` has no element 2"]
        )
    }

    @Test("Application keys wait while the node has missed the new key of their subnet")
    func refresh() throws {
        var office = try Office()
        office.network.netKeys[1].phase = .usingNewKeys
        office.network.netKeys[1].oldKey = KeyMaterial(Octets16(high: 1, low: 1))
        let guests = office.network.netKeys[1].index
        try office.change("lamp-1") { $0.netKeys.append(NodeKey(index: guests)) }
        var configuration = try configuration(office)
        let lighting = try #require(AppKeyIndex(rawValue: 0))
        let sensing = try #require(AppKeyIndex(rawValue: 1))
        let level = ModelAddress(element: 1, model: .sig(0x1002))
        configuration.models = [
            DeferredModel(address: onOff, bindings: [lighting, sensing]),
            DeferredModel(address: level, bindings: []),
        ]
        let lowered = configuration.lowered(in: office.network)
        #expect(lowered.problems.map(\.message) == ["node `lamp-1`: it has missed the new key of subnet `guests`"])
        #expect(actions(lowered) == [.unbind(level, lighting)])
    }

    @Test("Nothing can be told of a node that is not there or not known")
    func unknown() throws {
        var office = try Office()
        let configuration = try configuration(office)
        try office.change("lamp-1") { $0.elements = [Element()] }
        #expect(
            configuration.lowered(in: office.network).problems.map(\.message)
                == ["the composition of node `lamp-1` is not known"]
        )
        office.network.nodes.removeAll { $0.name == "lamp-1" }
        #expect(
            configuration.lowered(in: office.network).problems.map(\.message)
                == ["node `lamp-1` is not in the network"]
        )
    }
}
