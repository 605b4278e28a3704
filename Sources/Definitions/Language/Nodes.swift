import DefinitionModel
import MeshCore

// MARK: - Nodes and profiles

extension NodeDefinition {
    /// A value of `nodes`.
    static let mapping = MappingType<NodeDefinition>(
        "node",
        as: "a node",
        "A node, or a place that waits for its device.",
        isOptional: true,
        Field.wording(of: "node", \.wording),
        [
            .vital(
                .uuid,
                .ref("octets16"),
                """
                The Device UUID, the identity of the node. A node without it is a place, and gets its device by an \
                assignment.
                """
            ) { decoder, entry, node in
                guard let uuid = decoder.scalar(entry.value, Scalars.uuid) else { return false }
                node.uuid = uuid
                node.awaitsDevice = false
                return true
            } written: { node in
                node.awaitsDevice ? nil : Scalars.uuid.spell(node.uuid.value)
            },
            .product(\.product, "What the device is made as; this tells how many addresses a place needs.") {
                .node($0.nodes.count)
            },
            .scalar(.profile, \.profile, Scalars.name(of: "a profile"), "The profile that the node starts from."),
            .scalar(.address, \.address, Scalars.unicastAddress),
            .custom(.position, .ref("position")) { decoder, entry, node in
                node.position = decoder.decodePosition(entry)
            } written: { node in
                node.position.map { .fields(NodePosition.mapping.written($0.value)) }
            },
        ],
        Field.inherited(\.tags, \.isProtected, \.removalPolicy),
        [.provisioning(\.provisioning, ofDevice: true)],
        NodeSettings.fields.map { $0.lifted(\.settings) },
        [.elements(\.settings.elements, isSection: false)],
        Field.repetition(byTags: false)
    )
}

extension ProfileDefinition {
    /// A value of `profiles`.
    static let mapping = MappingType<ProfileDefinition>(
        "profile",
        as: "a profile",
        "Settings that several nodes share.",
        isOptional: true,
        [.product(\.product, "What the devices of its nodes are made as.") { .profile($0.profiles.count) }],
        Field.inherited(\.inherited.tags, \.inherited.isProtected, \.inherited.removalPolicy),
        [.provisioning(\.provisioning, ofDevice: false)],
        NodeSettings.fields.map { $0.lifted(\.settings) },
        [.elements(\.settings.elements, isSection: true)],
        Field.repetition(byTags: false)
    )
}

extension DefaultsDefinition {
    /// The value of `defaults`, or an entry of it.
    static let mapping = MappingType<DefaultsDefinition>(
        "defaults",
        as: "a mapping of settings",
        """
        Settings of all nodes, or of those that `nodes` selects. A profile's settings win over them, and so do \
        those of the node, value by value; an entry that selects nodes wins over one for all. Nodes that lack a \
        feature or model are left out.
        """,
        isOptional: true,
        // Without its selector it would apply to all nodes.
        [.nodes(\.selector, isWrittenForAll: false), .allowEmpty(\.selector)],
        Field.inherited(\.inherited.tags, \.inherited.isProtected, \.inherited.removalPolicy),
        [.provisioning(\.provisioning, ofDevice: false)],
        NodeSettings.fields.filter { $0.property.keyword != .nlc }.map { $0.lifted(\.settings) },
        [
            .custom(
                .states,
                ["type": "object", "propertyNames": .ref("model_name"), "additionalProperties": .ref("model_states")],
                """
                States of models by the name of the model, on every element that has it; what a node or its \
                profile declares wins.
                """
            ) { decoder, entry, defaults in
                defaults.models = decoder.decodeModelStates(entry)
            } written: { defaults in
                guard !defaults.models.isEmpty else { return nil }
                return .fields(
                    defaults.models.map { model in
                        DefinitionValue.Field(
                            model.identifier.value.name,
                            .modelStates(model.states?.value.map(\.value) ?? [])
                        )
                    }
                )
            }
        ]
    )

    /// The nodes that it selects, as a selector that can be all of them.
    private var selector: NodeSelector {
        get { nodes ?? NodeSelector(location: location) }
        set { nodes = newValue }
    }
}

extension Field {
    /// What nodes inherit beside settings.
    fileprivate static func inherited(
        _ tags: any WritableKeyPath<Owner, [String: Located<String>]> & Sendable,
        _ isProtected: any WritableKeyPath<Owner, Located<Bool>?> & Sendable,
        _ removalPolicy: any WritableKeyPath<Owner, Located<RemovalPolicy>?> & Sendable
    ) -> [Field] {
        [
            .custom(
                .tags,
                .section(of: .ref("tag_value")),
                "Tags that selectors ask for."
            ) { decoder, entry, owner in
                owner[keyPath: tags] = decoder.decodeTags(entry.value, isPattern: false)
            } written: { owner in
                owner[keyPath: tags].isEmpty ? nil : .tags(owner[keyPath: tags])
            },
            .scalar(.protect, isProtected, Scalars.onOff, "Refuses to remove the node, even after its line is gone."),
            .scalar(
                .onRemove,
                removalPolicy,
                Scalars.removalPolicy,
                """
                What becomes of the node when it leaves the definition: it is forgotten and keeps its \
                configuration, or it is reset.
                """
            ),
        ]
    }

    /// What devices are made as. The name of a product waits until the files with products have been read.
    fileprivate static func product(
        _ path: any WritableKeyPath<Owner, Located<ProductIdentifier>?> & Sendable,
        _ documentation: String,
        _ user: @escaping @Sendable (Definition) -> ProductName.User
    ) -> Field {
        .custom(.product, .ref("product_reference"), documentation) { decoder, entry, owner in
            guard let product = decoder.scalar(entry.value, "a product", ModelWords.product) else { return }
            switch product.value {
            case .identifier(let identifier): owner[keyPath: path] = Located(identifier, at: product.location)
            case .name(let name):
                let name = ProductName(
                    user: user(decoder.fragment.definition),
                    name: Located(name, at: product.location)
                )
                decoder.fragment.productNames.append(name)
            }
        } written: { owner in
            owner[keyPath: path].map { .word($0.value.description) }
        }
    }

    /// How devices become nodes.
    fileprivate static func provisioning(
        _ path: any WritableKeyPath<Owner, ProvisioningSettings?> & Sendable,
        ofDevice isOfDevice: Bool
    ) -> Field {
        .custom(.provisioning, .ref(isOfDevice ? "provisioning" : "profile_provisioning")) { decoder, entry, owner in
            owner[keyPath: path] = decoder.decodeProvisioning(entry, ofDevice: isOfDevice)
        } written: { owner in
            owner[keyPath: path].map { .fields(ProvisioningSettings.mapping.written($0)) }
        }
    }
}

extension DefinitionValue {
    static func tags(_ tags: [String: Located<String>]) -> DefinitionValue {
        .fields(tags.sorted { $0.key < $1.key }.map { Field(quotedIfNeeded($0.key), .text($0.value.value)) })
    }
}

extension DocumentDecoder {
    /// An entry of `profiles`.
    mutating func decodeProfile(_ entry: NamedEntry) -> Bool {
        var profile = ProfileDefinition(name: entry.name, settings: NodeSettings())
        guard decode(entry.value, ProfileDefinition.mapping, blamed: entry.key, into: &profile) else { return false }
        fragment.definition.profiles.append(profile)
        return true
    }

    /// An entry of `nodes`.
    mutating func decodeNode(_ entry: NamedEntry) -> Bool {
        let products = fragment.productNames.count
        var node = NodeDefinition(name: entry.name, uuid: Located(Self.noUUID, at: entry.name.location))
        node.awaitsDevice = true
        guard decode(entry.value, NodeDefinition.mapping, blamed: entry.key, into: &node) else {
            fragment.productNames.removeLast(fragment.productNames.count - products)
            return false
        }
        // Last, because the identity of a place takes longer to make than the rest of a node.
        if node.awaitsDevice { node.uuid.value = .standIn(forPlace: entry.name.value) }
        fragment.definition.nodes.append(node)
        return true
    }

    /// Stands in a node until its own is read.
    private static let noUUID = DeviceUUID(rawValue: Octets16(high: 0, low: 0))

    /// `defaults`: settings for all nodes, or a list of settings, each for all nodes or for those that it selects.
    mutating func decodeDefaults(_ section: MappingEntry) {
        if isNull(section.value) { return }
        guard tree.nodes[section.value].kind == .sequence else {
            return decodeDefaults(section.value, blamed: section.key)
        }
        for entry in list(section.value, "a list of settings") ?? ListEntries() { decodeDefaults(entry, blamed: entry) }
    }

    private mutating func decodeDefaults(_ node: Int, blamed: Int) {
        var defaults = DefaultsDefinition(location: location(blamed))
        guard decode(node, DefaultsDefinition.mapping, blamed: blamed, into: &defaults) else { return }
        if defaults.nodes?.isAll ?? false { defaults.nodes = nil }
        if let tag = defaults.inherited.tags.values.min(by: { $0.location < $1.location }),
            defaults.nodes.map({ !$0.tags.isEmpty }) ?? false
        {
            diagnostics.report(
                "an entry that selects nodes by tags cannot give them tags",
                at: tag.location,
                hint: "select the nodes by name, or write the tags in a profile or the nodes"
            )
            defaults.inherited.tags = [:]
        }
        fragment.definition.defaults.append(defaults)
    }

    /// `room: kitchen` and the like: the tags of a node, or those that a selector asks for.
    mutating func decodeTags(_ node: Int, isPattern: Bool) -> [String: Located<String>] {
        let entries = entries(node, "a mapping of tags") ?? []
        var tags: [String: Located<String>] = [:]
        tags.reserveCapacity(entries.count)
        for entry in entries {
            guard let tag = scalar(entry.key, "the name of a tag", Words.name) else { continue }
            let known = testVariables
            let parse = { (text: String) throws(ScalarProblem) in
                _ = try known?.filled(text)
                return text
            }
            guard let value = scalar(entry.value, "the value of a tag", parse)?.value else { continue }
            if !isPattern, value.utf8.contains(UInt8(ascii: "*")) {
                report(
                    "the value of a tag cannot hold `*`",
                    at: entry.value,
                    hint: "`*` stands for anything in selectors"
                )
                continue
            }
            tags[tag.value] = Located(value, at: location(entry.value))
        }
        return tags
    }

    /// A list of names, each once.
    mutating func names(_ node: Int, _ expected: String) -> Located<[Located<String>]>? {
        guard let entries = list(node, expected) else { return nil }
        var names: [Located<String>] = []
        let count = entries.count
        names.reserveCapacity(count)
        // Most lists are so short that a set would not pay.
        var seen: Set<String> = []
        for entry in entries {
            guard let name = scalar(entry, "a name", Words.name) else { continue }
            let isRepeated =
                count > 8 ? !seen.insert(name.value).inserted : names.contains { $0.value == name.value }
            if isRepeated {
                report("\(quoted(name.value)) occurs twice in this list", at: entry, severity: .warning)
                continue
            }
            names.append(name)
        }
        return Located(names, at: location(node))
    }

    /// A list of names of keys, of which a network cannot have more than their indexes.
    mutating func keyNames(_ node: Int, _ expected: String) -> Located<[Located<String>]>? {
        guard let names = names(node, expected) else { return nil }
        guard names.value.count <= Self.mostKeys else {
            report(
                "more than \(Self.mostKeys) keys",
                at: node,
                hint: "no network has as many; name only those that are declared"
            )
            return nil
        }
        return names
    }

    /// The indexes of keys have 12 bits.
    private static let mostKeys = 4096
}

// MARK: - Provisioning

extension ProvisioningRules {
    /// `provisioning` at the top level.
    static let mapping = MappingType<ProvisioningRules>(
        "provisioning_rules",
        as: "rules for provisioning",
        "The requirements for devices that become nodes; given in one document of a network.",
        isOptional: true,
        [
            .scalar(
                .require,
                \.requirement,
                Scalars.requirement,
                """
                What has to be proved about devices: none lets in whoever answers; claimed wants an answer to a \
                static, output or input value, which under AES-CMAC a device can make up that knows nothing; \
                authenticated wants what cannot be made up: HMAC-SHA256 with a static value of 32 octets or a \
                value of six digits, or a public key that was read out of band.
                """
            )
        ]
    )
}

extension ProvisioningSettings {
    static let mapping = MappingType<ProvisioningSettings>(
        "provisioning",
        as: "a mapping for provisioning",
        "How the device is made a node. A node's own values win over those of its profile, value by value.",
        isOptional: true,
        where: [
            "if": ["type": "object", "required": ["static", "oob"]],
            "then": ["properties": ["oob": ["const": "static"]]],
        ],
        [
            .scalar(
                .outOfBand,
                \.method,
                Scalars.method,
                """
                The only kind of authentication that is used; left out, the safest that the device offers and for \
                which a value is at hand.
                """
            ),
            .custom(.staticValue, .ref("static_source")) { decoder, entry, settings in
                settings.staticValue = decoder.decodeSource(entry, .staticValue)
            } written: { settings in
                settings.staticValue.map { .source($0.value) }
            },
            .custom(.publicKey, .ref("public_key_source")) { decoder, entry, settings in
                guard let source = decoder.decodeSource(entry, .publicKey), case .file(let path) = source.value else {
                    return
                }
                settings.publicKeyFile = Located(path, at: source.location)
            } written: { settings in
                settings.publicKeyFile.map { .source(.file($0.value)) }
            },
            .scalar(
                .algorithm,
                \.algorithm,
                Scalars.algorithm,
                "The only algorithm that is used; left out, the safest that the device knows."
            ),
            .custom(.via, .ref("provisioning_route")) { decoder, entry, settings in
                settings.route = decoder.decodeRoute(entry)
            } written: { settings in
                switch settings.route?.value {
                case .node(let name): .fields([DefinitionValue.Field(Keyword.node.rawValue, .text(name))])
                case .some(let route): .word(ProvisioningWords.word(route))
                case nil: nil
                }
            },
            .scalar(
                .attention,
                \.attention,
                Scalars.attention,
                """
                For how long the device attracts attention when it is invited: whole seconds, 0s to 255s. By \
                default, not at all.
                """
            ),
        ]
    )

    /// The same in a profile, without the parts that belong to one device.
    static let profileRecord = Record(
        "profile_provisioning",
        as: mapping.record.noun,
        "How devices are made nodes; static values and public keys belong to nodes.",
        isOptional: true,
        mapping.record.properties.filter { !isOfDevice($0.keyword) }
    )

    /// Whether a key belongs to one device.
    fileprivate static func isOfDevice(_ keyword: Keyword?) -> Bool { keyword == .staticValue || keyword == .publicKey }
}

extension Record {
    /// The node through which a device is provisioned.
    static let provisioningServer = Record(
        "provisioning_server",
        as: "the node to go through",
        """
        The node through which alone the device is provisioned. It needs a Remote Provisioning Server, and may \
        itself be provisioned in the same run.
        """,
        [
            Property(.node, .ref("name_reference"), isRequired: true)
        ]
    )
}

extension DocumentDecoder {
    /// `provisioning` of a node or profile.
    fileprivate mutating func decodeProvisioning(
        _ section: MappingEntry,
        ofDevice isOfDevice: Bool
    ) -> ProvisioningSettings? {
        let record = ProvisioningSettings.mapping.record
        guard var entries = fields(section.value, record, blamed: section.key) else { return nil }
        let misplaced = isOfDevice ? [] : entries.filter { ProvisioningSettings.isOfDevice($0.keyword) }
        for entry in misplaced {
            report(
                "`\(entry.keyword?.rawValue ?? "")` belongs to one device, not to a profile",
                at: entry.key,
                hint: "write it in the `provisioning` of the node",
                concealsSource: true
            )
        }
        if !misplaced.isEmpty {
            let rest = entries.filter { !ProvisioningSettings.isOfDevice($0.keyword) }
            entries = MappingEntries(listed: rest)
        }
        var settings = ProvisioningSettings(location: location(section.key))
        _ = decode(entries, ProvisioningSettings.mapping, into: &settings)
        return settings
    }

    /// A word, or `{ node: NAME }`, because a node may have one of the words as its name.
    fileprivate mutating func decodeRoute(_ field: MappingEntry) -> Located<ProvisioningRoute<String>>? {
        guard tree.nodes[field.value].kind == .mapping else {
            return scalar(field.value, "a way to a device", ProvisioningWords.route)
        }
        let fields = fields(field.value, .provisioningServer, blamed: field.key) ?? []
        for field in fields where field.keyword == .node {
            guard let name = scalar(field.value, "the name of a node", Words.name) else { return nil }
            return Located(.node(name.value), at: name.location)
        }
        return nil
    }
}
