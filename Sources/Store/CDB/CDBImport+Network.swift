internal import MeshCore

/// Provisioners, groups, scenes and exclusions.
extension CDBImport {
    mutating func provisioners(_ object: inout CDBObject) throws(StoreError) -> [Provisioner] {
        let pointer = object.pointer(to: "provisioners")
        let items = try object.list("provisioners")
        let provisioners = try objects(items, at: pointer) { reader, object throws(StoreError) in
            try reader.provisioner(&object)
        }
        try refuseDuplicates(provisioners.map(\.uuid), at: pointer, "UUID")
        try refuseSharedRanges(provisioners.map(\.unicastRanges), at: pointer, "allocatedUnicastRange")
        try refuseSharedRanges(provisioners.map(\.groupRanges), at: pointer, "allocatedGroupRange")
        try refuseSharedRanges(provisioners.map(\.sceneRanges), at: pointer, "allocatedSceneRange")
        return provisioners
    }

    private mutating func provisioner(_ object: inout CDBObject) throws(StoreError) -> Provisioner {
        let uuid = try self.uuid("UUID", in: &object)
        let name = try object.required("provisionerName", try object.text("provisionerName"))
        let path = "provisioners/\(uuid)"
        object.path = path
        return Provisioner(
            name: name,
            uuid: uuid,
            unicastRanges: try ranges("allocatedUnicastRange", "Address", in: 0x0001...0x7FFF, &object, path),
            groupRanges: try ranges("allocatedGroupRange", "Address", in: 0xC000...0xFEFF, &object, path),
            sceneRanges: try ranges("allocatedSceneRange", "Scene", in: 0x0001...0xFFFF, &object, path)
        )
    }

    /// Ranges of `lowAddress` and `highAddress`, or `firstScene` and `lastScene`.
    private mutating func ranges(
        _ name: String,
        _ noun: String,
        in space: ClosedRange<UInt16>,
        _ object: inout CDBObject,
        _ path: String
    ) throws(StoreError) -> [ClosedRange<UInt16>] {
        let names = noun == "Scene" ? ("firstScene", "lastScene") : ("lowAddress", "highAddress")
        let pointer = object.pointer(to: name)
        let items = try object.list(name)
        return try objects(items, at: pointer) { _, object throws(StoreError) in
            let low = try object.required(names.0, try object.hexadecimal16(names.0))
            let high = try object.required(names.1, try object.hexadecimal16(names.1))
            guard low <= high else { throw object.invalid(names.1, "lower than \(names.0)") }
            guard space.contains(low) else { throw object.invalid(names.0, CDBImport.outside(low, space)) }
            guard space.contains(high) else { throw object.invalid(names.1, CDBImport.outside(high, space)) }
            object.path = CDBImport.path(of: low...high, in: "\(path)/\(name)")
            return low...high
        }
    }

    /// The path of extras of a range.
    static func path(of range: ClosedRange<UInt16>, in path: String) -> String {
        "\(path)/\(range.lowerBound.hexadecimal)-\(range.upperBound.hexadecimal)"
    }

    private static func outside(_ value: UInt16, _ space: ClosedRange<UInt16>) -> String {
        "\(value.hexadecimal) is outside \(space.lowerBound.hexadecimal) to \(space.upperBound.hexadecimal)"
    }

    /// Refuses numbers that two provisioners would give out.
    private func refuseSharedRanges(
        _ lists: [[ClosedRange<UInt16>]],
        at pointer: String,
        _ member: String
    ) throws(StoreError) {
        let all = lists.enumerated().flatMap { owner, ranges in ranges.map { (owner, $0) } }
        var last: (owner: Int, end: UInt16)?
        for (owner, range) in all.sorted(by: { ($0.1.lowerBound, $0.0) < ($1.1.lowerBound, $1.0) }) {
            if let last, last.owner != owner, range.lowerBound <= last.end {
                throw CDBObject.invalid(
                    "\(pointer)/\(owner)/\(member)",
                    "\(range.lowerBound.hexadecimal) also lies in a range of \(pointer)/\(last.owner)"
                )
            }
            if range.upperBound >= last?.end ?? 0 { last = (owner, range.upperBound) }
        }
    }

    mutating func groups(_ object: inout CDBObject) throws(StoreError) -> [Group] {
        let pointer = object.pointer(to: "groups")
        let items = try object.list("groups")
        let groups = try objects(items, at: pointer) { reader, object throws(StoreError) in
            try reader.group(&object)
        }
        try refuseDuplicates(groups.map(\.address), at: pointer, "address")
        try refuseCycles(groups, at: pointer)
        return groups.sorted { $0.address < $1.address }
    }

    private mutating func group(_ object: inout CDBObject) throws(StoreError) -> Group {
        let name = try object.required("name", try object.text("name"))
        let value = try object.required("address", object.take("address"))
        let address = try groupAddress(value, at: object.pointer(to: "address"))
        object.path = "groups/\(CDBExport.text(address))"
        if case .group(let group) = address, !GroupAddress.assignable.contains(group.rawValue) {
            throw object.invalid("address", "\(group.rawValue.hexadecimal) is a fixed group")
        }
        var parent: SubscriptionAddress?
        if let value = object.take("parentAddress") {
            if value != .string("0000") { parent = try groupAddress(value, at: object.pointer(to: "parentAddress")) }
        } else {
            repair(object.pointer(to: "parentAddress"), "missing; taken as none")
        }
        return Group(name: name, address: address, parent: parent)
    }

    private func refuseCycles(_ groups: [Group], at pointer: String) throws(StoreError) {
        let parents = Dictionary(groups.map { ($0.address, $0.parent) }, uniquingKeysWith: { first, _ in first })
        var sound: Set<SubscriptionAddress> = []
        for (index, group) in groups.enumerated() {
            var visited: Set<SubscriptionAddress> = []
            var next: SubscriptionAddress? = group.address
            while let address = next, !sound.contains(address) {
                guard visited.insert(address).inserted else {
                    throw CDBObject.invalid("\(pointer)/\(index)/parentAddress", "the group lies within itself")
                }
                next = parents[address] ?? nil
            }
            sound.formUnion(visited)
        }
    }

    mutating func scenes(_ object: inout CDBObject) throws(StoreError) -> [Scene] {
        let pointer = object.pointer(to: "scenes")
        let items = try object.list("scenes")
        let scenes: [Scene] = try objects(items, at: pointer) { reader, object throws(StoreError) in
            var member = "number"
            if !object.has("number"), object.has("scene") {
                member = "scene"
                reader.repair(object.pointer(to: member), "taken as \"number\"")
            }
            let number = try object.required("number", try object.hexadecimal16(member))
            object.path = "scenes/\(number.hexadecimal)"
            guard number > 0 else { throw object.invalid(member, "a scene number from 0001 to FFFF is expected") }
            return Scene(
                number: number,
                name: try object.required("name", try object.text("name")),
                addresses: try reader.addresses("addresses", in: &object)
            )
        }
        try refuseDuplicates(scenes.map(\.number), at: pointer, "number")
        return scenes
    }

    mutating func exclusions(_ object: inout CDBObject) throws(StoreError) -> [NetworkExclusion] {
        let pointer = object.pointer(to: "networkExclusions")
        let items = try object.list("networkExclusions")
        let exclusions: [NetworkExclusion] = try objects(items, at: pointer) { reader, object throws(StoreError) in
            let ivIndex = try object.required("ivIndex", try object.integer("ivIndex", in: 0...Int(UInt32.max)))
            object.path = "networkExclusions/\(ivIndex)"
            let addresses = try reader.addresses("addresses", in: &object)
            return NetworkExclusion(ivIndex: UInt32(truncatingIfNeeded: ivIndex), addresses: addresses.sorted())
        }
        try refuseDuplicates(exclusions.map(\.ivIndex), at: pointer, "ivIndex")
        return exclusions
    }

    private func addresses(_ name: String, in object: inout CDBObject) throws(StoreError) -> [UnicastAddress] {
        var addresses: [UnicastAddress] = []
        for (index, value) in try object.list(name).enumerated() {
            addresses.append(try CDBObject.unicast(value, at: "\(object.pointer(to: name))/\(index)"))
        }
        return addresses
    }
}
