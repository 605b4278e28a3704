import MeshCore

/// A generated building of any size: its definition as YAML, and the mesh database to plan it against.
///
/// Every node is written in full (no profiles): one element with five models, bindings, subscriptions and two
/// publications. That is about 1.2 kB of YAML and 110 libyaml events per node.
struct BuildingGenerator {
    /// How many nodes.
    let nodeCount: Int
    /// In the database, every `changedEvery`-th node differs from the definition by one subscription.
    let changedEvery: Int
    /// Whether the nodes are unprovisioned devices. Then the plan chooses their addresses, and only the first one of
    /// each room is a proxy and can relay. They publish every ten minutes, because simulated nodes really do: a
    /// thousand sensors that publish every ten seconds, three times each, would be 300 PDUs a second, which no mesh
    /// carries.
    var isNew = false

    private static let models: [(name: String, identifier: UInt16)] = [
        ("generic-onoff-server", 0x1000), ("generic-level-server", 0x1002), ("light-lightness-server", 0x1300),
        ("sensor-server", 0x1100), ("generic-onoff-client", 0x1001),
    ]
    private static let nodesPerRoom = 10

    private var roomCount: Int { (nodeCount + Self.nodesPerRoom - 1) / Self.nodesPerRoom }

    /// The definition in block style, as an editor or a planning office's generator would write it.
    func definition() -> String {
        var text = head + "nodes:\n"
        for index in 0..<nodeCount { text += node(words(index), margin: "") }
        return text
    }

    /// The same building by a module for a luminaire, and the file with a row for each.
    func definitionByModules() -> (definition: String, rows: String) {
        let columns = NodeWords.columns(withAddress: !isNew)
        var rows = columns.joined(separator: ",") + "\n"
        for index in 0..<nodeCount { rows += words(index).row + "\n" }
        return (head + module(columns, .references(withAddress: !isNew)), rows)
    }

    /// The same building for many networks: their name is the variable `name`. The TTL of each node comes from one of two
    /// profiles; one node of a hundred is in a corridor.
    ///
    /// - Parameter corridorTTL: the TTL in corridors; 5 everywhere else, and in the database.
    func definitionOfFleet(corridorTTL: Int) -> (definition: String, rows: String) {
        let columns = NodeWords.columns(withAddress: !isNew) + ["profile"]
        var references = NodeWords.references(withAddress: !isNew)
        references.ttl = "profile: $(profile)"
        let name = "network: $(name)\nvariables: { name: { type: text } }\n"
        let text =
            head.replacing("network: building\n", with: name)
            + "profiles:\n  usual: { ttl: 5 }\n  corridor: { ttl: \(corridorTTL) }\n" + module(columns, references)
        var rows = columns.joined(separator: ",") + "\n"
        for index in 0..<nodeCount { rows += words(index).row + (index % 100 == 50 ? ",corridor\n" : ",usual\n") }
        return (text, rows)
    }

    /// The module for a luminaire, and its use.
    private func module(_ columns: [String], _ references: NodeWords) -> String {
        var text = "modules:\n  luminaire:\n    parameters:\n"
        for column in columns { text += "      \(column): text\n" }
        text += "    nodes:\n" + node(references, margin: "    ")
        return text + "use:\n  - { module: luminaire, rows: luminaires.csv }\n"
    }

    private var head: String {
        var text = """
            version: 1
            network: building
            subnets:
              primary: { index: 0 }
            application_keys:
              lighting: { subnet: primary, index: 0 }
              sensing: { subnet: primary, index: 1 }
            groups:
              everything: { address: 0xC000 }

            """
        for room in 0..<roomCount {
            text += "  room-\(room): { address: 0x\(groupAddress(room).hexadecimal), parent: everything }\n"
        }
        return text
    }

    /// What distinguishes a node from others.
    private struct NodeWords {
        var number: String
        var uuid: String
        /// Nil for a device to be provisioned.
        var address: String?
        var room: String
        var floor: String
        var relay: String
        var proxy: String
        /// The line that gives it its TTL.
        var ttl = "ttl: 5"

        static func columns(withAddress: Bool) -> [String] {
            ["number", "uuid"] + (withAddress ? ["address"] : []) + ["room", "floor", "relay", "proxy"]
        }

        /// References to the parameters of those names.
        static func references(withAddress: Bool) -> NodeWords {
            NodeWords(
                number: "$(number)",
                uuid: "$(uuid)",
                address: withAddress ? "$(address)" : nil,
                room: "$(room)",
                floor: "$(floor)",
                relay: "$(relay)",
                proxy: "$(proxy)"
            )
        }

        var row: String {
            ([number, uuid] + (address.map { [$0] } ?? []) + [room, floor, relay, proxy]).joined(separator: ",")
        }
    }

    private func words(_ index: Int) -> NodeWords {
        let room = index / Self.nodesPerRoom
        return NodeWords(
            number: "\(index)",
            uuid: uuid(index).rawValue.hexadecimal,
            address: isNew ? nil : "0x\(address(index).hexadecimal)",
            room: "\(room)",
            floor: "\(room / 50)",
            relay: isRelay(index) ? "on" : "off",
            proxy: isNew && isRelay(index) ? "on" : "off"
        )
    }

    private func node(_ words: NodeWords, margin: String) -> String {
        let address = words.address.map { "\n    address: \($0)" } ?? ""
        var text = """
              luminaire-\(words.number):
                uuid: \(words.uuid)\(address)
                tags:
                  room: room-\(words.room)
                  floor: "\(words.floor)"
                \(words.ttl)
                features:
                  relay: \(words.relay)
                  proxy: \(words.proxy)
                  friend: off
                network_transmit:
                  count: 3
                  interval: 20ms
                elements:
                  0:

            """
        for model in Self.models {
            let key = keyName(model.identifier)
            text += "        \(model.name):\n          keys:\n            - \(key)\n"
            if Self.subscribes(model.identifier) {
                text += "          subscribe:\n            - everything\n            - room-\(words.room)\n"
            }
            if Self.publishes(model.identifier) {
                text += """
                              publish:
                                to: room-\(words.room)
                                key: \(key)
                                ttl: 5
                                period: \(isNew ? "10m" : "10s")
                                retransmit:
                                  count: 2
                                  interval: 50ms

                    """
            }
        }
        guard !margin.isEmpty else { return text }
        return text.split(separator: "\n").map { margin + $0 + "\n" }.joined()
    }

    private func isRelay(_ index: Int) -> Bool { !isNew || index % Self.nodesPerRoom == 0 }
    private static func subscribes(_ model: UInt16) -> Bool { model < 0x1100 && model % 2 == 0 || model == 0x1300 }
    private static func publishes(_ model: UInt16) -> Bool { !subscribes(model) }
    private func keyName(_ model: UInt16) -> String { model == 0x1100 ? "sensing" : "lighting" }
    private func groupAddress(_ room: Int) -> UInt16 { 0xC001 + UInt16(room) }
    private func address(_ index: Int) -> UInt16 { 0x0010 + UInt16(index) }
    private func uuid(_ index: Int) -> DeviceUUID { DeviceUUID(rawValue: Octets16(high: 0xB0, low: UInt64(index))) }

    /// The devices, as a luminaire vendor describes them.
    func devices() -> [DeviceDescription] {
        var composition = Composition(
            company: 0x0059,
            product: 1,
            version: 1,
            replayListSize: 32,
            features: [],
            elements: [
                CompositionElement(
                    location: 0x0100,
                    models: [.configurationServer, .healthServer] + Self.models.map { .sig($0.identifier) }
                )
            ]
        )
        return (0..<nodeCount).map { index in
            composition.features = isRelay(index) ? [.relay, .proxy, .friend] : [.proxy, .friend]
            return DeviceDescription(
                uuid: uuid(index),
                name: "luminaire-\(index)",
                composition: composition,
                capabilities: ProvisioningCapabilities(elementCount: 1)
            )
        }
    }

    /// The database. It matches the definition, except for one subscription on some nodes. It does not contain new
    /// devices.
    func network() -> MeshNetwork? {
        guard let lighting = AppKeyIndex(rawValue: 0), let sensing = AppKeyIndex(rawValue: 1),
            let everything = GroupAddress(rawValue: 0xC000)
        else { return nil }
        var generator = SystemRandomNumberGenerator()
        guard let own = try? MadeUpProvisioner.node(using: &generator) else { return nil }
        var nodes = [own]
        for index in 0..<(isNew ? 0 : nodeCount) {
            guard let primary = UnicastAddress(rawValue: address(index)),
                let room = GroupAddress(rawValue: groupAddress(index / Self.nodesPerRoom))
            else { return nil }
            let isChanged = index % changedEvery == 0
            var models = [Model(identifier: .configurationServer), Model(identifier: .healthServer)]
            for (_, identifier) in Self.models {
                let key = identifier == 0x1100 ? sensing : lighting
                var model = Model(identifier: .sig(identifier), bindings: [key])
                if Self.subscribes(identifier) {
                    let both: [SubscriptionAddress] = [.group(everything), .group(room)]
                    model.subscriptions = isChanged && identifier == 0x1000 ? [both[0]] : both
                }
                if Self.publishes(identifier) {
                    model.publication = Publication(
                        address: .group(room),
                        appKeyIndex: key,
                        ttl: 5,
                        period: PublishPeriod(milliseconds: 10_000) ?? .none,
                        retransmit: PublishRetransmit(count: 2, steps: 0) ?? .none
                    )
                }
                models.append(model)
            }
            var node = Node(
                uuid: uuid(index),
                name: "luminaire-\(index)",
                unicastAddress: primary,
                deviceKey: .random(using: &generator),
                elements: [Element(models: models)],
                netKeys: [NodeKey(index: .primary)],
                appKeys: [NodeKey(index: lighting), NodeKey(index: sensing)]
            )
            node.isManaged = true
            node.product = Node.Product(company: 0x0059, product: 1, version: 1, replayListSize: 32)
            node.features = Node.Features(relay: .enabled, proxy: .disabled, friend: .disabled, lowPower: .notSupported)
            node.defaultTTL = 5
            node.networkTransmit = TransmitParameters(count: 2, steps: 1)
            nodes.append(node)
        }
        var groups = [Group(name: "everything", address: .group(everything))]
        for room in 0..<roomCount {
            guard let address = GroupAddress(rawValue: groupAddress(room)) else { return nil }
            groups.append(Group(name: "room-\(room)", address: .group(address), parent: .group(everything)))
        }
        return MeshNetwork(
            uuid: Octets16(high: 0xC0, low: 1),
            name: "building",
            ivIndex: IVIndex(value: 0),
            netKeys: [NetKey(index: .primary, name: "primary", key: .random(using: &generator))],
            appKeys: [
                AppKey(index: lighting, name: "lighting", boundNetKey: .primary, key: .random(using: &generator)),
                AppKey(index: sensing, name: "sensing", boundNetKey: .primary, key: .random(using: &generator)),
            ],
            groups: groups,
            provisioners: [MadeUpProvisioner.provisioner],
            ownProvisioner: MadeUpProvisioner.uuid,
            nodes: nodes
        )
    }
}
