import Catalogue
import DefinitionModel
import MeshCore
import Simulator

/// Something that must come true of one node.
enum ExpectedThing {
    case state(ExpectedPlace)
    /// The Health Servers have just these faults.
    case faults(ExpectedFaults)
    /// The message of the step has reached the node.
    case arrival(ExpectedArrival)
    /// A heartbeat has reached the node.
    case heartbeat(ExpectedHeartbeat)

    var uuid: DeviceUUID {
        switch self {
        case .state(let place): place.uuid
        case .faults(let faults): faults.uuid
        case .arrival(let arrival): arrival.uuid
        case .heartbeat(let heartbeat): heartbeat.uuid
        }
    }

    var name: String {
        switch self {
        case .state(let place): place.name
        case .faults(let faults): faults.name
        case .arrival(let arrival): arrival.name
        case .heartbeat(let heartbeat): heartbeat.name
        }
    }

    /// The models that have to act on a message for it; none if the message only has to arrive.
    var servers: [ModelIdentifier] {
        switch self {
        case .state(let place): place.servers
        case .faults, .arrival, .heartbeat: []
        }
    }

    /// Whether the message of the step decides it.
    var dependsOnMessage: Bool {
        switch self {
        case .state, .arrival: true
        case .faults, .heartbeat: false
        }
    }

    /// Whether it is true.
    ///
    /// - Parameter journal: what was noted since the step began.
    func isTrue(in world: SimulatedWorld, _ journal: StepJournal) -> Bool {
        switch self {
        case .state(let place): place.isTrue(in: world)
        case .faults(let faults): faults.isTrue(in: world)
        case .arrival(let arrival): arrival.isTrue(journal.heard)
        case .heartbeat(let heartbeat): heartbeat.isTrue(journal.heartbeats)
        }
    }

    /// What is wrong, as a clause.
    func problem(in world: SimulatedWorld, _ journal: StepJournal, after time: Duration) -> String {
        switch self {
        case .state(let place): place.problem(in: world, after: time)
        case .faults(let faults): faults.problem(in: world, after: time)
        case .arrival: "the message has not arrived after \(time.words)"
        case .heartbeat(let heartbeat): heartbeat.problem(journal.heartbeats, after: time)
        }
    }
}

/// The faults that a node must have at present, and no others.
struct ExpectedFaults {
    let uuid: DeviceUUID
    let name: String
    private let element: Int?
    private let faults: [UInt8]

    /// Nil if the node has no such Health Server.
    ///
    /// - Parameter names: the names of the faults; empty for none.
    init?(_ node: NodeDefinition, _ element: Int?, _ names: [String], in world: SimulatedWorld) {
        guard world.currentFaults(of: node.uuid.value, element: element) != nil else { return nil }
        uuid = node.uuid.value
        name = node.name.value
        self.element = element
        faults = Set(names.compactMap(FaultNames.number(named:))).sorted()
    }

    func isTrue(in world: SimulatedWorld) -> Bool { world.currentFaults(of: uuid, element: element) == faults }

    func problem(in world: SimulatedWorld, after time: Duration) -> String {
        let found = world.currentFaults(of: uuid, element: element).map(Self.text) ?? "not known"
        return "faults are \(found) after \(time.words), not \(Self.text(faults))"
    }

    private static func text(_ faults: [UInt8]) -> String {
        faults.isEmpty ? "none" : faults.map(FaultNames.name).joined(separator: ", ")
    }
}

/// A node that the message of a switch or sensor must reach.
struct ExpectedArrival {
    let uuid: DeviceUUID
    let name: String
    private let sender: DeviceUUID
    /// The addresses of that node.
    private let sources: ClosedRange<UInt16>

    init(_ node: NodeDefinition, from sender: DeviceUUID, _ sources: ClosedRange<UInt16>) {
        uuid = node.uuid.value
        name = node.name.value
        self.sender = sender
        self.sources = sources
    }

    /// Who sends it has it.
    func isTrue(_ heard: [HeardMessage]) -> Bool {
        uuid == sender || heard.contains { !$0.isLost && $0.uuid == uuid && sources.contains($0.source.rawValue) }
    }
}

/// A node that heartbeats of another one must reach.
struct ExpectedHeartbeat {
    let uuid: DeviceUUID
    let name: String
    private let sender: String
    private let source: UnicastAddress
    private let mostHops: Int?

    /// - Parameters:
    ///   - sender: the name of the node that sends them.
    ///   - source: its address.
    ///   - mostHops: over how many hops they may come; nil if that does not matter.
    init(_ node: NodeDefinition, from sender: String, _ source: UnicastAddress, mostHops: UInt8?) {
        self.init(node.uuid.value, named: node.name.value, from: sender, source, mostHops: mostHops)
    }

    /// The same for any node, with its name for people.
    init(_ uuid: DeviceUUID, named name: String, from sender: String, _ source: UnicastAddress, mostHops: UInt8?) {
        self.uuid = uuid
        self.name = name
        self.sender = sender
        self.source = source
        self.mostHops = mostHops.map { Int($0) }
    }

    func isTrue(_ heartbeats: [HeardHeartbeat]) -> Bool {
        hops(heartbeats).map { hops in mostHops.map { hops <= $0 } ?? true } ?? false
    }

    func problem(_ heartbeats: [HeardHeartbeat], after time: Duration) -> String {
        guard let hops = hops(heartbeats), let mostHops else {
            return "no heartbeat of \(sender) has arrived after \(time.words)"
        }
        return "heartbeats of \(sender) come over \(hops) hops, not over at most \(mostHops)"
    }

    /// The fewest hops of a heartbeat that arrived; nil if none did.
    private func hops(_ heartbeats: [HeardHeartbeat]) -> Int? {
        heartbeats.filter { $0.uuid == uuid && $0.source == source }.map(\.hops).min()
    }
}

extension Duration {
    /// The duration for people, in milliseconds or longer units.
    var words: String { DurationText.text(milliseconds: Int(clamping: microseconds / 1_000)) }
}
