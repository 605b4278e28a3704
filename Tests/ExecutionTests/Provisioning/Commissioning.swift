import DefinitionModel
import Definitions
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport

/// A network that has only ourselves, or a few nodes, the devices that are to join it, and a database in a folder of its
/// own.
final class Commissioning: KillableSite {
    static let onOffServer = ModelIdentifier.sig(0x1000)
    static let lighting = AppKeyIndex.first

    let devices: [DeviceDescription]
    let world: SimulatedWorld
    private let key: DatabaseSecret
    private(set) var folder: DatabaseFolder
    private(set) var database: MeshDatabase
    private(set) var events: [ExecutionEvent] = []
    private var generator: SplitMix64
    private var planCount: UInt64 = 0
    var options = ExecutionOptions()
    var prompter = OutOfBandPrompter.unattended
    var interrupts: () -> Int = { 0 }
    var onEvent: (ExecutionEvent) -> Void = { _ in }
    /// Puts something between the executor and the simulated bearer.
    var wrap: (any Bearer) -> any Bearer = { $0 }
    /// What plans are made from; nil to make them here.
    var definition: Definition?
    /// Changes an order before it stands in a plan.
    var adjust: (inout ProvisioningOrder) -> Void = { _ in }

    static func device(_ number: Int, _ capabilities: ProvisioningCapabilities? = nil) -> DeviceDescription {
        DeviceDescription(
            uuid: uuid(0xD000 + UInt64(number)),
            name: "device-\(number)",
            composition: Composition(
                company: 0x0059,
                product: 3,
                version: 4,
                replayListSize: 40,
                features: [.relay, .proxy],
                elements: [
                    CompositionElement(
                        location: 0x0100,
                        models: [.configurationServer, .healthServer, onOffServer]
                    ),
                    CompositionElement(location: 0x0101, models: [onOffServer]),
                ]
            ),
            capabilities: capabilities ?? ProvisioningCapabilities(elementCount: 2)
        )
    }

    init(
        _ devices: [DeviceDescription],
        lamps: Int = 0,
        settings: WorldSettings = .ideal,
        seed: UInt64 = 1,
        world change: (inout MeshNetwork) throws -> Void = { _ in },
        database forget: (inout MeshNetwork) throws -> Void = { _ in }
    ) throws {
        self.devices = devices
        generator = SplitMix64(seed: seed)
        key = DatabaseSecret.random(using: &generator)
        folder = try DatabaseFolder()
        var network = try House.network(lamps: lamps)
        try change(&network)
        world = SimulatedWorld(network: network, devices: devices, settings: settings, seed: seed)
        try forget(&network)
        database = try MeshDatabase.create(
            at: folder.path,
            network: network,
            key: key,
            now: Site.now,
            using: SplitMix64(seed: seed + 1)
        )
    }

    var network: MeshNetwork {
        get throws { try database.snapshot().network }
    }

    func node(_ number: Int) throws -> Node? {
        try network.nodes.first { $0.uuid == devices[number - 1].uuid }
    }

    /// Every device is to be a node with its composition known and an application key; what is there already is left out.
    func plan(resetting: [DeviceUUID] = []) throws -> Plan {
        let snapshot = try database.snapshot()
        planCount += 1
        let identifier = Octets16(high: snapshot.serial << 16 | planCount, low: UInt64(world.now.microseconds))
        if let definition {
            let result = Planner.plan(
                definition: definition,
                network: snapshot.network,
                base: (snapshot.lineage, snapshot.serial),
                identifier: identifier
            )
            guard let plan = result.plan else { throw UnusableDefinition(diagnostics: result.diagnostics) }
            return plan
        }
        var steps: [Step] = []
        var changes: [Change] = []
        func change(_ address: String, _ node: DeviceUUID?) -> Int {
            changes.append(Change(address: address, kind: .node, action: .create, node: node))
            return changes.count - 1
        }
        var keyStep: [Int] = []
        if snapshot.network.appKeys.isEmpty {
            let edit = DatabaseEdit.createAppKey(
                Commissioning.lighting,
                name: "lighting",
                boundTo: .primary,
                source: .generated
            )
            steps.append(Step(change: change("application_key.lighting", nil), work: .edit(edit)))
            keyStep = [0]
        }
        for device in devices where !resetting.contains(device.uuid) {
            let place = change("node.\(device.name)", device.uuid)
            let node = snapshot.network.nodes.first { $0.uuid == device.uuid }
            let isReplaced = node?.unprovisionedSeenAt != nil
            var before: [Int] = []
            func append(_ work: Step.Work, _ dependencies: [Int]) {
                steps.append(Step(change: place, work: work, dependencies: dependencies))
                before = [steps.count - 1]
            }
            if node == nil || isReplaced {
                var order = ProvisioningOrder(uuid: device.uuid, name: device.name, netKeyIndex: .primary)
                order.isReplacement = isReplaced
                adjust(&order)
                append(.provision(order), [])
            }
            if isReplaced || node?.isCompositionKnown != true {
                append(.configure(device.uuid, .readComposition(page: 0)), before)
            }
            if isReplaced || node?.knows(Commissioning.lighting) != true {
                append(.configure(device.uuid, .addAppKey(Commissioning.lighting, boundTo: .primary)), before + keyStep)
            }
        }
        for uuid in resetting {
            steps.append(Step(change: change("node.reset", uuid), work: .configure(uuid, .resetNode)))
        }
        return Plan(
            identifier: identifier,
            lineage: snapshot.lineage,
            serial: snapshot.serial,
            network: "site",
            changes: changes,
            steps: steps
        )
    }

    func execute<Result>(_ body: (Executor) throws -> Result) throws -> Result {
        events = []
        let lease = try database.lock(
            holder: LockHolder(user: "anna", host: "desk", process: 1, operation: "apply", since: Site.now)
        )
        defer { lease.release() }
        let context = ExecutionContext(
            user: "anna",
            host: "desk",
            now: { Site.now },
            interrupts: { self.interrupts() },
            key: { (_) throws(ExecutionContext.KeyError) in KeyMaterial.random(using: &self.generator) },
            outOfBand: prompter,
            provisioningSecrets: { ProvisioningSecrets.random(using: &self.generator) },
            emit: { event in
                self.events.append(event)
                self.onEvent(event)
            }
        )
        let bearer = wrap(SimulatedBearer(world))
        let executor = Executor(database: database, lease: lease, bearer: bearer, options: options, context: context)
        return try body(executor)
    }

    func apply(resetting: [DeviceUUID] = []) throws -> Recap {
        try execute { $0.apply(try plan(resetting: resetting)) }
    }

    /// What `meshplan apply` does: clear doubts up, listen, plan, apply.
    func resolveAndApply() throws -> Recap {
        try execute { executor in
            let snapshot = try database.snapshot()
            if !snapshot.unresolved.isEmpty || !snapshot.network.pendingProvisionings.isEmpty {
                let resolved = executor.resolveInDoubt()
                guard resolved.ending == .completed else { return resolved }
            }
            return executor.apply(try plan())
        }
    }

    /// The octets of all addresses that nodes have, each once, sorted; our own is among them.
    func usedAddresses() throws -> [UInt16] {
        try network.nodes.flatMap { Array($0.addresses) }.sorted()
    }

    /// Changes a node in the database behind everybody's back.
    func alter(_ number: Int, _ change: (inout Node) -> Void) throws {
        let lease = try database.lock(
            holder: LockHolder(user: "anna", host: "desk", process: 1, operation: "test", since: Site.now)
        )
        defer { lease.release() }
        var node = try required(try node(number))
        change(&node)
        var changes = StoreChanges()
        changes.nodes = [node]
        _ = try database.commit(changes, with: lease)
    }

    /// Goes on with other files, as after the process died when they were copied.
    func reopen(_ files: DatabaseFolder) throws {
        database = try MeshDatabase.open(at: files.path, key: key, using: SplitMix64(seed: 99))
        folder = files
    }
}
