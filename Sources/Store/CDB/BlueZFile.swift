import MeshCore
import SystemLayer

/// A file that a program of BlueZ keeps for itself, brought into the form of a configuration database. What the file
/// lacks for that is made, and said.
///
/// The `prov_db.json` of meshctl has a network with all nodes but meshctl's own, and no UUIDs. The `node.json` of
/// bluetooth-meshd has one of its own nodes, and the keys that this one has.
struct BlueZFile {
    /// The program.
    let dialect: CDBDialect
    /// What shows that it wrote the file.
    let marks: [CDBDialect.Mark]
    /// The configuration database that was made of the file. Its nodes stand in the order of the file.
    private(set) var document = JSONValue.null
    /// What had to be made or left out for that.
    private(set) var repairs: [CDBDocument.Repair] = []
    /// The IV index that the program knew.
    let ivIndex: IVIndex
    /// What tells one network from another without betraying its key; everything made is made of it.
    private let networkIdentifier: UInt64

    /// Takes a file apart; nil if it is none of these.
    ///
    /// - Throws: a refusal of those that hold no keys.
    init?(_ file: JSONValue) throws(CDBRefusal) {
        guard file["meshUUID"] == nil, let keys = file["netKeys"] else { return nil }
        if file["node"] != nil {
            throw CDBRefusal(
                pointer: "",
                reason: "this is the local_node.json of BlueZ's meshctl, which holds nothing but its own node",
                advice: "take the prov_db.json beside it, which holds keys and nodes"
            )
        }
        let isDaemon = file["token"] != nil
        guard !isDaemon || file["deviceKey"] != nil && file["unicastAddress"] != nil else {
            throw CDBRefusal(
                pointer: "",
                reason: "this is the private file of BlueZ's mesh-cfgclient, which holds no keys",
                advice: "export the database with mesh-cfgclient's export-db"
            )
        }
        guard isDaemon || file["IVindex"] != nil else { return nil }
        dialect = isDaemon ? .meshDaemon : .meshctl
        marks = [
            CDBDialect.Mark(
                pointer: isDaemon ? "/token" : "/IVindex",
                text: isDaemon ? "the token of a node of the daemon" : "an IV index, and no UUID of a network"
            )
        ]
        let value = Self.integer(file["IVindex"]).flatMap { UInt32(exactly: $0) }
        let isUpdateInProgress = Self.integer(file["IVupdate"]) == 1
        ivIndex = IVIndex(value: value ?? 0, isUpdateInProgress: isUpdateInProgress)
        guard case .array(let items) = keys else { return nil }
        let key = items.first?["key"]?.text.flatMap { Hexadecimal.decode($0) }.flatMap { KeyMaterial($0) }
        networkIdentifier = key.map { KeyDerivation.k3($0) } ?? 0
        document = isDaemon ? daemonNode(file) : network(file)
    }

    /// Where a pointer of ``document`` leads in the file.
    func pointer(_ pointer: String) -> String {
        if dialect == .meshDaemon {
            guard let match = pointer.prefixMatch(of: #/\/nodes\/0/#) else { return pointer }
            return String(pointer[match.range.upperBound...])
        }
        if let match = pointer.wholeMatch(of: #/(\/netKeys\/\d+)\/phase/#) { return match.output.1 + "/keyRefresh" }
        guard let match = pointer.wholeMatch(of: #/(\/nodes\/\d+)\/(\w+)(\/\d+)?(.*)/#) else { return pointer }
        let (_, node, member, position, rest) = match.output
        switch member {
        case "elements": return "\(node)/configuration/elements\(position ?? "")"
        case "netKeys", "appKeys", "defaultTTL": return "\(node)/configuration/\(member)\(position ?? "")"
        case "unicastAddress": return "\(node)/configuration/elements/0/unicastAddress"
        case "cid", "pid", "vid", "crpl", "features": return "\(node)/composition/\(member)\(rest)"
        default: return pointer
        }
    }

    // MARK: - meshctl

    private mutating func network(_ file: JSONValue) -> JSONValue {
        repair(
            "",
            "what meshctl keeps for itself; keys, addresses and what nodes have are taken. Names and UUIDs are made, since it "
                + "has none; periods and retransmissions of publications count as none"
        )
        var nodes = file.items("nodes").enumerated().map { node($1, at: "/nodes/\($0)") }
        if !nodes.isEmpty {
            repair(
                "/nodes",
                "without UUIDs, by which definitions know nodes; each gets one made of its network and address",
                isImportant: true
            )
        }
        let provisioners = file.items("provisioners").enumerated().map { index, provisioner in
            let address = Self.address(provisioner["unicastAddress"])
            let uuid = uuid(at: address)
            let name = provisioner["provisionerName"] ?? .string("meshctl")
            if address != 0 {
                nodes.append(ownNode(of: provisioner, named: name, uuid, file))
                repair(
                    "/provisioners/\(index)",
                    "its own node, whose device key is in local_node.json alone, cannot be configured"
                )
            }
            return Self.object([
                ("provisionerName", name), ("UUID", uuid),
                ("allocatedUnicastRange", provisioner["allocatedUnicastRange"] ?? .array([])),
                ("allocatedGroupRange", .array([])), ("allocatedSceneRange", .array([])),
            ])
        }
        return Self.object([
            ("partial", .bool(false)), ("meshUUID", uuid(at: 0)),
            ("meshName", file["meshName"] ?? .string("mesh")), ("netKeys", .array(netKeys(file))),
            ("appKeys", .array(appKeys(file))), ("provisioners", .array(provisioners)), ("groups", .array([])),
            ("scenes", .array([])), ("nodes", .array(nodes)),
        ])
    }

    private mutating func node(_ node: JSONValue, at pointer: String) -> JSONValue {
        let (configuration, composition) = (node["configuration"] ?? .null, node["composition"] ?? .null)
        let configured = configuration.items("elements")
        let address = configured.first { $0["elementIndex"]?.wholeNumber == 0 }?["unicastAddress"]
        let composed = composition.items("elements")
        let elements = (0..<max(configured.count, composed.count)).map { index in
            element(
                composed.first { $0["elementIndex"]?.wholeNumber == index } ?? .null,
                configured.first { $0["elementIndex"]?.wholeNumber == index } ?? .null,
                index,
                at: "\(pointer)/configuration/elements/\(index)"
            )
        }
        let features = composition["features"] ?? .null
        // That a node can relay does not tell whether it does.
        let states = [("relay", "relay"), ("proxy", "proxy"), ("friend", "friend"), ("lpn", "lowPower")].compactMap {
            features[$0] == .bool(false) ? JSONMember($1, .integer(2)) : nil
        }
        return Self.object(
            [
                ("UUID", uuid(at: Self.address(address))), ("name", Self.name(address)), ("unicastAddress", address),
                ("deviceKey", node["deviceKey"]), ("security", .string("insecure")), ("configComplete", .bool(false)),
                ("excluded", .bool(false)), ("features", .object(states)), ("defaultTTL", configuration["defaultTTL"]),
                ("netKeys", Self.nodeKeys(configuration, "netKeys")),
                ("appKeys", Self.nodeKeys(configuration, "appKeys")),
                ("elements", .array(elements)),
            ] + ["cid", "pid", "vid", "crpl"].map { ($0, composition[$0]) }
        )
    }

    /// An element, whose composition names all models, and whose configuration those that have any.
    private mutating func element(
        _ composed: JSONValue,
        _ configured: JSONValue,
        _ index: Int,
        at pointer: String
    ) -> JSONValue {
        var rest = configured.items("models")
        var models = composed.items("models").map { identifier in
            let position = rest.firstIndex { $0["modelId"]?.text?.lowercased() == identifier.text?.lowercased() }
            return model(position.map { rest.remove(at: $0) } ?? .null, identifier, at: pointer)
        }
        models += rest.map { model($0, $0["modelId"], at: pointer) }
        return Self.object([
            ("index", .integer(index)), ("location", composed["location"] ?? .string("0000")),
            ("models", .array(models)),
        ])
    }

    private mutating func model(_ model: JSONValue, _ identifier: JSONValue?, at pointer: String) -> JSONValue {
        let subscriptions = model.items("subscribe")
        let known = subscriptions.filter { !Self.lacksLabel($0) }
        var publish = model["publish"]
        if known.count < subscriptions.count || Self.lacksLabel(publish?["address"]) {
            repair(pointer, "virtual addresses without their labels; left out")
            if Self.lacksLabel(publish?["address"]) { publish = nil }
        }
        publish = publish.map { publish in
            Self.object([
                ("address", publish["address"]), ("index", publish["index"].map(Self.index)), ("ttl", publish["ttl"]),
                ("credentials", .integer(0)),
                ("period", Self.object([("numberOfSteps", .integer(0)), ("resolution", .integer(100))])),
                ("retransmit", Self.object([("count", .integer(0)), ("interval", .integer(50))])),
            ])
        }
        return Self.object([
            ("modelId", identifier), ("bind", .array(model.items("bind").map(Self.index))),
            ("subscribe", .array(known)),
            ("publish", publish),
        ])
    }

    private func ownNode(
        of provisioner: JSONValue,
        named name: JSONValue,
        _ uuid: JSONValue,
        _ file: JSONValue
    ) -> JSONValue {
        let keys = file.items("netKeys").map { Self.nodeKey($0["index"] ?? .null) }
        let element = Self.object([("index", .integer(0)), ("location", .string("0000")), ("models", .array([]))])
        return Self.object([
            ("UUID", uuid), ("name", name), ("unicastAddress", provisioner["unicastAddress"]),
            ("security", .string("insecure")), ("configComplete", .bool(true)), ("excluded", .bool(false)),
            ("netKeys", .array(keys)), ("appKeys", .array([])), ("elements", .array([element])),
        ])
    }

    // MARK: - bluetooth-meshd

    private mutating func daemonNode(_ file: JSONValue) -> JSONValue {
        repair(
            "",
            "what bluetooth-meshd keeps of one of its own nodes; its keys and this node are taken. Other nodes are not in it, "
                + "nor are their device keys; mesh-cfgclient's export-db writes all of them"
        )
        repair(
            "/unicastAddress",
            "without a UUID, which is the name of the file's folder; one made of network and address stands for it",
            isImportant: true
        )
        let elements = file.items("elements").enumerated().map { index, element in
            let models = element.items("models").map { model in
                Self.object([
                    ("modelId", model["modelId"]), ("bind", .array(model.items("bind").map(Self.index))),
                    ("subscribe", .array(model.items("subscribe"))),
                ])
            }
            if element.items("models").contains(where: { $0["publish"] != nil }) {
                repair("/elements/\(index)", "publications are in units of the daemon; left out")
            }
            return Self.object([
                ("index", element["elementIndex"]), ("location", element["location"]), ("models", .array(models)),
            ])
        }
        func state(_ value: JSONValue?) -> JSONValue? {
            ["disabled", "enabled", "unsupported"].firstIndex { $0 == value?.text?.lowercased() }.map { .integer($0) }
        }
        let features = Self.object([
            ("relay", state(file["relay"]?["mode"])), ("proxy", state(file["proxy"])),
            ("friend", state(file["friend"])),
            ("lowPower", state(file["lowPower"])),
        ])
        let node = Self.object(
            [
                ("UUID", uuid(at: Self.address(file["unicastAddress"]))), ("name", .string("bluetooth-meshd")),
                ("unicastAddress", file["unicastAddress"]), ("deviceKey", file["deviceKey"]),
                ("security", .string("insecure")), ("configComplete", .bool(false)), ("excluded", .bool(false)),
                ("features", features), ("defaultTTL", file["defaultTTL"]),
                ("netKeys", .array(file.items("netKeys").map { Self.nodeKey($0["index"] ?? .null) })),
                ("appKeys", .array(file.items("appKeys").map { Self.nodeKey($0["index"] ?? .null) })),
                ("elements", .array(elements)),
            ] + ["cid", "pid", "vid", "crpl"].map { ($0, file[$0]) }
        )
        return Self.object([
            // Nobody knows what else is in the network.
            ("partial", .bool(true)), ("meshUUID", uuid(at: 0)), ("meshName", .string("mesh")),
            ("netKeys", .array(netKeys(file))), ("appKeys", .array(appKeys(file))), ("provisioners", .array([])),
            ("groups", .array([])), ("scenes", .array([])), ("nodes", .array([node])),
        ])
    }

    // MARK: - Both

    private func netKeys(_ file: JSONValue) -> [JSONValue] {
        file.items("netKeys").map { key in
            let index = key["index"].map(Self.index)
            return Self.object([
                ("name", Self.name("Network Key", index)), ("index", index), ("key", key["key"]),
                ("oldKey", key["oldKey"]), ("phase", key["keyRefresh"] ?? .integer(0)),
                ("minSecurity", .string("insecure")),
            ])
        }
    }

    private func appKeys(_ file: JSONValue) -> [JSONValue] {
        file.items("appKeys").map { key in
            let index = key["index"].map(Self.index)
            return Self.object([
                ("name", Self.name("Application Key", index)), ("index", index),
                ("boundNetKey", key["boundNetKey"].map(Self.index)), ("key", key["key"]), ("oldKey", key["oldKey"]),
            ])
        }
    }

    private mutating func repair(_ pointer: String, _ reason: String, isImportant: Bool = false) {
        repairs.append(CDBDocument.Repair(pointer: pointer, reason: reason, isImportant: isImportant))
    }

    /// A UUID for the node at an address, or for the network itself; the same at each import.
    private func uuid(at address: UInt16) -> JSONValue {
        var writer = ByteWriter(capacity: 10)
        writer.write(networkIdentifier)
        writer.write(address)
        return .string(DeviceUUID(custom: KeyDerivation.s1(writer.bytes)).description)
    }

    private static func object(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
    }

    /// The index of a key, which these programs write as a number or in four digits.
    private static func index(_ value: JSONValue) -> JSONValue { integer(value).map { .integer($0) } ?? value }

    private static func integer(_ value: JSONValue?) -> Int? {
        value?.wholeNumber ?? value?.text.flatMap { UInt32($0, radix: 16) }.map { Int($0) }
    }

    private static func address(_ value: JSONValue?) -> UInt16 { value?.text.flatMap { UInt16($0, radix: 16) } ?? 0 }

    private static func nodeKeys(_ configuration: JSONValue, _ name: String) -> JSONValue {
        .array(configuration.items(name).map(nodeKey))
    }

    private static func nodeKey(_ index: JSONValue) -> JSONValue {
        object([("index", self.index(index)), ("updated", .bool(false))])
    }

    private static func name(_ address: JSONValue?) -> JSONValue {
        .string("Node \(self.address(address).hexadecimal)")
    }

    private static func name(_ noun: String, _ index: JSONValue?) -> JSONValue {
        .string(index?.wholeNumber.map { "\(noun) \($0)" } ?? noun)
    }

    /// Whether an address is that of a label which the file does not have.
    private static func lacksLabel(_ value: JSONValue?) -> Bool {
        guard let text = value?.text, text.utf8.count == 4 else { return false }
        return Address(rawValue: address(value)).kind == .virtual
    }
}
