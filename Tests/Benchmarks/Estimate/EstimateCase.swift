import DefinitionModel
import Definitions
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store

/// One operation on a building with one radio; it compares the estimate with the run.
struct EstimateCase: Hashable, Sendable {
    /// What is commissioned and changed.
    enum Building: Hashable, Sendable {
        /// A generated hotel with so many devices.
        case hotel(Int)
        /// The office of the examples: 44 devices in their boxes.
        case office
        /// The house of the examples: nodes that somebody else configured.
        case house

        /// Its name in the table.
        var name: String {
            switch self {
            case .hotel(let devices): "\(devices)"
            case .office: "office"
            case .house: "house"
            }
        }
    }

    /// The radio of the estimate, and the simulated one.
    struct Radio: Hashable, Sendable {
        /// Its name in the table.
        let name: String
        /// What the estimate assumes.
        var profile: RadioProfile
        /// What the simulator does.
        var settings: WorldSettings

        /// The radio that both call by that name.
        init?(named name: String) {
            guard let profile = RadioProfile.named.first(where: { $0.name == name }),
                let settings = WorldSettings.profile(named: name)
            else { return nil }
            (self.name, self.profile, self.settings) = (name, profile, settings)
        }

        /// The same radio, and a share of copies that each receiver loses to walls and distance instead of its own.
        func losing(_ share: Double) -> Radio {
            var radio = Radio(self, "\(name), \(Int(share * 100)) % lost")
            radio.settings.copyLoss = share
            // The profile has both losses in one figure.
            let heard = (1 - profile.copyLoss) / (1 - settings.copyLoss)
            radio.profile.copyLoss = 1 - (1 - share) * heard
            return radio
        }

        /// The same radio where every node hears the proxy.
        var near: Radio {
            var radio = Radio(self, "\(name), one hop")
            radio.settings.topology = .hops(1)
            radio.profile.hops = 1
            return radio
        }

        private init(_ other: Radio, _ name: String) {
            (self.name, profile, settings) = (name, other.profile, other.settings)
        }
    }

    /// The operation.
    enum Work: Hashable, Sendable {
        /// The definition is applied for the first time: all devices are provisioned and configured.
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
    var radio: Radio
    /// The building.
    var building: Building
    /// The operation.
    var work: Work
    /// How many links are open at once, at least 1.
    var links = 4

    /// The case's name in the table.
    var name: String {
        let way = links == 4 ? "" : links == 1 ? ", 1 link" : ", \(links) links"
        return "\(building.name) \(work.name)\(way)"
    }

    /// Runs the case in a world with that seed.
    ///
    /// - Throws: an error of planning, storing or execution.
    func run(_ building: ConfiguredBuilding, seed: UInt64) throws -> EstimateSite.Outcome {
        let begin = work == .commission ? building.start : building.network
        // For a device that is already a node, the description says what the node is after a reset.
        let devices = building.devices
        var silent: [DeviceUUID] = []
        if case .neverHeard(let count) = work { silent = building.quietNodes(count) }
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
        case .commission: return try site.run(site.plan(building.definition()))
        case .change, .neverHeard: return try site.run(site.plan(building.definition(.init(ttl: 6))))
        case .regroup: return try site.run(site.plan(building.definition(.init(hasAlarm: true))))
        case .readBack: return try site.readBack()
        case .removal: return try site.run(site.plan(building.definition(.init(removed: max(devices.count / 4, 1)))))
        case .keyRefresh: return try site.run(site.keyRefreshPlan())
        case .silent(let count):
            for node in building.quietNodes(count) { site.world.setFaults(NodeFaults(isOff: true), of: node) }
            _ = try site.run(site.plan(building.definition(.init(ttl: 6))))
            return try site.run(site.plan(building.definition(.init(ttl: 5))))
        }
    }
}

/// A building with its definition, and the network before and after applying it.
struct ConfiguredBuilding: Sendable {
    /// What may differ from the definition.
    struct Change {
        /// The TTL of nodes.
        var ttl: Int?
        /// Whether a hotel's lamps listen to the fire alarm.
        var hasAlarm = false
        /// How many of a hotel's last devices are left out.
        var removed = 0
    }

    /// The devices.
    let devices: [DeviceDescription]
    /// The network before the definition is applied.
    let start: MeshNetwork
    /// The network after everything is configured.
    private(set) var network: MeshNetwork
    private let building: EstimateCase.Building

    /// Commissions a building over an ideal radio.
    ///
    /// - Throws: an error of reading, planning, storing or execution.
    init(_ building: EstimateCase.Building) throws {
        self.building = building
        start = building == .house ? try Self.house() : try EstimateSite.emptyNetwork()
        devices = try Self.devices(of: building)
        network = start
        // A seed that no case has: with the same one, a key refresh would draw the very keys of other subnets again.
        guard let ideal = EstimateCase.Radio(named: "ideal") else { throw BenchmarkFailure("there is no ideal radio") }
        let site = try EstimateSite(start, devices: devices, radio: ideal, links: 4, seed: .max)
        let outcome = try site.run(site.plan(definition()))
        guard outcome.recap.isComplete, outcome.recap.provisioned == devices.count else {
            throw BenchmarkFailure("the building \(building.name) is not complete: \(outcome.recap.ending)")
        }
        network = try site.network
    }

    private static func devices(of building: EstimateCase.Building) throws -> [DeviceDescription] {
        let file: SourceFiles.File
        switch building {
        case .hotel(let count):
            file = SourceFiles.File(
                path: "devices.yaml",
                bytes: Array(HotelGenerator(deviceCount: count).devices().utf8)
            )
        case .office: file = try example("office/devices/devices.yaml", as: "devices.yaml")
        case .house: return []
        }
        let read = DeviceFile.read(files: SourceFiles(files: [file]))
        guard !read.devices.isEmpty, read.diagnostics.isEmpty else {
            throw BenchmarkFailure("the devices of \(building.name): \(read.diagnostics.first?.message ?? "none")")
        }
        return read.devices
    }

    private static func house() throws -> MeshNetwork {
        var generator = SeededGenerator(seed: 12)
        let document = try CDBImport.read(example("house/network.json", as: "network.json").bytes)
        return try document.joined(as: "bench", using: &generator)
    }

    /// A file of the examples, which are in the folder that the benchmark is run from.
    private static func example(_ path: String, as name: String) throws -> SourceFiles.File {
        SourceFiles.File(path: name, bytes: Array(try Data(contentsOf: URL(filePath: "examples/\(path)"))))
    }

    /// Its definition, unchanged or with changes.
    ///
    /// - Throws: ``BenchmarkFailure`` if the definition is not valid.
    func definition(_ change: Change = Change()) throws -> Definition {
        var files: [SourceFiles.File]
        switch building {
        case .hotel(let count):
            var generator = HotelGenerator(deviceCount: count)
            if let ttl = change.ttl { generator.ttl = ttl }
            (generator.hasAlarm, generator.removed) = (change.hasAlarm, change.removed)
            files = [SourceFiles.File(path: "hotel.yaml", bytes: Array(generator.definition().utf8))]
        case .office:
            files = [try Self.example("office/office.yaml", as: "office.yaml")]
            files.append(try Self.example("office/devices/models.yaml", as: "devices/models.yaml"))
        case .house: files = [try Self.example("house/house.yaml", as: "house.yaml")]
        }
        if building == .office || building == .house, let ttl = change.ttl {
            let text = String(decoding: files[0].bytes, as: UTF8.self)
            files[0].bytes = Array(text.replacing(/ttl: \d/, with: "ttl: \(ttl)").utf8)
        }
        let (definitions, diagnostics) = DefinitionReader.read(files: SourceFiles(files: files))
        guard var definition = definitions.first, !diagnostics.contains(where: { $0.severity == .error }) else {
            throw BenchmarkFailure("the definition of \(building.name): \(diagnostics.first?.message ?? "none")")
        }
        // The benchmark has no secrets of devices.
        definition.provisioning = nil
        return definition
    }

    /// Some evenly spread nodes that neither relay nor are proxies.
    func quietNodes(_ count: Int) -> [DeviceUUID] {
        let quiet = network.nodes.filter { $0.uuid != network.ownProvisioner && $0.features.relay != .enabled }
        return (0..<min(count, quiet.count)).map { quiet[$0 * quiet.count / count].uuid }
    }
}
