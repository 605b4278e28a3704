package import MeshCore
import SystemLayer

/// Writes a network as a configuration database in JSON (Mesh Configuration Database Profile 1.0.1). The order depends
/// on the network only.
package enum CDBExport {
    /// The document, UTF-8.
    ///
    /// The format knows only nodes and devices that are not nodes. For a device that may be either, the export only
    /// says that nobody may give out its addresses: it lists them as those of a node that was removed at the present IV
    /// index. It does the same for addresses that a node may have moved to. The addresses of retired nodes are among
    /// the network's exclusions for as long as they matter.
    ///
    /// - Parameters:
    ///   - extras: what the import brought along. Its members follow the written ones and never replace them.
    ///   - contents: the parts of the network to write.
    ///   - timestamp: the time of the last modification; nil keeps the imported one, if there is one.
    package static func write(
        _ network: MeshNetwork,
        extras: CDBExtras = CDBExtras(),
        contents: CDBContents = CDBContents(),
        timestamp: Timestamp? = nil
    ) -> [UInt8] {
        write(network, extras: extras, contents: contents, time: timestamp?.rfc3339)
    }

    /// What happens to an earlier export when a new one is written over it.
    package enum Renewal: Hashable, Sendable {
        /// The earlier one says the same, except for its time.
        case unchanged
        /// The document, UTF-8.
        case document([UInt8])
        /// The file is not an export of this network, or another tool wrote it. It must not be lost.
        case foreign
    }

    /// The document that replaces an earlier export of the same network; ``Renewal/unchanged`` if only the time would
    /// change. So a file in version control changes only with the network.
    package static func renew(
        _ earlier: [UInt8],
        with network: MeshNetwork,
        extras: CDBExtras,
        contents: CDBContents,
        timestamp: Timestamp
    ) -> Renewal {
        guard let value = try? JSONParser.parse(earlier), case .object(let members) = value else { return .foreign }
        // Another tool writes it differently, and may know what we do not.
        guard members.starts(with: CDBWriter.head), value.document() == earlier else { return .foreign }
        func text(_ name: String) -> String? {
            guard case .string(let text)? = members.first(where: { $0.name == name })?.value else { return nil }
            return text
        }
        guard text("meshUUID")?.uppercased() == network.uuid.hyphenated.uppercased() else { return .foreign }
        let same = write(network, extras: extras, contents: contents, time: text("timestamp"))
        if same == earlier { return .unchanged }
        return .document(write(network, extras: extras, contents: contents, timestamp: timestamp))
    }

    /// Whether a document must say that it is a part of a network. A whole one holds the device key of every node, and
    /// what came from a part stays one.
    package static func isPartial(_ network: MeshNetwork, extras: CDBExtras, contents: CDBContents) -> Bool {
        contents.isPartial || network.nodes.contains { $0.deviceKey == nil }
            || extras[""].contains(JSONMember("partial", .bool(true)))
    }

    private static func write(
        _ network: MeshNetwork,
        extras: CDBExtras,
        contents: CDBContents,
        time: String?
    ) -> [UInt8] {
        // A key is as secure as the least secure of those who have it.
        var network = network
        let insecure = Set(network.nodes.lazy.filter { !$0.isSecurelyProvisioned }.flatMap(\.netKeys).map(\.index))
        for index in network.netKeys.indices where insecure.contains(network.netKeys[index].index) {
            network.netKeys[index].isMinimumSecuritySecure = false
        }
        network = contents.subnets.map { network.limited(to: $0) } ?? network
        for pending in network.pendingProvisionings { network.exclude(pending.addresses) }
        let taken = Set(network.nodes.flatMap(\.addresses))
        for pending in network.sortedPendingReprovisions {
            network.exclude(pending.addresses.filter { !taken.contains($0) })
        }
        // What the model does not know may be a secret, so it goes out only if all keys do.
        let extras = contents.keys == .all ? extras : CDBExtras()
        return CDBWriter(extras: extras, contents: contents, time: time, titles: network.titles).network(network)
            .document()
    }

    /// The features and the names that heartbeats have for them.
    static let features: [(String, FeatureSet)] = [
        ("relay", .relay), ("proxy", .proxy), ("friend", .friend), ("lowPower", .lowPower),
    ]

    /// 4 digits, or the 32 of a label in upper case. The format knows labels only, so subscriptions and publications
    /// leave out an address whose label is not known.
    static func text(_ address: SubscriptionAddress) -> String {
        switch address {
        case .unknownLabel(let virtual): virtual.rawValue.hexadecimal
        case .group(let group): group.rawValue.hexadecimal
        case .virtual(let label): label.rawValue.hexadecimal.uppercased()
        }
    }

    /// 4 digits, or 8 for a vendor model.
    static func text(_ identifier: ModelIdentifier) -> String {
        (identifier.company?.hexadecimal ?? "") + identifier.model.hexadecimal
    }
}

/// Builds the values of a document from the outside in.
struct CDBWriter {
    let extras: CDBExtras
    let contents: CDBContents
    /// The time of the last modification in the notation of RFC 3339; nil for the imported one.
    let time: String?
    /// What people call things; their names stand for others.
    let titles: [TitledResource: String]

    /// The first members of every document.
    static let head: [JSONMember] = [
        JSONMember("$schema", .string("http://json-schema.org/draft-04/schema#")),
        JSONMember("id", .string("https://www.bluetooth.com/specifications/specs/mesh-cdb-1-0-1-schema.json#")),
        JSONMember("version", .string("1.0.1")),
    ]

    /// The members that follow the head, in their order.
    private static let order = [
        "partial", "timestamp", "meshUUID", "meshName", "netKeys", "appKeys", "provisioners", "nodes", "groups",
        "scenes", "networkExclusions",
    ]

    /// Whether a document has the head and the order of those that meshplan writes.
    static func isOwn(_ document: JSONValue) -> Bool {
        guard case .object(let members) = document, members.starts(with: head) else { return false }
        return members.dropFirst(head.count).prefix(order.count).map(\.name) == order
    }

    /// An object with the members of the network model, followed by those kept from an import.
    func object(_ path: String, _ members: [JSONMember]) -> JSONValue {
        let kept = extras[path]
        guard !kept.isEmpty else { return .object(members) }
        let names = Set(members.map(\.name))
        return .object(members + kept.filter { !names.contains($0.name) })
    }

    func network(_ network: MeshNetwork) -> JSONValue {
        let time = timestampText(extras[""])
        let isPartial = CDBExport.isPartial(network, extras: extras, contents: contents)
        // What the imported document said about its own format is not true of this one.
        return object(
            "",
            CDBWriter.head + [
                JSONMember("partial", .bool(isPartial)),
                JSONMember("timestamp", .string(time)),
                JSONMember("meshUUID", .string(network.uuid.hyphenated)),
                JSONMember("meshName", title(network.name, of: .network, else: "mesh")),
                JSONMember("netKeys", .array(network.netKeys.map { netKey($0, time) })),
                JSONMember("appKeys", .array(network.appKeys.map(appKey))),
                JSONMember("provisioners", .array(network.provisioners.map(provisioner))),
                JSONMember("nodes", .array(network.nodes.map(node))),
                JSONMember("groups", .array(network.groups.map(group))),
                JSONMember("scenes", .array(network.scenes.map(scene))),
                JSONMember("networkExclusions", .array(network.exclusions.map(exclusion))),
            ] + [CDBNames.value(of: network)].compactMap(\.self)
        )
    }

    private func timestampText(_ kept: [JSONMember]) -> String {
        time ?? date(in: kept) ?? Timestamp(rawValue: 0).rfc3339
    }

    /// The time stamp among the kept members, if others can read it.
    private func date(in kept: [JSONMember]) -> String? {
        guard case .string(let text)? = kept.first(where: { $0.name == "timestamp" })?.value else { return nil }
        return Timestamp.isRFC3339(text) ? text : nil
    }

    /// A name that readers accept: the title of a resource, or else its name. They refuse empty ones, so the identifier
    /// takes the place of those.
    func title(
        _ name: String,
        of resource: TitledResource? = nil,
        else identifier: some CustomStringConvertible
    ) -> JSONValue {
        let name = resource.flatMap { titles[$0] } ?? name
        return .string(name.allSatisfy(\.isWhitespace) ? identifier.description : name)
    }

    private func hex(_ value: UInt16) -> JSONValue { .string(value.hexadecimal) }

    /// The member for a key; none where the export leaves keys out.
    func key(_ name: String, _ key: KeyMaterial?, concernsNode: Bool = false) -> [JSONMember] {
        guard let key, contents.keys == .all || contents.keys == .network && !concernsNode else { return [] }
        return [JSONMember(name, .string(key.octets.hexadecimal.uppercased()))]
    }

    private func netKey(_ netKey: NetKey, _ time: String) -> JSONValue {
        let path = "netKeys/\(netKey.index)"
        var members = [
            JSONMember("name", title(netKey.name, of: .netKey(netKey.index), else: netKey.index)),
            JSONMember("index", .integer(netKey.index.rawValue)),
        ]
        members += key("key", netKey.key) + key("oldKey", netKey.oldKey)
        members.append(JSONMember("phase", .integer(netKey.phase.rawValue)))
        members.append(JSONMember("minSecurity", .string(netKey.isMinimumSecuritySecure ? "secure" : "insecure")))
        members.append(JSONMember("timestamp", .string(date(in: extras[path]) ?? time)))
        return object(path, members)
    }

    private func appKey(_ appKey: AppKey) -> JSONValue {
        var members = [
            JSONMember("name", title(appKey.name, of: .appKey(appKey.index), else: appKey.index)),
            JSONMember("index", .integer(appKey.index.rawValue)),
            JSONMember("boundNetKey", .integer(appKey.boundNetKey.rawValue)),
        ]
        members += key("key", appKey.key) + key("oldKey", appKey.oldKey)
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
                JSONMember("provisionerName", title(provisioner.name, else: provisioner.uuid)),
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
                JSONMember("name", title(group.name, of: .group(group.address), else: address)),
                JSONMember("address", .string(address)),
                JSONMember("parentAddress", .string(group.parent.map(CDBExport.text) ?? "0000")),
            ]
        )
    }

    private func scene(_ scene: Scene) -> JSONValue {
        object(
            "scenes/\(scene.number.hexadecimal)",
            [
                JSONMember("name", title(scene.name, else: scene.number)),
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
