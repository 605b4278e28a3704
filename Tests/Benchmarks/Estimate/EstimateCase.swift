import DefinitionModel
import Definitions
import Execution
import Foundation
import MeshCore
import Planning
import Simulator

/// One operation on a hotel with one radio; it compares the estimate with the run.
struct EstimateCase: Hashable, Sendable {
    /// The operation.
    enum Work: Hashable, Sendable {
        /// All devices are provisioned and configured.
        case commission
        /// Each node gets another TTL, which takes one message.
        case change
        /// Lamps and switches get other groups, which takes a few messages each.
        case regroup
        /// All nodes are read back.
        case readBack
        /// A quarter of the nodes are reset.
        case removal
        /// The keys of the primary subnet are refreshed, in stages that all nodes must reach.
        case keyRefresh
        /// Each node gets another TTL. So many nodes do not answer, and did not answer in the run before.
        case silent(Int)
        /// So many nodes have not answered since they were provisioned, and do not answer now. All others get another
        /// TTL.
        case neverHeard(Int)

        /// The operation's name in the table.
        var name: String {
            switch self {
            case .commission: "from nothing"
            case .change: "one value each"
            case .regroup: "other groups"
            case .readBack: "read back"
            case .removal: "reset a quarter"
            case .keyRefresh: "key refresh"
            case .silent(let count): "one value each, \(count) silent"
            case .neverHeard(let count): "one value each, \(count) never heard"
            }
        }
    }

    /// The radio.
    var radio: RadioProfile
    /// How many devices the hotel has.
    var devices: Int
    /// The operation.
    var work: Work
    /// How many links are open at once, at least 1.
    var links = 4

    /// The case's name in the table.
    var name: String {
        let way = links == 4 ? "" : links == 1 ? ", 1 link" : ", \(links) links"
        return "\(devices) \(work.name)\(way)"
    }

    /// Runs the case in a world with that seed.
    ///
    /// - Parameter hotel: the configured hotel; a case that begins with an empty network uses only its definition and
    ///   devices.
    /// - Throws: an error of planning, storing or execution.
    func run(_ hotel: ConfiguredHotel, seed: UInt64) throws -> EstimateSite.Outcome {
        let begin = work == .commission ? try EstimateSite.emptyNetwork() : hotel.network
        // For a device that is already a node, the description says what the node is after a reset.
        let devices = hotel.devices
        var silent: [DeviceUUID] = []
        if case .neverHeard(let count) = work { silent = hotel.quietNodes(count) }
        let site = try EstimateSite(
            begin,
            devices: devices,
            radio: radio,
            links: links,
            seed: seed,
            forgetting: Set(silent)
        )
        for node in silent { site.world.setFaults(NodeFaults(isOff: true), of: node) }
        switch work {
        case .commission: return try site.run(site.plan(hotel.definition()))
        case .change, .neverHeard: return try site.run(site.plan(hotel.definition { $0.ttl = 6 }))
        case .regroup: return try site.run(site.plan(hotel.definition { $0.hasAlarm = true }))
        case .readBack: return try site.readBack()
        case .removal: return try site.run(site.plan(hotel.definition { $0.removed = max(hotel.count / 4, 1) }))
        case .keyRefresh: return try site.run(site.keyRefreshPlan())
        case .silent(let count):
            for node in hotel.quietNodes(count) { site.world.setFaults(NodeFaults(isOff: true), of: node) }
            _ = try site.run(site.plan(hotel.definition { $0.ttl = 6 }))
            return try site.run(site.plan(hotel.definition { $0.ttl = 5 }))
        }
    }
}

/// A hotel of some size, with its definition and the network after applying it.
struct ConfiguredHotel: Sendable {
    /// How many devices it has.
    let count: Int
    /// The devices.
    let devices: [DeviceDescription]
    /// The network after everything is configured.
    private(set) var network: MeshNetwork

    /// Commissions a hotel over an ideal radio.
    ///
    /// - Throws: an error of planning, storing or execution.
    init(_ count: Int) throws {
        self.count = count
        let generator = HotelGenerator(deviceCount: count)
        let file = SourceFiles(files: [SourceFiles.File(path: "devices.yaml", bytes: Array(generator.devices().utf8))])
        let read = DeviceFile.read(files: file)
        guard read.devices.count == count else {
            throw BenchmarkFailure("the hotel's devices: \(read.diagnostics.first?.message ?? "not all there")")
        }
        devices = read.devices
        network = try EstimateSite.emptyNetwork()
        // A seed that no case has: with the same one, a key refresh would draw the very keys of other subnets again.
        let site = try EstimateSite(network, devices: devices, radio: .ideal, links: 4, seed: .max)
        let outcome = try site.run(site.plan(definition()))
        guard outcome.recap.isComplete, outcome.recap.provisioned == count else {
            throw BenchmarkFailure("the hotel of \(count) devices is not complete: \(outcome.recap.ending)")
        }
        network = try site.network
    }

    /// Its definition, unchanged or with changes.
    ///
    /// - Throws: ``BenchmarkFailure`` if the definition is not valid.
    func definition(_ change: (inout HotelGenerator) -> Void = { _ in }) throws -> Definition {
        var generator = HotelGenerator(deviceCount: count)
        change(&generator)
        let file = SourceFiles.File(path: "hotel.yaml", bytes: Array(generator.definition().utf8))
        let (definitions, diagnostics) = DefinitionReader.read(files: SourceFiles(files: [file]))
        guard let definition = definitions.first, !diagnostics.contains(where: { $0.severity == .error }) else {
            throw BenchmarkFailure("the hotel's definition: \(diagnostics.first?.message ?? "there is none")")
        }
        return definition
    }

    /// Some evenly spread nodes that neither relay nor are proxies.
    func quietNodes(_ count: Int) -> [DeviceUUID] {
        let quiet = network.nodes.filter { $0.uuid != network.ownProvisioner && $0.features.relay != .enabled }
        return (0..<min(count, quiet.count)).map { quiet[$0 * quiet.count / count].uuid }
    }
}
