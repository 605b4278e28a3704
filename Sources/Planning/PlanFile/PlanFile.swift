package import MeshCore

/// The format of a saved plan, which can be applied later without the definition it was made from.
///
/// Integers are big-endian. A text is its length (4 octets) and UTF-8. A list is its count (4 octets) and its elements.
/// An optional is an octet 0 or 1 and the value. A plan has exactly one encoding. It contains no key. The caller seals
/// it against changes.
package enum PlanFile {
    /// The version of the format; other versions cannot be read.
    package static let version: UInt16 = 1

    private static let magic = Array("meshplan".utf8)

    /// The octets of a plan. Its notes are kept as text, so whoever saves it words them before.
    package static func encode(_ plan: Plan) -> [UInt8] {
        var writer = PlanWriter()
        writer.bytes.write(magic)
        writer.write(version, plan.identifier, plan.lineage, plan.serial, plan.network, plan.purpose, plan.scope)
        writer.write(plan.notes.map(\.text), plan.findings, plan.nodes, plan.changes, plan.steps, plan.barriers)
        writer.write(plan.claims, plan.reservations, plan.dependencies)
        return writer.bytes.bytes
    }

    /// Reads an encoded plan.
    ///
    /// - Throws: ``DecodeError`` if the octets are not exactly the ``encode(_:)`` form of some plan, or if its parts do
    ///   not fit together: a dependency on a later step, or a step for a node that is not in the plan.
    package static func decode(_ bytes: [UInt8]) throws(DecodeError) -> Plan {
        var reader = PlanReader(bytes)
        guard Array(try reader.bytes.read(magic.count)) == magic else { throw .unknownType(0) }
        let version = try reader.read(UInt16.self)
        guard version == Self.version else {
            throw .prohibited(field: "the version of the plan format", value: UInt64(version))
        }
        let identifier = try reader.read(Octets16.self)
        let lineage = try reader.read(Octets16.self)
        let serial = try reader.read(UInt64.self)
        let network = try reader.read(String.self)
        let purpose = try reader.read(Plan.Purpose.self)
        let scope = try reader.read(PlanScope?.self)
        let notes = try reader.read([String].self).map { Advice($0) }
        let findings = try reader.read([GuardFinding].self)
        let nodes = try reader.read([NodeSummary].self)
        let changes = try reader.read([Change].self)
        let steps = try reader.read([Step].self)
        let barriers = try reader.read([Int].self)
        let claims = try reader.read(Claims.self)
        let reservations = try reader.read([AddressReservation].self)
        let dependencies = try reader.read([PlanDependency].self)
        try reader.bytes.expectEnd()
        var plan = Plan(
            identifier: identifier,
            lineage: lineage,
            serial: serial,
            network: network,
            nodes: nodes,
            changes: changes,
            steps: steps,
            barriers: barriers,
            notes: notes,
            findings: findings,
            scope: scope,
            purpose: purpose,
            claims: claims,
            reservations: reservations,
            dependencies: dependencies
        )
        try check(&plan)
        return plan
    }

    /// Checks that all indexes and nodes exist, and adds up the costs.
    private static func check(_ plan: inout Plan) throws(DecodeError) {
        var places: [DeviceUUID: Int] = [:]
        for (index, node) in plan.nodes.enumerated() {
            guard places.updateValue(index, forKey: node.uuid) == nil else {
                throw .prohibited(field: "node", value: UInt64(index))
            }
            try require(node.changes.upperBound <= plan.changes.count, "changes of node", node.changes.upperBound)
        }
        for (position, change) in plan.changes.enumerated() {
            try require(change.node.map { places[$0] != nil } ?? true, "node of change", position)
        }
        for (position, step) in plan.steps.enumerated() {
            try require(step.change < plan.changes.count, "change", step.change)
            try require(isAscending(step.dependencies, below: position), "dependencies of step", position)
            guard let node = step.node else { continue }
            guard let index = places[node] else { throw .prohibited(field: "node of step", value: UInt64(position)) }
            plan.nodes[index].cost += step.cost
        }
        try require(isAscending(plan.barriers, below: plan.steps.count), "barriers", plan.barriers.count)
    }

    private static func require(_ isMet: Bool, _ field: String, _ value: Int) throws(DecodeError) {
        guard isMet else { throw .prohibited(field: field, value: UInt64(clamping: value)) }
    }

    private static func isAscending(_ positions: [Int], below end: Int) -> Bool {
        zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 } && positions.last ?? -1 < end
    }
}

extension Step {
    /// The node that the step is for; nil for edits of the network.
    package var node: DeviceUUID? {
        switch work {
        case .configure(let uuid, _): uuid
        case .edit(let edit): edit.node
        case .provision(let order): order.uuid
        case .configureWhenKnown(let configuration): configuration.node
        case .readBack(let uuid): uuid
        }
    }
}
