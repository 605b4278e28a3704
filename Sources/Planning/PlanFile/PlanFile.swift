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
        writer.bytes.write(version)
        writer.bytes.write(plan.identifier.bytes)
        writer.bytes.write(plan.lineage.bytes)
        writer.bytes.write(plan.serial)
        writer.write(plan.network)
        writer.bytes.write(plan.purpose.rawValue)
        writer.write(plan.scope) { $0.write($1) }
        writer.write(plan.notes) { $0.write($1.text) }
        writer.write(plan.findings) { $0.write($1) }
        writer.write(plan.nodes) { $0.write($1) }
        writer.write(plan.changes) { $0.write($1) }
        writer.write(plan.steps) { $0.write($1) }
        writer.write(plan.barriers) { $0.write(position: $1) }
        writer.write(plan.claims)
        writer.write(plan.reservations)
        writer.write(plan.dependencies) { $0.write($1) }
        return writer.bytes.bytes
    }

    /// Reads an encoded plan.
    ///
    /// - Throws: ``DecodeError`` if the octets are not exactly the ``encode(_:)`` form of some plan, or if its parts do
    ///   not fit together: a dependency on a later step, or a step for a node that is not in the plan.
    package static func decode(_ bytes: [UInt8]) throws(DecodeError) -> Plan {
        var reader = PlanReader(bytes)
        guard Array(try reader.bytes.read(magic.count)) == magic else { throw .unknownType(0) }
        let version = try reader.bytes.readUInt16()
        guard version == Self.version else {
            throw .prohibited(field: "the version of the plan format", value: UInt64(version))
        }
        let identifier = try reader.octets16()
        let lineage = try reader.octets16()
        let serial = try reader.bytes.readUInt64()
        let network = try reader.text()
        let purpose = try reader.purpose()
        let scope = try reader.optional("scope") { (reader) throws(DecodeError) in try reader.scope() }
        let notes = try reader.list { (reader) throws(DecodeError) in Advice(try reader.text()) }
        let findings = try reader.list { (reader) throws(DecodeError) in try reader.finding() }
        let nodes = try reader.list { (reader) throws(DecodeError) in try reader.node() }
        let changes = try reader.list { (reader) throws(DecodeError) in try reader.change() }
        let steps = try reader.list { (reader) throws(DecodeError) in try reader.step() }
        let barriers = try reader.list { (reader) throws(DecodeError) in try reader.position() }
        let claims = try reader.claims()
        let reservations = try reader.reservations()
        let dependencies = try reader.list { (reader) throws(DecodeError) in try reader.dependency() }
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
    ///
    /// - Throws: ``DecodeError`` if one does not.
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

/// Encodes claims. A resource of the network is an octet 0 for a NetKey or 1 for an AppKey, each with an index of two
/// octets, or 2 for a group with its address. Claims are a list of resources, and a list of nodes with a list of models
/// each.
extension PlanWriter {
    mutating func write(_ resource: NetworkResource) {
        switch resource {
        case .netKey(let index):
            bytes.write(UInt8(0))
            bytes.write(index.rawValue)
        case .appKey(let index):
            bytes.write(UInt8(1))
            bytes.write(index.rawValue)
        case .group(let address):
            bytes.write(UInt8(2))
            write(address)
        }
    }

    mutating func write(_ claims: Claims) {
        write(claims.resources) { $0.write($1) }
        write(claims.nodes) { writer, claim in
            writer.bytes.write(claim.node.rawValue.bytes)
            writer.write(claim.models) { $0.write($1) }
        }
    }

    private mutating func write(_ claim: ModelClaim) {
        write(claim.address)
        write(claim.bindings) { $0.bytes.write($1.rawValue) }
        write(claim.subscriptions) { $0.write($1) }
        write(claim.publication)
    }
}

extension PlanReader {
    mutating func networkResource() throws(DecodeError) -> NetworkResource {
        switch try bytes.readUInt8() {
        case 0: return .netKey(try keyIndex())
        case 1: return .appKey(try keyIndex())
        case 2: return .group(try subscriptionAddress())
        case let other: throw .prohibited(field: "resource", value: UInt64(other))
        }
    }

    mutating func claims() throws(DecodeError) -> Claims {
        var claims = Claims()
        claims.resources = try list { (reader) throws(DecodeError) in try reader.networkResource() }
        claims.nodes = try list { (reader) throws(DecodeError) in
            NodeClaim(
                node: try reader.uuid(),
                models: try reader.list { (reader) throws(DecodeError) in try reader.modelClaim() }
            )
        }
        return claims
    }

    private mutating func modelClaim() throws(DecodeError) -> ModelClaim {
        var claim = ModelClaim(address: try model())
        claim.bindings = try applicationKeys()
        claim.subscriptions = try groups()
        claim.publication = try flag("claimed publication")
        return claim
    }
}

/// Encodes a dependency: its kind (an octet), its name, and an optional fingerprint of 32 octets.
extension PlanWriter {
    mutating func write(_ dependency: PlanDependency) {
        bytes.write(dependency.kind.rawValue)
        write(dependency.name)
        write(dependency.fingerprint) { $0.bytes.write($1) }
    }
}

extension PlanReader {
    mutating func dependency() throws(DecodeError) -> PlanDependency {
        let number = try bytes.readUInt8()
        guard let kind = PlanDependency.Kind(rawValue: number) else {
            throw .prohibited(field: "dependency", value: UInt64(number))
        }
        return PlanDependency(
            kind,
            try text(),
            fingerprint: try optional("fingerprint") { (reader) throws(DecodeError) in Array(try reader.bytes.read(32))
            }
        )
    }
}

/// Encodes reservations, in their order: the device, its kind, how many elements it has, and its fixed address if any.
/// They end a plan.
extension PlanWriter {
    mutating func write(_ reservations: [AddressReservation]) {
        write(reservations) { writer, reservation in
            writer.bytes.write(reservation.device.rawValue.bytes)
            writer.write(reservation.kind)
            writer.bytes.write(reservation.elementCount)
            writer.write(reservation.address) { $0.bytes.write($1.rawValue) }
        }
    }
}

extension PlanReader {
    mutating func reservations() throws(DecodeError) -> [AddressReservation] {
        try list { (reader) throws(DecodeError) in
            AddressReservation(
                device: try reader.uuid(),
                kind: try reader.text(),
                elementCount: try reader.bytes.readUInt8(),
                address: try reader.optional("address") { (reader) throws(DecodeError) in
                    try reader.unicastAddress()
                }
            )
        }
    }
}
