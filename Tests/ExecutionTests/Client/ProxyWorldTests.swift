import DefinitionModel
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@testable import Execution

@Suite("MeshClient in simulated worlds")
struct ProxyWorldTests {
    /// Lamps in two subnets, which have no node in common: those with odd numbers at home, the others for guests. The
    /// first two of each are proxies, and all hear each other.
    private final class TwoSubnets {
        let world: SimulatedWorld
        let bearer: SimulatedBearer
        var client: MeshClient
        let lamps: [Node]
        private(set) var answered: [UnicastAddress: Int] = [:]
        private(set) var failures: [String] = []
        private(set) var proxies: [UnicastAddress] = []
        private var asked: [RequestIdentifier: UnicastAddress] = [:]
        private(set) var mostLinks = 0

        init(lamps count: Int, maximumLinks: Int, settings profile: WorldSettings, seed: UInt64) throws {
            var network = try House.network(lamps: count)
            let guests = try required(House.guests)
            network.netKeys.append(NetKey(index: guests, name: "guests", key: secret(0x11)))
            for place in network.nodes.indices.dropFirst() {
                network.nodes[place].netKeys = [NodeKey(index: place.isMultiple(of: 2) ? guests : .primary)]
                network.nodes[place].features.proxy = place <= 4 ? .enabled : .disabled
            }
            let lamps = Array(network.nodes.dropFirst())
            self.lamps = lamps
            var settings = profile
            settings.topology = .links(
                lamps.enumerated().flatMap { place, lamp in
                    lamps.dropFirst(place + 1).map { WorldSettings.RadioLink(lamp.uuid, $0.uuid) }
                }
            )
            world = SimulatedWorld(network: network, settings: settings, seed: seed)
            bearer = SimulatedBearer(world)
            client = MeshClient(
                address: try unicast(0x0001),
                ivIndex: network.ivIndex,
                keys: KeyRing(network),
                nodes: network.nodes,
                sequenceNumbers: InMemorySequenceNumbers(),
                maximumLinks: maximumLinks
            )
        }

        func request(_ lamp: Node) throws {
            let inquiry = try ActionInquiries(
                .readComposition(page: 0),
                node: lamp.unicastAddress,
                network: House.network(lamps: 1)
            ).request()
            let (identifier, outputs) = client.request(
                inquiry,
                to: lamp.unicastAddress,
                subnets: lamp.netKeys.map(\.index),
                at: bearer.now
            )
            asked[identifier] = lamp.unicastAddress
            try perform(outputs)
        }

        /// Lets time pass until nothing is outstanding, at most so long.
        func run(atMost limit: Duration) throws {
            let end = bearer.now.advanced(by: limit)
            while client.outstandingCount > 0, bearer.now < end {
                let deadline = client.nextDeadline ?? end
                if let event = try bearer.next(until: min(deadline, end)) {
                    try perform(client.handle(event, at: bearer.now))
                }
                if let due = client.nextDeadline, due <= bearer.now { try perform(client.advance(to: bearer.now)) }
            }
        }

        private func perform(_ outputs: [MeshClient.Output]) throws {
            for output in outputs {
                switch output {
                case .connect(let target):
                    try perform(client.connecting(bearer.connect(to: target), to: target, at: bearer.now))
                    mostLinks = max(mostLinks, client.linkCount)
                case .send(let packet, on: let link): try bearer.send(packet, on: link)
                case .closeLink(let link): bearer.close(link)
                case .scan(let isOn): try bearer.scan(isOn)
                case .linkUp(let proxy, _): proxies.append(try required(proxy))
                case .answered(let request, _, _):
                    if let lamp = asked.removeValue(forKey: request) { answered[lamp, default: 0] += 1 }
                case .unanswered: failures.append("unanswered")
                case .unreachable(_, let failure): failures.append(failure.reason)
                case .unsendable(_, let error): failures.append("\(error)")
                case .linkDown, .directLinkUp, .directLinkDown, .sent, .said, .ivIndexChanged, .keyRefreshPhaseChanged,
                    .quirk, .watch:
                    continue
                }
            }
        }
    }

    @Test("All nodes of two subnets without a common proxy are reached", arguments: [1, 2])
    func everybody(maximumLinks: Int) throws {
        let site = try TwoSubnets(lamps: 10, maximumLinks: maximumLinks, settings: .ideal, seed: 3)
        for _ in 0..<2 {
            for lamp in site.lamps { try site.request(lamp) }
            try site.run(atMost: .seconds(60))
        }
        #expect(site.answered.count == 10)
        #expect(site.answered.values.allSatisfy { $0 == 2 })
        #expect(site.failures == [])
        #expect(site.mostLinks == maximumLinks)
        #expect(site.proxies.count == (maximumLinks == 1 ? 3 : 2))
        #expect(site.world.violations == [])
    }

    @Test("Proxies that lose power one after the other are replaced as long as there is one", arguments: [1, 2])
    func powerLoss(maximumLinks: Int) throws {
        let site = try TwoSubnets(lamps: 8, maximumLinks: maximumLinks, settings: .office, seed: 5)
        for lamp in site.lamps.dropFirst(4) { try site.request(lamp) }
        try site.run(atMost: .seconds(60))
        #expect(site.answered.count == 4)
        let first = site.proxies
        for address in first {
            let lamp = try required(site.lamps.first { $0.unicastAddress == address })
            // In the midst of requests.
            for lamp in site.lamps.dropFirst(4) where site.client.outstandingCount < 4 { try site.request(lamp) }
            site.world.setFaults(NodeFaults(isOff: true), of: lamp.uuid)
            try site.run(atMost: .seconds(90))
        }
        #expect(site.answered.values.reduce(0, +) == 12)
        #expect(site.failures == [])
        #expect(Set(site.proxies).count == 4, "every proxy was used in the end")
        #expect(site.world.violations == [])
    }
}
