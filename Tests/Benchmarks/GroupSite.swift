import Execution
import Foundation
import MeshCore
import Simulator
import Store

/// Lamps three hops from the client, all in one group. Every PDU is sent once on each hop, and each hop loses 5 %.
enum GroupAir: String, CaseIterable {
    /// Each lamp hears several relays, as in a building full of lamps.
    case manyPaths = "many paths"
    /// Each lamp hears one relay only: what is lost there is lost for all behind it.
    case onePath = "one path"

    static let hops = 3
    static let loss = 0.05

    /// The radio for these lamps, the first of which is the proxy.
    func settings(_ lamps: [DeviceUUID]) -> WorldSettings {
        var settings = WorldSettings.office
        settings.copyLoss = Self.loss
        // Nothing else gets lost, so that the figure is that of the title.
        settings.backgroundEvents = 0
        settings.neighboursInterfere = false
        switch self {
        case .manyPaths: settings.topology = .hops(Self.hops)
        case .onePath: settings.topology = .links(Self.tree(lamps))
        }
        settings.proxy = lamps.first
        return settings
    }

    /// Four lamps hear the proxy, up to four others each of these, and the rest those.
    private static func tree(_ lamps: [DeviceUUID]) -> [WorldSettings.RadioLink] {
        let inner = min(4, lamps.count - 1)
        let middle = min(16, lamps.count - 1 - inner)
        return lamps.indices.dropFirst().map { lamp in
            let parent: Int
            if lamp <= inner {
                parent = 0
            } else if lamp <= inner + middle {
                parent = 1 + (lamp - 1 - inner) % inner
            } else {
                parent = 1 + inner + (lamp - 1 - inner - middle) % middle
            }
            return WorldSettings.RadioLink(lamps[parent], lamps[lamp])
        }
    }
}

/// The lamps in a simulated world, with their database.
final class GroupSite {
    let world: SimulatedWorld
    let network: MeshNetwork
    let group: Group
    private let database: MeshDatabase
    private let folder: String
    private var generator: SeededGenerator

    init(_ count: Int, _ air: GroupAir, seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        let address = GroupAddress(rawValue: 0xC000)
        guard let key = AppKeyIndex(rawValue: 0), let address else { throw BenchmarkFailure("no addresses") }
        group = Group(name: "all", address: .group(address))
        var nodes = [try MadeUpProvisioner.node(using: &generator)]
        for index in 0..<count { nodes.append(try Self.lamp(index, key, group.address, &generator)) }
        network = MeshNetwork(
            uuid: Octets16(high: 1, low: 3),
            name: "hall",
            ivIndex: IVIndex(value: 5),
            netKeys: [NetKey(index: .primary, name: "primary", key: .random(using: &generator))],
            appKeys: [AppKey(index: key, name: "light", boundNetKey: .primary, key: .random(using: &generator))],
            groups: [group],
            provisioners: [MadeUpProvisioner.provisioner],
            ownProvisioner: MadeUpProvisioner.uuid,
            nodes: nodes
        )
        world = SimulatedWorld(
            network: network,
            settings: air.settings(nodes.dropFirst().map(\.uuid)),
            seed: seed
        )
        folder = try FileManager.default.url(
            for: .itemReplacementDirectory,
            in: .userDomainMask,
            appropriateFor: FileManager.default.temporaryDirectory,
            create: true
        ).path
        database = try MeshDatabase.create(
            at: folder + "/hall.meshdb",
            network: network,
            key: DatabaseSecret.random(using: &generator),
            now: Timestamp(rawValue: 0),
            using: generator
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func lamp(
        _ index: Int,
        _ key: AppKeyIndex,
        _ group: SubscriptionAddress,
        _ generator: inout SeededGenerator
    ) throws -> Node {
        guard let address = UnicastAddress(rawValue: UInt16(0x10 + index)) else {
            throw BenchmarkFailure("no addresses for so many lamps")
        }
        let lights: [UInt16] = [0x1000, 0x1002, 0x1006, 0x1300]
        let models = [Model(identifier: .configurationServer), Model(identifier: .healthServer)]
        var node = Node(
            uuid: DeviceUUID(rawValue: Octets16(high: 0xB1, low: UInt64(index))),
            name: "lamp-\(index)",
            unicastAddress: address,
            deviceKey: .random(using: &generator),
            elements: [
                Element(
                    models: models
                        + lights.map { Model(identifier: .sig($0), bindings: [key], subscriptions: [group]) }
                )
            ],
            netKeys: [NodeKey(index: .primary)]
        )
        node.appKeys = [NodeKey(index: key)]
        node.product = Node.Product(company: 0x0059, product: 1, version: 1, replayListSize: 32)
        node.features = Node.Features(
            relay: .enabled,
            proxy: index == 0 ? .enabled : .disabled,
            friend: .notSupported,
            lowPower: .notSupported
        )
        node.defaultTTL = 7
        node.secureNetworkBeacon = true
        node.networkTransmit = TransmitParameters(octet: 0)
        node.relayRetransmit = TransmitParameters(octet: 0)
        return node
    }

    /// Operates the lamps over a bearer that notes the beginnings of fades.
    func operate<Result>(
        _ bearer: FadeWatchingBearer,
        with needs: Set<OwnModel>,
        _ body: (OperatingSession) -> Result
    ) throws -> Result {
        let lease = try database.lockForBenchmark("set")
        defer { lease.release() }
        let context = ExecutionContext.benchmark(
            key: { KeyMaterial.random(using: &self.generator) }
        )
        let executor = Executor(
            database: database,
            lease: lease,
            bearer: bearer,
            options: ExecutionOptions(),
            context: context
        )
        let (result, ending) = executor.operate(with: needs, body)
        guard let result, ending == .completed else { throw BenchmarkFailure("nothing was set: \(ending)") }
        return result
    }
}

/// A simulated bearer that notes when the fade of each lamp begins. The times are those of the lamps' models.
final class FadeWatchingBearer: Bearer {
    /// When the first fade of each lamp to the target began.
    private(set) var begins: [DeviceUUID: Instant] = [:]
    private let bearer: SimulatedBearer
    private let target: Int64

    /// - Parameter target: the lightness that is set.
    init(_ world: SimulatedWorld, target: Int64) {
        bearer = SimulatedBearer(world)
        self.target = target
    }

    var now: Instant { bearer.now }
    var maximumLinks: Int { bearer.maximumLinks }
    var deafness: BearerError? { bearer.deafness }

    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier { try bearer.connect(to: target) }

    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) { try bearer.send(packet, on: link) }

    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        let event = try bearer.next(until: deadline)
        for fade in bearer.world.lightTransitions where fade.target == target && begins[fade.uuid] == nil {
            begins[fade.uuid] = fade.begin
        }
        return event
    }

    func close(_ link: LinkIdentifier) { bearer.close(link) }

    func scan(_ isOn: Bool) throws(BearerError) { try bearer.scan(isOn) }
}
