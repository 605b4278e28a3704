import DefinitionModel
import Definitions
import Execution
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@Suite("Definitions of foundation states over the simulated network")
struct FoundationApplyTests {
    @Test("An apply sets every state on nodes that have them, and the next plan is empty")
    func converges() throws {
        var network = try House.network(lamps: 3)
        for place in network.nodes.indices where network.nodes[place].name.hasPrefix("lamp") {
            let models: [ModelIdentifier] = [
                .bridgeConfigurationServer, .privateBeaconServer, .onDemandPrivateProxyServer,
                .sarConfigurationServer,
            ]
            network.nodes[place].elements[0].models += models.map { Model(identifier: $0) }
        }
        let uuids = (1...3).map { uuid(UInt64($0)).rawValue.hexadecimal }
        let text = """
            version: 1
            network: house
            subnets: { home: { index: 0 }, guests: { index: 1 } }
            groups: { all: { address: 0xC000 } }
            defaults:
              - node_identity: { home: off, guests: off }
                private_node_identity: { home: off }
                sar_transmitter: { segment_interval: 50ms, multicast_retransmissions: 3 }
                sar_receiver: { discard_timeout: 20s }
                on_demand_private_proxy: 30s
                heartbeat: { publish: { to: provisioner, period: 64s, count: 8, ttl: 5, features: [relay, friend] } }
              - nodes: lamp-2
                private_beacon: { state: on, random_update_interval: 20s }
                private_gatt_proxy: on
            nodes:
              lamp-1: { uuid: \(uuids[0]), heartbeat: { subscribe: { from: lamp-2, period: 32s } } }
              lamp-2: { uuid: \(uuids[1]), heartbeat: { subscribe: { from: lamp-3, to: all, period: 32s } } }
              lamp-3:
                uuid: \(uuids[2])
                private_beacon: on
                subnet_bridge:
                  state: on
                  table:
                    - { subnets: [home, guests], addresses: [lamp-1, lamp-2], direction: both }
                    - { subnets: [home, guests], addresses: [lamp-1, all], direction: one_way }
            """
        let file = SourceFiles.File(path: "house.yaml", bytes: Array(text.utf8))
        let (definitions, diagnostics) = DefinitionReader.read(files: SourceFiles(files: [file]))
        #expect(diagnostics == [])
        let site = try Site(lamps: 3, database: network, definition: try required(definitions.first))
        let plan = try site.plan()
        let recap = try site.apply(plan)
        #expect(recap.isComplete, "\(recap)")
        #expect(recap.applied == plan.steps.count)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
        #expect(try site.plan().steps == [])
        let bridge = try site.lamp(3)
        #expect(bridge.bridgingTable?.count == 2)
        #expect(bridge.state(.subnetBridge) == .subnetBridge(true))
        #expect(bridge.netKeys.map(\.index.rawValue) == [0, 1])
        #expect(try site.lamp(2).state(.privateGATTProxy) == .privateGATTProxy(.enabled))
        #expect(try site.lamp(1).states.count == 7)
    }
}
