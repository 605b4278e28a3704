import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("States of the foundation models over the simulated network")
struct FoundationStatesTests {
    private static let guests = NetKeyIndex(rawValue: 1) ?? .primary
    private static let servers: [ModelIdentifier] = [
        .bridgeConfigurationServer, .privateBeaconServer, .onDemandPrivateProxyServer, .sarConfigurationServer,
    ]

    /// Lamps with the models of version 1.1 and a second subnet.
    private static func network(lamps: Int = 2) throws -> MeshNetwork {
        var network = try House.network(lamps: lamps)
        network.netKeys.append(NetKey(index: guests, name: "guests", key: secret(0x11)))
        for place in network.nodes.indices.dropFirst() {
            network.nodes[place].netKeys.append(NodeKey(index: guests))
            network.nodes[place].elements[0].models += servers.map { Model(identifier: $0) }
        }
        return network
    }

    private static func publication(
        to address: UInt16 = 0xFFFF,
        _ subnet: NetKeyIndex = guests
    ) throws -> FoundationState {
        .heartbeatPublication(
            HeartbeatPublication(
                destination: Address(rawValue: address),
                countLog: try required(HeartbeatPublicationCountLog(count: 64)),
                periodLog: try required(HeartbeatPeriodLog(seconds: 16)),
                ttl: 9,
                features: [.relay, .proxy],
                netKeyIndex: subnet
            )
        )
    }

    private static func entry(
        _ second: UInt16,
        _ directions: BridgingDirections = .oneWay,
        to subnet: NetKeyIndex = guests
    ) throws -> BridgingTableEntry {
        BridgingTableEntry(
            subnets: NetKeyIndexPair(first: .primary, second: subnet),
            addresses: BridgedAddresses(
                first: try unicast(0x0001),
                second: Address(rawValue: second),
                directions: directions
            )
        )
    }

    /// A value of every kind that is not the one a node begins with.
    private static func states() throws -> [FoundationState] {
        var transmitter = SARTransmitterState.standard
        transmitter.unicastRetransmissionsCount = 7
        var receiver = SARReceiverState.standard
        receiver.discardTimeout = 3
        return [
            try publication(),
            .heartbeatSubscription(
                HeartbeatSubscription(
                    source: try unicast(0x0010),
                    destination: Address(rawValue: 0xC00A),
                    periodLog: try required(HeartbeatPeriodLog(seconds: 1024))
                )
            ),
            .sarTransmitter(transmitter), .sarReceiver(receiver),
            .privateBeacon(PrivateBeaconState(isEnabled: true, randomUpdateIntervalSteps: 3)),
            .privateGATTProxy(.enabled), .onDemandPrivateProxy(seconds: 20), .privateNodeIdentity(guests, .stopped),
            .subnetBridge(true),
        ]
    }

    private func actions() throws -> [ConfigurationAction] {
        try Self.states().map { .set($0) }
            + [
                .addBridging(try Self.entry(0x0020)), .addBridging(try Self.entry(0xC000)),
                .addBridging(try Self.entry(0x0020, .bothWays)), .removeBridging(try Self.entry(0xC000)),
            ]
    }

    @Test("Every state and entry is set, recorded as the node has it, and not sent again")
    func everyState() throws {
        let site = try Site(network: Self.network())
        let actions = try actions()
        let recap = try site.apply(try site.plan(of: actions, on: uuid(2)))
        #expect(recap.isComplete, "\(recap)")
        // One more asks the other proxy to advertise, before this one does so with its private identity alone.
        #expect(recap.messagesSent == actions.count + 1 && recap.directLinks == 1, "\(recap)")
        let node = try site.lamp(2)
        #expect(node.states == (try Self.states()))
        #expect(node.bridgingTable == [try Self.entry(0x0020, .bothWays)])
        let onAir = try required(site.world.node(uuid(2)))
        for state in try Self.states() {
            switch (onAir.foundationState(state.kind), state) {
            case (.heartbeatSubscription(var left)?, .heartbeatSubscription(let set)):
                // Its period runs down.
                #expect(try required(left.periodLog).rawValue <= required(set.periodLog).rawValue)
                left.periodLog = set.periodLog
                #expect(left == set)
            case (let left, _): #expect(left == state)
            }
        }
        #expect(onAir.foundation.bridgingTable == [try Self.entry(0x0020, .bothWays)])
        #expect(try site.world.mismatches(against: site.network) == [])
        let second = try site.apply(try site.plan(of: Self.states().map { .set($0) }, on: uuid(2)))
        #expect(second.isComplete && second.messagesSent == 0, "\(second)")
        // Without an interval the node keeps its own, which is known already.
        let beacon = ConfigurationAction.set(.privateBeacon(PrivateBeaconState(isEnabled: true)))
        #expect(try site.apply(try site.plan(of: [beacon], on: uuid(2))).messagesSent == 0)
    }

    @Test("What the value leaves open is recorded as the node tells it")
    func interval() throws {
        let site = try Site(network: Self.network())
        let beacon = ConfigurationAction.set(.privateBeacon(PrivateBeaconState(isEnabled: true)))
        #expect(try site.apply(try site.plan(of: [beacon], on: uuid(2))).isComplete)
        #expect(
            try site.lamp(2).states
                == [.privateBeacon(PrivateBeaconState(isEnabled: true, randomUpdateIntervalSteps: 60))]
        )
    }

    @Test("A mute node acts without our knowing; the next run reads each state back and records it")
    func inDoubt() throws {
        for action in try actions() + [.removeAllBridging(try Self.entry(0xC000).subnets)] {
            let site = try Site(network: Self.network())
            switch action {
            case .removeBridging(let entry):
                #expect(try site.apply(try site.plan(of: [.addBridging(entry)], on: uuid(2))).isComplete)
            case .removeAllBridging:
                let entries = try [0xC000, 0xC001].map { ConfigurationAction.addBridging(try Self.entry($0)) }
                #expect(try site.apply(try site.plan(of: entries, on: uuid(2))).isComplete)
            default: break
            }
            site.world.setFaults(NodeFaults(isMute: true), of: uuid(2))
            let recap = try site.apply(try site.plan(of: [action], on: uuid(2)))
            #expect(recap.inDoubt == 1)
            site.world.setFaults(NodeFaults(), of: uuid(2))
            let resolved = try site.execute { $0.resolveInDoubt() }
            #expect(resolved.doubtsResolved == 1 && resolved.inDoubt == 0, "\(action)")
            #expect(try site.apply(try site.plan(of: [action], on: uuid(2))).messagesSent == 0, "\(action)")
            #expect(try site.world.mismatches(against: site.network) == [])
        }
    }

    @Test("A request that was lost with its read-back is found not to hold, and is sent by the next run")
    func lost() throws {
        for action in try actions() {
            let site = try Site(network: Self.network())
            site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
            #expect(try site.apply(try site.plan(of: [action], on: uuid(2))).inDoubt == 1)
            site.world.setFaults(NodeFaults(), of: uuid(2))
            let resolved = try site.execute { $0.resolveInDoubt() }
            #expect(resolved.inDoubt == 0, "\(action)")
            #expect(try site.apply(try site.plan(of: [action], on: uuid(2))).isComplete, "\(action)")
            #expect(try site.world.mismatches(against: site.network) == [], "\(action)")
        }
    }

    @Test("Refusals are told with their status, and nothing is recorded")
    func refusals() throws {
        let site = try Site(network: Self.network())
        let absent = NetKeyIndex(rawValue: 9) ?? .primary
        let refusals: [(ConfigurationAction, ConfigStatusCode)] = [
            (.set(try Self.publication(to: 0x8000)), .invalidAddress),
            (.set(try Self.publication(absent)), .invalidNetKeyIndex),
            (
                .set(
                    .heartbeatSubscription(
                        HeartbeatSubscription(
                            source: try unicast(0x0001),
                            destination: Address(rawValue: 0x0300),
                            periodLog: .off
                        )
                    )
                ), .invalidAddress
            ),
            (.set(.nodeIdentity(Self.guests, .stopped)), .temporarilyUnableToChangeState),
            (.set(.privateNodeIdentity(absent, .stopped)), .invalidNetKeyIndex),
            (.addBridging(try Self.entry(0x0020, to: absent)), .invalidNetKeyIndex),
        ]
        for (action, status) in refusals {
            let recap = try site.apply(try site.plan(of: [action], on: uuid(2)))
            #expect(recap.failed.map(\.failure) == [.refused(status)], "\(action)")
            #expect(try site.lamp(2).states == [] && site.lamp(2).bridgingTable == nil)
        }
        // Between subnets that the node is not in there is nothing to be removed.
        let removal = ConfigurationAction.removeBridging(try Self.entry(0x0020, to: absent))
        let recap = try site.apply(try site.plan(of: [removal], on: uuid(2)))
        #expect(recap.isComplete && recap.foundGone.map(\.status) == [.invalidNetKeyIndex])
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("All entries between two subnets go with one message, and no others")
    func emptiedTable() throws {
        let site = try Site(network: Self.network())
        let entries = try (0..<3).map { try Self.entry(0xC000 + $0) }
        var other = try Self.entry(0x0020)
        other.subnets = NetKeyIndexPair(first: other.subnets.second, second: other.subnets.first)
        #expect(try site.apply(try site.plan(of: (entries + [other]).map { .addBridging($0) }, on: uuid(2))).isComplete)
        let recap = try site.apply(try site.plan(of: [.removeAllBridging(entries[0].subnets)], on: uuid(2)))
        #expect(recap.isComplete && recap.messagesSent == 1, "\(recap)")
        #expect(try site.lamp(2).bridgingTable == [other])
        #expect(try required(site.world.node(uuid(2))).foundation.bridgingTable == [other])
    }

    @Test("A bridging table that is full refuses one entry more")
    func fullTable() throws {
        let site = try Site(network: Self.network())
        let entries = try (0..<17).map { try Self.entry(0xC000 + $0) }
        let recap = try site.apply(try site.plan(of: entries.map { .addBridging($0) }, on: uuid(2)))
        #expect(recap.applied == 16)
        #expect(recap.failed.map(\.failure) == [.refused(.insufficientResources)])
        #expect(try site.lamp(2).bridgingTable == Array(entries.prefix(16)))
    }

    @Test("A node that stays as it is although it was asked is told, with what it says and why")
    func staysAsItIs() throws {
        let site = try Site(network: Self.network())
        // The first lamp is the open proxy.
        let recap = try site.apply(try site.plan(of: [.set(.privateGATTProxy(.enabled))], on: uuid(1)))
        #expect(
            recap.failed.map(\.failure)
                == [.differs("Private GATT Proxy: off (it stays off while the GATT proxy is on)")]
        )
        #expect(try site.lamp(1).states == [])
    }

    @Test("What a node without a GATT proxy cannot have is recorded as such")
    func notSupported() throws {
        var network = try Self.network()
        network.nodes[2].features.proxy = .notSupported
        let site = try Site(network: network)
        let actions: [ConfigurationAction] = [
            .set(.nodeIdentity(Self.guests, .stopped)), .set(.privateNodeIdentity(Self.guests, .stopped)),
            .set(.privateGATTProxy(.disabled)),
        ]
        for action in actions {
            let recap = try site.apply(try site.plan(of: [action], on: uuid(2)))
            #expect(recap.failed.map(\.failure) == [.featureNotSupported], "\(action)")
        }
        #expect(
            try site.lamp(2).states == [
                .nodeIdentity(Self.guests, .notSupported), .privateGATTProxy(.notSupported),
                .privateNodeIdentity(Self.guests, .notSupported),
            ]
        )
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("An open proxy ends a private one, and the record follows")
    func openProxy() throws {
        let site = try Site(network: Self.network())
        let actions: [ConfigurationAction] = [
            .set(.privateGATTProxy(.enabled)), .setProxy(true), .set(.nodeIdentity(Self.guests, .running)),
        ]
        #expect(try site.apply(try site.plan(of: actions, on: uuid(2))).isComplete)
        #expect(try site.lamp(2).states == [.privateGATTProxy(.disabled)])
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.node(uuid(2))?.netKey(Self.guests)?.isIdentityRunning == true)
    }

    @Test("A subnet that a node leaves takes its states and entries along, on the node and in the record")
    func leavingSubnet() throws {
        let site = try Site(network: Self.network())
        let actions: [ConfigurationAction] = [
            .set(try Self.publication()), .set(.privateNodeIdentity(Self.guests, .stopped)),
            .addBridging(try Self.entry(0x0020)), .deleteNetKey(Self.guests),
        ]
        #expect(try site.apply(try site.plan(of: actions, on: uuid(2))).isComplete)
        #expect(try site.lamp(2).states == [] && site.lamp(2).bridgingTable == [])
        #expect(try site.world.mismatches(against: site.network) == [])
    }
}
