import MeshCore

// The parts of subnets, keys, groups, provisioners and scenes.

extension NetworkMerge {
    mutating func netKey(_ base: NetKey?, _ ours: NetKey, _ theirs: NetKey) -> NetKey {
        var merged = ours
        let resource = "subnet.\(ours.name)"
        merged.name = pick("name", of: resource, base?.name, ours.name, theirs.name) { $0 }
        // A refresh changes all of these together.
        let keys = pick("key", of: resource, base.map(Refreshable.init), Refreshable(ours), Refreshable(theirs))
        (merged.key, merged.oldKey, merged.phase) = (keys.key, keys.oldKey, keys.phase)
        merged.isMinimumSecuritySecure = pick(
            "minimum security",
            of: resource,
            base?.isMinimumSecuritySecure,
            ours.isMinimumSecuritySecure,
            theirs.isMinimumSecuritySecure
        ) { $0 ? "secure" : "insecure" }
        return merged
    }

    private struct Refreshable: Equatable {
        var key: KeyMaterial
        var oldKey: KeyMaterial?
        var phase = KeyRefreshPhase.normal

        init(_ key: NetKey) { (self.key, oldKey, phase) = (key.key, key.oldKey, key.phase) }
        init(_ key: AppKey) { (self.key, oldKey) = (key.key, key.oldKey) }
    }

    mutating func appKey(_ base: AppKey?, _ ours: AppKey, _ theirs: AppKey) -> AppKey {
        var merged = ours
        let resource = "key.\(ours.name)"
        merged.name = pick("name", of: resource, base?.name, ours.name, theirs.name) { $0 }
        let keys = pick("key", of: resource, base.map(Refreshable.init), Refreshable(ours), Refreshable(theirs))
        (merged.key, merged.oldKey) = (keys.key, keys.oldKey)
        merged.boundNetKey = pick("subnet", of: resource, base?.boundNetKey, ours.boundNetKey, theirs.boundNetKey) {
            $0.description
        }
        return merged
    }

    mutating func group(_ base: Group?, _ ours: Group, _ theirs: Group) -> Group {
        var merged = ours
        let resource = "group.\(ours.name)"
        merged.name = pick("name", of: resource, base?.name, ours.name, theirs.name) { $0 }
        merged.parent = pick("parent", of: resource, base.map(\.parent), ours.parent, theirs.parent) {
            $0?.description ?? "none"
        }
        return merged
    }

    mutating func provisioner(_ base: Provisioner?, _ ours: Provisioner, _ theirs: Provisioner) -> Provisioner {
        var merged = ours
        let resource = "provisioner.\(ours.name)"
        merged.name = pick("name", of: resource, base?.name, ours.name, theirs.name) { $0 }
        merged.unicastRanges = pick(
            "unicast ranges",
            of: resource,
            base?.unicastRanges,
            ours.unicastRanges,
            theirs.unicastRanges
        ) { Self.text($0) }
        merged.groupRanges = pick("group ranges", of: resource, base?.groupRanges, ours.groupRanges, theirs.groupRanges)
        {
            Self.text($0)
        }
        merged.sceneRanges = pick("scene ranges", of: resource, base?.sceneRanges, ours.sceneRanges, theirs.sceneRanges)
        {
            Self.text($0)
        }
        return merged
    }

    mutating func scene(_ base: Scene?, _ ours: Scene, _ theirs: Scene) -> Scene {
        var merged = ours
        let resource = "scene.\(ours.name)"
        merged.name = pick("name", of: resource, base?.name, ours.name, theirs.name) { $0 }
        merged.addresses = pick(list: "addresses", of: resource, base?.addresses, ours.addresses, theirs.addresses)
        return merged
    }

    private static func text(_ ranges: [ClosedRange<UInt16>]) -> String {
        ranges.map { "\(Address(rawValue: $0.lowerBound)) to \(Address(rawValue: $0.upperBound))" }
            .joined(separator: ", ")
    }
}

extension NetKey: Mergeable {
    var identity: NetKeyIndex { index }
    var mergeName: String { name }
    var shared: NetKey {
        var key = self
        (key.isManaged, key.isProtected) = (false, false)
        return key
    }
}

extension AppKey: Mergeable {
    var identity: AppKeyIndex { index }
    var mergeName: String { name }
    var shared: AppKey {
        var key = self
        (key.isManaged, key.isProtected) = (false, false)
        return key
    }
}

extension Group: Mergeable {
    var identity: SubscriptionAddress { address }
    var mergeName: String { name }
    var shared: Group {
        var group = self
        (group.isManaged, group.isProtected) = (false, false)
        return group
    }
}

extension Provisioner: Mergeable {
    var identity: DeviceUUID { uuid }
    var mergeName: String { name }
    var shared: Provisioner { self }
}

extension Scene: Mergeable {
    var identity: UInt16 { number }
    var mergeName: String { name }
    var shared: Scene { self }
}
