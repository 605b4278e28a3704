import MeshCore
import SystemLayer

/// Provisioners, groups, scenes and exclusions.
extension CDBImport {
    mutating func provisioners(_ object: inout CDBObject) throws(CDBRefusal) -> [Provisioner] {
        let pointer = object.pointer(to: "provisioners")
        let isMissing = !object.has("provisioners")
        let items = try object.list("provisioners")
        if items.isEmpty {
            object.forgetNull("provisioners")
            repair(
                pointer,
                "\(isMissing ? "missing" : "empty"), so nobody says which addresses are given out already; only those "
                    + "of the nodes count as taken",
                isImportant: true
            )
        }
        let provisioners = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            try reader.provisioner(&object)
        }
        try refuseDuplicates(provisioners.map(\.uuid), at: pointer, "UUID")
        try refuseSharedRanges(provisioners.map(\.unicastRanges), at: pointer, "allocatedUnicastRange")
        try refuseSharedRanges(provisioners.map(\.groupRanges), at: pointer, "allocatedGroupRange")
        try refuseSharedRanges(provisioners.map(\.sceneRanges), at: pointer, "allocatedSceneRange")
        return provisioners
    }

    private mutating func provisioner(_ object: inout CDBObject) throws(CDBRefusal) -> Provisioner {
        let uuid = try self.uuid("UUID", in: &object)
        var member = "provisionerName"
        if !object.has(member), object.has("name") {
            member = "name"
            repair(object.pointer(to: member), "taken as \"provisionerName\"")
        }
        let name = try object.required("provisionerName", try object.text(member))
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
    ) throws(CDBRefusal) -> [ClosedRange<UInt16>] {
        let names = noun == "Scene" ? ("firstScene", "lastScene") : ("lowAddress", "highAddress")
        let pointer = object.pointer(to: name)
        let items = try list(name, in: &object)
        return objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            let low = try object.required(names.0, try reader.hexadecimal16(names.0, in: &object))
            let high = try object.required(names.1, try reader.hexadecimal16(names.1, in: &object))
            guard low <= high else { throw object.invalid(names.1, "lower than \(names.0)") }
            guard space.contains(low) else { throw object.invalid(names.0, CDBImport.outside(low, space)) }
            guard space.contains(high) else { throw object.invalid(names.1, CDBImport.outside(high, space)) }
            object.path = CDBImport.path(of: low...high, in: "\(path)/\(name)")
            return low...high
        }
    }

    /// The extras path of a range.
    static func path(of range: ClosedRange<UInt16>, in path: String) -> String {
        "\(path)/\(range.lowerBound.hexadecimal)-\(range.upperBound.hexadecimal)"
    }

    private static func outside(_ value: UInt16, _ space: ClosedRange<UInt16>) -> String {
        "\(value.hexadecimal) is outside \(space.lowerBound.hexadecimal) to \(space.upperBound.hexadecimal)"
    }

    /// Refuses numbers that two provisioners would both give out.
    private func refuseSharedRanges(
        _ lists: [[ClosedRange<UInt16>]],
        at pointer: String,
        _ member: String
    ) throws(CDBRefusal) {
        guard refusals.isEmpty else { return }
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

    mutating func groups(_ object: inout CDBObject) throws(CDBRefusal) -> [Group] {
        let pointer = object.pointer(to: "groups")
        let items = try list("groups", in: &object)
        let groups = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            try reader.group(&object)
        }
        try refuseDuplicates(groups.map(\.address), at: pointer, "address")
        try refuseCycles(groups, at: pointer)
        return groups.sorted { $0.address < $1.address }
    }

    private mutating func group(_ object: inout CDBObject) throws(CDBRefusal) -> Group {
        let value = try object.required("address", object.take("address"))
        let address = try groupAddress(value, at: object.pointer(to: "address"))
        object.path = "groups/\(CDBExport.text(address))"
        if case .group(let group) = address, !GroupAddress.assignable.contains(group.rawValue) {
            throw object.invalid("address", "\(group.rawValue.hexadecimal) is a fixed group")
        }
        let name = try self.name(in: &object, or: "Group \(CDBExport.text(address))")
        var parent: SubscriptionAddress?
        if let value = object.take("parentAddress") {
            let pointer = object.pointer(to: "parentAddress")
            if let label = try label(value, at: pointer) {
                parent = .virtual(label)
            } else {
                let number = try hexadecimal16(value, at: pointer)
                if number > 0 { parent = try groupAddress(number, at: pointer) }
            }
        } else {
            missing("parentAddress", in: &object, "taken as none")
        }
        return Group(name: name, address: address, parent: parent)
    }

    private func refuseCycles(_ groups: [Group], at pointer: String) throws(CDBRefusal) {
        guard refusals.isEmpty else { return }
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

    mutating func scenes(_ object: inout CDBObject) throws(CDBRefusal) -> [Scene] {
        let pointer = object.pointer(to: "scenes")
        let items = try list("scenes", in: &object)
        let read: [Scene?] = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            if !object.has("number"), !object.has("scene"), reader.survey.isWritten(by: [.siliconLabs]) == true {
                reader.repair(object.pointer, "a scene without a number, which no node knows; left out")
                object.discard()
                return nil
            }
            var member = "number"
            if !object.has("number"), object.has("scene") {
                member = "scene"
                reader.repair(object.pointer(to: member), "taken as \"number\"")
            }
            let number = try object.required("number", try reader.hexadecimal16(member, in: &object))
            object.path = "scenes/\(number.hexadecimal)"
            guard number > 0 else { throw object.invalid(member, "a scene number from 0001 to FFFF is expected") }
            return Scene(
                number: number,
                name: try reader.name(in: &object, or: "Scene \(number.hexadecimal)"),
                addresses: try reader.addresses("addresses", in: &object)
            )
        }
        let scenes = read.compactMap { $0 }
        try refuseDuplicates(scenes.map(\.number), at: pointer, "number")
        return scenes
    }

    mutating func exclusions(_ object: inout CDBObject) throws(CDBRefusal) -> [NetworkExclusion] {
        let pointer = object.pointer(to: "networkExclusions")
        let items = try object.list("networkExclusions")
        let exclusions: [NetworkExclusion] = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            let ivIndex = try object.required("ivIndex", try object.integer("ivIndex", in: 0...Int(UInt32.max)))
            object.path = "networkExclusions/\(ivIndex)"
            let addresses = try reader.addresses("addresses", in: &object)
            return NetworkExclusion(ivIndex: UInt32(truncatingIfNeeded: ivIndex), addresses: addresses.sorted())
        }
        try refuseDuplicates(exclusions.map(\.ivIndex), at: pointer, "ivIndex")
        return exclusions
    }

    private mutating func addresses(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> [UnicastAddress] {
        var addresses: [UnicastAddress] = []
        for (index, value) in try list(name, in: &object).enumerated() {
            addresses.append(try unicast(value, at: "\(object.pointer(to: name))/\(index)"))
        }
        return addresses
    }
}
