import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("States of the foundation models in definitions")
struct StateTests {
    /// The states of a node with those settings, and what is wrong.
    private func states(_ settings: String) -> (values: [StateDefinition], problems: [String]) {
        let (definitions, problems) = definitions(
            head + "subnets: { building: {}, guests: {} }\ngroups: { alarm: {} }\n"
                + "nodes: { a: { uuid: \(uuid(1)), \(settings) } }\n"
        )
        return (definitions.first?.nodes.first?.settings.states.map(\.value) ?? [], problems)
    }

    @Test("Switches, durations and mappings are read")
    func values() {
        let (values, problems) = states(
            """
            private_beacon: { state: on, random_update_interval: 10s }, private_gatt_proxy: off,
              on_demand_private_proxy: 30s, subnet_bridge: on
            """
        )
        #expect(problems == [])
        #expect(
            values == [
                .privateBeacon(PrivateBeaconState(isEnabled: true, randomUpdateIntervalSteps: 1)),
                .privateGATTProxy(false), .onDemandPrivateProxy(seconds: 30), .subnetBridge(true),
            ]
        )
        #expect(
            states("private_beacon: off, on_demand_private_proxy: off").values == [
                .privateBeacon(PrivateBeaconState(isEnabled: false)), .onDemandPrivateProxy(seconds: 0),
            ]
        )
        #expect(
            states("private_beacon: { state: off, random_update_interval: 0s }").values == [
                .privateBeacon(PrivateBeaconState(isEnabled: false, randomUpdateIntervalSteps: 0))
            ]
        )
        let identities = states("node_identity: { building: off }, private_node_identity: { guests: no }")
        #expect(identities.problems == [])
        #expect(identities.values.map(\.path) == ["node_identity.building", "private_node_identity.guests"])
    }

    @Test("Values of segmentation and reassembly are steps of the specification; what is left out is its default")
    func segmentation() {
        let (values, problems) = states(
            """
            sar_transmitter: { segment_interval: 160ms, unicast_retransmissions: 15,
              unicast_retransmissions_without_progress: 3, unicast_retransmissions_interval: 25ms,
              unicast_retransmissions_interval_increment: 400ms, multicast_retransmissions: 0,
              multicast_retransmissions_interval: 100ms },
              sar_receiver: { segments_threshold: 31, acknowledgment_delay_increment: 7,
              acknowledgment_retransmissions: 3, receiver_segment_interval: 10ms, discard_timeout: 80s }
            """
        )
        #expect(problems == [])
        var transmitter = SARTransmitterState.standard
        transmitter.segmentIntervalStep = 15
        transmitter.unicastRetransmissionsCount = 15
        transmitter.unicastRetransmissionsWithoutProgressCount = 3
        transmitter.unicastRetransmissionsIntervalStep = 0
        transmitter.unicastRetransmissionsIntervalIncrement = 15
        transmitter.multicastRetransmissionsCount = 0
        transmitter.multicastRetransmissionsIntervalStep = 3
        var receiver = SARReceiverState.standard
        receiver.segmentsThreshold = 31
        receiver.acknowledgmentDelayIncrement = 7
        receiver.acknowledgmentRetransmissionsCount = 3
        receiver.receiverSegmentIntervalStep = 0
        receiver.discardTimeout = 15
        #expect(values == [.sarTransmitter(transmitter), .sarReceiver(receiver)])
        #expect(states("sar_transmitter: {}").values == [.sarTransmitter(.standard)])
    }

    @Test("Heartbeats are read with what they leave out")
    func heartbeats() throws {
        let (values, problems) = states(
            """
            heartbeat: { publish: { to: provisioner, period: 64s, count: 32, ttl: 5, features: [relay, low_power],
              subnet: guests }, subscribe: { from: 0x0001, to: all-relays, period: 65536s } }
            """
        )
        #expect(problems == [])
        guard values.count == 2, case .heartbeatPublication(let publish?) = values[0],
            case .heartbeatSubscription(let subscribe?) = values[1]
        else {
            Issue.record("\(values)")
            return
        }
        #expect(publish.target.value == .name("provisioner") && publish.subnet?.value == "guests")
        #expect(publish.period.seconds == 64 && publish.count.count == 32 && publish.ttl == 5)
        #expect(publish.features == [.relay, .lowPower])
        #expect(subscribe.source.value == .address(try #require(UnicastAddress(rawValue: 1)).address))
        #expect(subscribe.destination?.value == .name("all-relays") && subscribe.period.rawValue == 0x11)
        guard
            case .heartbeatPublication(let few?) = states(
                "heartbeat: { publish: { to: a, ttl: 0, features: [relay] } }"
            )
            .values.first
        else {
            Issue.record("not read")
            return
        }
        #expect(few.period == .off && few.count == .off && few.subnet == nil)
        #expect(
            states("heartbeat: { publish: off, subscribe: off }").values == [
                .heartbeatPublication(nil), .heartbeatSubscription(nil),
            ]
        )
    }

    @Test("Bridging tables are read whole or not at all")
    func bridges() throws {
        let entry = "{ subnets: [building, guests], addresses: [a, alarm], direction: one_way }"
        let (definitions, problems) = definitions(
            head + "subnets: { building: {}, guests: {} }\ngroups: { alarm: {} }\n"
                + "nodes: { a: { uuid: \(uuid(1)), subnet_bridge: { state: on, table: [\(entry)] } } }\n"
        )
        #expect(problems == [])
        let table = try #require(definitions.first?.nodes.first?.settings.bridgingTable?.value)
        #expect(table.map(\.directions) == [.oneWay])
        #expect(table[0].subnets.map(\.value) == ["building", "guests"])
        #expect(table[0].addresses.map(\.value) == [.name("a"), .name("alarm")])
    }

    private static let mistakes: [(settings: String, problem: String)] = [
        (
            "private_beacon: { state: on, random_update_interval: 15s }",
            "an interval of `15s` cannot be set (the nearest are 10s and 20s; it can be 10s to 2550s in steps of 10s)"
        ),
        (
            "on_demand_private_proxy: 5m",
            "an interval of `5m` cannot be set (the nearest is 255s; it can be 1s to 255s in steps of 1s)"
        ),
        ("on_demand_private_proxy: on", "`on` does not say for how long (write 1s to 255s, or off)"),
        (
            "sar_transmitter: { segment_interval: 65ms }",
            "an interval of `65ms` cannot be set (the nearest are 60ms and 70ms; it can be 10ms to 160ms in steps of 10ms)"
        ),
        (
            "sar_transmitter: { multicast_retransmissions: 16 }",
            "`16` is out of range for a number of retransmissions (it can be 0 to 15)"
        ),
        (
            "sar_receiver: { discard_timeout: 12s }",
            "an interval of `12s` cannot be set (the nearest are 10s and 15s; it can be 5s to 80s in steps of 5s)"
        ),
        (
            "node_identity: { building: on }",
            "a node advertises its identity for one minute only, so it cannot stay on "
                + "(write off, or leave the subnet out)"
        ),
        ("node_identity: { house: off }", "there is no subnet `house` (declared: building, guests)"),
        (
            "heartbeat: { publish: { to: a, ttl: 5, period: 60s } }",
            "a period of `60s` cannot be set (the nearest are 32s and 64s; it is a power of two of seconds, 1s to 65536s)"
        ),
        (
            "heartbeat: { publish: { to: a, ttl: 5, period: 64s, count: 5 } }",
            "5 heartbeats cannot be set (the nearest are 4 and 8; "
                + "it can be a power of two up to 32768, 65534 or infinite)"
        ),
        (
            "heartbeat: { publish: { to: a, ttl: 5, features: [low-power] } }",
            "`low-power` is not a feature (did you mean `low_power`? features are: friend, low_power, proxy, relay)"
        ),
        (
            "heartbeat: { publish: { to: a, ttl: 5 } }",
            "the definition does not say when to send heartbeats (give a `period`, or `features`)"
        ),
        (
            "heartbeat: { publish: { to: a, ttl: 5, features: [relay], count: 4 } }",
            "a `count` needs a `period` (give a `period`)"
        ),
        ("heartbeat: { publish: { to: a, period: 64s } }", "`ttl` is missing (a heartbeat publication needs it)"),
        (
            "heartbeat: { publish: { to: tower, period: 64s, ttl: 5 } }",
            "there is no group or node `tower` (declare it under `groups:`, or write the name of a node or an address "
                + "such as 0xC000)"
        ),
        (
            "heartbeat: { publish: on }",
            "heartbeats have no plain `on` "
                + "(write a mapping, such as publish: { to: provisioner, period: 64s, ttl: 5 })"
        ),
        (
            "subnet_bridge: { table: [{ subnets: [guests], addresses: [a, a], direction: both }] }",
            "two subnets are expected here, not 1"
        ),
        (
            "subnet_bridge: { table: [{ subnets: [guests, guests], addresses: [a, a], direction: both }] }",
            "a bridge joins two different subnets (messages within `guests` need no bridge)"
        ),
        (
            "subnet_bridge: { table: [{ subnets: [building, guests], addresses: [a, a], direction: out }] }",
            "`out` is not a direction (write one_way for messages from the first address to the second, or both)"
        ),
    ]

    @Test("What cannot be set is said with what can", arguments: mistakes)
    func mistake(settings: String, problem: String) {
        let problems = states(settings).problems
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix("error: " + problem) == true, "\(problems)")
    }

    @Test("Defaults of one rank do not contradict each other in states either")
    func conflicts() {
        #expect(
            diagnose(
                head + """
                    subnets: { s: {} }
                    defaults:
                      - { subnet_bridge: off, heartbeat: { publish: { to: provisioner, ttl: 5, period: 64s } } }
                      - { subnet_bridge: { state: on }, node_identity: { s: off } }
                      - { heartbeat: { publish: { to: provisioner, ttl: 5, period: 64s } }, node_identity: { s: off } }
                    """
            ) == [
                "a.yaml:6:31: error: two entries of `defaults` give every node different values for "
                    + "`subnet_bridge.state` (keep one of them; an entry that selects `nodes:` wins over one for all) "
                    + "[a.yaml:5:22: the other value]"
            ]
        )
    }
}
