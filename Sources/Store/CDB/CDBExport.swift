package import MeshCore

/// Writes a network as configuration database in JSON (Mesh Configuration Database Profile 1.0.1), in an order that
/// depends on the network only.
package enum CDBExport {
    /// The document, UTF-8.
    ///
    /// The format knows nodes, and devices that are none. Of a device that may be either it tells only that its
    /// addresses must not be given out, as those of a node that was removed at the present IV index, and so of addresses that a node may have moved to; retired nodes'
    /// addresses are among the exclusions of the network as long as they matter.
    ///
    /// - Parameters:
    ///   - extras: what the import brought along; its members come after the written ones and never replace them.
    ///   - timestamp: the time of the last modification; nil keeps the imported one, if there is one.
    package static func write(
        _ network: MeshNetwork,
        extras: CDBExtras = CDBExtras(),
        timestamp: Timestamp? = nil
    ) -> [UInt8] {
        var network = network
        for pending in network.pendingProvisionings { network.exclude(pending.addresses) }
        let taken = Set(network.nodes.flatMap(\.addresses))
        for pending in network.sortedPendingRefreshes {
            network.exclude(pending.addresses.filter { !taken.contains($0) })
        }
        return CDBWriter(extras: extras, timestamp: timestamp).network(network).document()
    }

    /// The features by the names that heartbeats have for them.
    static let features: [(String, FeatureSet)] = [
        ("relay", .relay), ("proxy", .proxy), ("friend", .friend), ("lowPower", .lowPower),
    ]

    /// 4 digits, or 32 of a label in upper case. The format has labels only, so an address whose label is not known
    /// is left out of subscriptions and publications.
    static func text(_ address: SubscriptionAddress) -> String {
        switch address {
        case .unknownLabel(let virtual): virtual.rawValue.hexadecimal
        case .group(let group): group.rawValue.hexadecimal
        case .virtual(let label): label.rawValue.hexadecimal.uppercased()
        }
    }

    /// 4 digits, or 8 of a vendor model.
    static func text(_ identifier: ModelIdentifier) -> String {
        (identifier.company?.hexadecimal ?? "") + identifier.model.hexadecimal
    }
}

/// Builds the values of a document from the outside in.
struct CDBWriter {
    let extras: CDBExtras
    let timestamp: Timestamp?

    private static let defaults: [JSONMember] = [
        JSONMember("$schema", .string("http://json-schema.org/draft-04/schema#")),
        JSONMember("id", .string("https://www.bluetooth.com/specifications/specs/mesh-cdb-1-0-1-schema.json#")),
        JSONMember("version", .string("1.0.1")),
        JSONMember("partial", .bool(false)),
    ]

    /// An object of the members of the network model and those kept for it.
    func object(_ path: String, _ members: [JSONMember]) -> JSONValue {
        let kept = extras[path]
        guard !kept.isEmpty else { return .object(members) }
        let names = Set(members.map(\.name))
        return .object(members + kept.filter { !names.contains($0.name) })
    }

    func network(_ network: MeshNetwork) -> JSONValue {
        let kept = extras[""]
        let time = timestampText(kept)
        // The document's own head comes first, imported or made here.
        var head = CDBWriter.defaults.map { member in kept.first { $0.name == member.name } ?? member }
        head.append(JSONMember("timestamp", .string(time)))
        return object(
            "",
            head + [
                JSONMember("meshUUID", .string(network.uuid.hyphenated)),
                JSONMember("meshName", .string(network.name)),
                JSONMember("netKeys", .array(network.netKeys.map { netKey($0, time) })),
                JSONMember("appKeys", .array(network.appKeys.map(appKey))),
                JSONMember("provisioners", .array(network.provisioners.map(provisioner))),
                JSONMember("nodes", .array(network.nodes.map(node))),
                JSONMember("groups", .array(network.groups.map(group))),
                JSONMember("scenes", .array(network.scenes.map(scene))),
                JSONMember("networkExclusions", .array(network.exclusions.map(exclusion))),
            ]
        )
    }

    private func timestampText(_ kept: [JSONMember]) -> String {
        if let timestamp { return timestamp.rfc3339 }
        if case .string(let text)? = kept.first(where: { $0.name == "timestamp" })?.value { return text }
        return Timestamp(rawValue: 0).rfc3339
    }

    private func hex(_ value: UInt16) -> JSONValue { .string(value.hexadecimal) }

    private func key(_ key: KeyMaterial) -> JSONValue { .string(key.octets.hexadecimal.uppercased()) }

    private func netKey(_ netKey: NetKey, _ time: String) -> JSONValue {
        let path = "netKeys/\(netKey.index)"
        var members = [
            JSONMember("name", .string(netKey.name)),
            JSONMember("index", .integer(netKey.index.rawValue)),
            JSONMember("key", key(netKey.key)),
        ]
        if let oldKey = netKey.oldKey { members.append(JSONMember("oldKey", key(oldKey))) }
        members.append(JSONMember("phase", .integer(netKey.phase.rawValue)))
        members.append(JSONMember("minSecurity", .string(netKey.isMinimumSecuritySecure ? "secure" : "insecure")))
        if !extras[path].contains(where: { $0.name == "timestamp" }) {
            members.append(JSONMember("timestamp", .string(time)))
        }
        return object(path, members)
    }

    private func appKey(_ appKey: AppKey) -> JSONValue {
        var members = [
            JSONMember("name", .string(appKey.name)),
            JSONMember("index", .integer(appKey.index.rawValue)),
            JSONMember("boundNetKey", .integer(appKey.boundNetKey.rawValue)),
            JSONMember("key", key(appKey.key)),
        ]
        if let oldKey = appKey.oldKey { members.append(JSONMember("oldKey", key(oldKey))) }
        return object("appKeys/\(appKey.index)", members)
    }

    private func provisioner(_ provisioner: Provisioner) -> JSONValue {
        let path = "provisioners/\(provisioner.uuid)"
        func ranges(_ name: String, _ ranges: [ClosedRange<UInt16>], _ low: String, _ high: String) -> JSONMember {
            let values = ranges.map { range in
                object(
                    CDBImport.path(of: range, in: "\(path)/\(name)"),
                    [JSONMember(low, hex(range.lowerBound)), JSONMember(high, hex(range.upperBound))]
                )
            }
            return JSONMember(name, .array(values))
        }
        return object(
            path,
            [
                JSONMember("provisionerName", .string(provisioner.name)),
                JSONMember("UUID", .string(provisioner.uuid.description)),
                ranges("allocatedUnicastRange", provisioner.unicastRanges, "lowAddress", "highAddress"),
                ranges("allocatedGroupRange", provisioner.groupRanges, "lowAddress", "highAddress"),
                ranges("allocatedSceneRange", provisioner.sceneRanges, "firstScene", "lastScene"),
            ]
        )
    }

    private func group(_ group: Group) -> JSONValue {
        let address = CDBExport.text(group.address)
        return object(
            "groups/\(address)",
            [
                JSONMember("name", .string(group.name)),
                JSONMember("address", .string(address)),
                JSONMember("parentAddress", .string(group.parent.map(CDBExport.text) ?? "0000")),
            ]
        )
    }

    private func scene(_ scene: Scene) -> JSONValue {
        object(
            "scenes/\(scene.number.hexadecimal)",
            [
                JSONMember("name", .string(scene.name)),
                JSONMember("number", hex(scene.number)),
                JSONMember("addresses", .array(scene.addresses.map { hex($0.rawValue) })),
            ]
        )
    }

    private func exclusion(_ exclusion: NetworkExclusion) -> JSONValue {
        object(
            "networkExclusions/\(exclusion.ivIndex)",
            [
                JSONMember("ivIndex", .integer(exclusion.ivIndex)),
                JSONMember("addresses", .array(exclusion.addresses.map { hex($0.rawValue) })),
            ]
        )
    }
}
