import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// An entry of `profiles`.
    mutating func decodeProfile(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .profile, "a profile", blamed: entry.key) else { return false }
        var profile = ProfileDefinition(name: entry.name, settings: NodeSettings())
        var product: ProductReference?
        for field in fields {
            switch field.keyword {
            case .product: product = scalar(field.value, "a product", ModelWords.product)
            case .provisioning: profile.provisioning = decodeProvisioning(field, ofProfile: true)
            case .tags, .protect, .onRemove: decodeInherited(field, into: &profile.inherited)
            case .repetition: reportRepetition(field)
            default: decodeSetting(field, into: &profile.settings)
            }
        }
        profile.product = decoded(product, .profile(fragment.definition.profiles.count))
        fragment.definition.profiles.append(profile)
        return true
    }

    /// An entry of `nodes`.
    mutating func decodeNode(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .node, "a node", blamed: entry.key) else { return false }
        // First, because most nodes have one, and the identity of a place takes longer to make than the rest of a node.
        let device = fields.first { $0.keyword == .uuid }
        let uuid = device.flatMap { scalar($0.value, "a UUID", Addresses.uuid) }
        var own = InheritedValues()
        var product: ProductReference?
        var node = uuid.map { NodeDefinition(name: entry.name, uuid: $0) } ?? NodeDefinition(place: entry.name)
        for field in fields {
            switch field.keyword {
            case .uuid: break
            case .product: product = scalar(field.value, "a product", ModelWords.product)
            case .profile: node.profile = scalar(field.value, "the name of a profile", Words.name)
            case .address: node.address = scalar(field.value, "a unicast address", Addresses.unicast)
            case .tags, .protect, .onRemove: decodeInherited(field, into: &own)
            case .position: node.position = decodePosition(field)
            case .title, .description: decodeWording(field, into: &node.wording)
            case .provisioning: node.provisioning = decodeProvisioning(field, ofProfile: false)
            case .repetition: reportRepetition(field)
            default: decodeSetting(field, into: &node.settings)
            }
        }
        guard device == nil || uuid != nil else { return false }
        node.inherit(own)
        node.product = decoded(product, .node(fragment.definition.nodes.count))
        fragment.definition.nodes.append(node)
        return true
    }

    private typealias ProductReference = Located<ModelWords.ProductReference>

    /// The product of a profile or node; nil if it has to wait until products have names.
    private mutating func decoded(
        _ product: ProductReference?,
        _ user: ProductName.User
    ) -> Located<ProductIdentifier>? {
        guard let product else { return nil }
        switch product.value {
        case .identifier(let identifier): return Located(identifier, at: product.location)
        case .name(let name):
            fragment.productNames.append(ProductName(user: user, name: Located(name, at: product.location)))
            return nil
        }
    }

    /// What a node says itself, or inherits from a profile or `defaults`.
    mutating func decodeInherited(_ field: MappingEntry, into values: inout InheritedValues) {
        switch field.keyword {
        case .tags: values.tags = decodeTags(field.value, isPattern: false)
        case .protect: values.isProtected = scalar(field.value, "on or off", Words.boolean)
        case .onRemove: values.removalPolicy = scalar(field.value, "forget or reset", Words.removalPolicy)
        default: break
        }
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

    /// One of the settings that nodes, profiles and defaults share.
    mutating func decodeSetting(_ field: MappingEntry, into settings: inout NodeSettings) {
        switch field.keyword {
        case .ttl: settings.defaultTTL = scalar(field.value, "a TTL", Self.defaultTTL)
        case .features: decodeFeatures(field, into: &settings)
        case .secureNetworkBeacon: settings.secureNetworkBeacon = scalar(field.value, "on or off", Words.boolean)
        case .networkTransmit: settings.networkTransmit = decodeTransmit(field)
        case .relayRetransmit: settings.relayRetransmit = decodeTransmit(field)
        case .subnets: settings.subnets = keyNames(field.value, "a list of subnets")
        case .applicationKeys: settings.applicationKeys = keyNames(field.value, "a list of application keys")
        case .nlc: settings.lightingProfiles = decodeLightingProfiles(field.value)
        case .elements: settings.elements = decodeElements(field.value)
        case .heartbeat: decodeHeartbeat(field, into: &settings)
        case .subnetBridge: decodeSubnetBridge(field, into: &settings)
        case .nodeIdentity, .privateNodeIdentity: decodeNodeIdentity(field, into: &settings)
        case .sarTransmitter: if let state = decodeSARTransmitter(field) { settings.states.append(state) }
        case .sarReceiver: if let state = decodeSARReceiver(field) { settings.states.append(state) }
        case .privateBeacon: if let state = decodePrivateBeacon(field) { settings.states.append(state) }
        case .privateGATTProxy:
            guard let isOn = scalar(field.value, "on or off", Words.boolean) else { return }
            settings.states.append(Located(.privateGATTProxy(isOn.value), at: isOn.location))
        case .onDemandPrivateProxy:
            guard let time = scalar(field.value, "a duration or off", Durations.onDemandPrivateProxy) else { return }
            settings.states.append(Located(.onDemandPrivateProxy(seconds: time.value), at: time.location))
        default: break
        }
    }

    mutating func decodeFeatures(_ field: MappingEntry, into settings: inout NodeSettings) {
        for feature in fields(field.value, .features, "a mapping of features", blamed: field.key) ?? [] {
            let state = scalar(feature.value, "on or off", Words.boolean)
            switch feature.keyword {
            case .relay: settings.relay = state
            case .proxy: settings.proxy = state
            case .friend: settings.friend = state
            default: break
            }
        }
    }

    /// `{ count: 3, interval: 20ms }`. The count is the number of transmissions, as in the configuration database
    /// format; it is one more than the retransmissions in messages.
    private mutating func decodeTransmit(_ field: MappingEntry) -> Located<TransmitParameters>? {
        let title = field.keyword == .networkTransmit ? "`network_transmit`" : "`relay_retransmit`"
        guard let fields = fields(field.value, .transmit, title, blamed: field.key) else { return nil }
        var count: Located<Int>?
        var steps: Located<UInt8>?
        for field in fields {
            switch field.keyword {
            case .count: count = scalar(field.value, "a number of transmissions", Self.transmissions)
            case .interval:
                steps = scalar(field.value, "an interval", Self.transmitInterval)
                if steps == nil { return nil }
            default: break
            }
        }
        guard let count else { return nil }
        if steps == nil, count.value > 1 {
            report("`interval` is missing", at: field.key, hint: "more than one transmission needs it: interval: 20ms")
            return nil
        }
        return TransmitParameters(count: UInt8(count.value - 1), steps: steps?.value ?? 0)
            .map { Located($0, at: location(field.key)) }
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

    private static func defaultTTL(_ text: String) throws(ScalarProblem) -> UInt8 {
        let ttl = try Numbers.decimal(text, in: 0...127, "a TTL")
        guard ttl != 1 else {
            throw ScalarProblem("the default TTL cannot be 1", hint: "it can be 0 or 2 to 127")
        }
        return UInt8(ttl)
    }

    private static func transmissions(_ text: String) throws(ScalarProblem) -> Int {
        try Numbers.decimal(text, in: 1...8, "a number of transmissions")
    }

    private static func transmitInterval(_ text: String) throws(ScalarProblem) -> UInt8 {
        try Durations.interval(text, step: 10)
    }
}
