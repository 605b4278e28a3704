/// A mapping with fixed keys: the keys that it may have and those that it must have. The decoder reads these tables,
/// and so does the test that compares them with the JSON Schema.
struct Record: Hashable, Sendable {
    /// The name of the mapping in messages and in the schema.
    let title: String
    /// The keys that it may have.
    let keys: [Keyword]
    /// The keys that it must have.
    let required: [Keyword]

    /// The same as ``keys``.
    let allowed: KeywordSet
    /// The same as ``required``.
    let needed: KeywordSet

    /// Whether the mapping may have the key with that symbol.
    func allows(_ symbol: UInt32) -> Bool { allowed.contains(symbol) }

    /// Whether keys that begin with `x-` are left alone: they hold anchors.
    var holdsAnchors: Bool { title == Record.definition.title || title == Record.module.title }
    /// The beginning of such a key.
    static let anchorPrefix = Array("x-".utf8)

    private init(_ title: String, _ keys: [Keyword], required: [Keyword] = []) {
        self.title = title
        self.keys = keys
        self.required = required
        allowed = KeywordSet(keys)
        needed = KeywordSet(required)
    }

    /// The whole document.
    static let definition = Record(
        "definition",
        [
            .version, .network, .title, .description, .limits, .provisioning, .subnets, .applicationKeys, .groups,
            .defaults, .profiles,
            .nodes, .subscriptions, .publications, .moved, .models, .scenes, .schedules, .timeZone, .checks, .tests,
            .modules, .use, .include, .variables, .values, .floors, .products,
        ]
    )
    /// A value of `modules`.
    static let module = Record("module", [.parameters, .description, .modules] + partsOfModules)
    /// A value of `parameters` or `variables` with more than a type or value.
    static let parameter = Record("parameter", [.type, .defaultValue, .description])
    /// An entry of `use`.
    static let use = Record("use", [.module, .repetition, .rows, .with, .override], required: [.module])
    /// The value of `override` in an entry of `use`.
    static let override = Record("override", [.groups, .profiles, .nodes])
    /// How much one plan may take away.
    static let limits = Record("limits", [.removals])
    /// What a network demands of the provisioning of devices.
    static let provisioningRules = Record("provisioning_rules", [.require])
    /// A value of `subnets`.
    static let subnet = Record("subnet", wording + [.index, .key, .protect])
    /// A value of `application_keys`.
    static let applicationKey = Record(
        "application_key",
        wording + [.subnet, .index, .key, .protect],
        required: [.subnet]
    )
    /// Where the octets of a key come from.
    static let keySource = Record("key_source", [.file, .environment])
    /// A value of `groups`.
    static let group = Record("group", wording + [.address, .label, .parent, .protect] + repeats)
    /// The value of `defaults`, or an entry of it.
    static let defaults = Record("defaults", [.nodes, .allowEmpty, .provisioning, .states] + inherited + states)
    /// A value of `profiles`.
    static let profile = Record("profile", [.repetition, .product, .provisioning] + inherited + settings)
    /// A value of `nodes`.
    static let node = Record(
        "node",
        wording + [.repetition, .uuid, .product, .profile, .address, .position, .provisioning] + inherited + settings
    )
    /// A value of `floors`.
    static let floor = Record("floor", [.title, .plan, .positions, .width, .height])
    /// Where a node is.
    static let position = Record("position", [.floor, .x, .y, .from], required: [.floor, .x, .y])
    /// The corner that a position counts from.
    static let corner = Record("corner", [.x, .y], required: [.x, .y])
    /// How the device of a node is provisioned.
    static let provisioning = Record(
        "provisioning",
        [.outOfBand, .staticValue, .publicKey, .algorithm, .attention, .via]
    )
    /// The same in a profile, without the parts that belong to one device.
    static let profileProvisioning = Record(
        "profile_provisioning",
        [.outOfBand, .algorithm, .attention, .via]
    )
    /// The node through which a device is provisioned.
    static let provisioningServer = Record("provisioning_server", [.node], required: [.node])
    /// Where the static value of a device comes from.
    static let staticSource = Record("static_source", [.file, .environment])
    /// Where the public key of a device comes from.
    static let publicKeySource = Record("public_key_source", [.file])
    /// The features of a node or profile.
    static let features = Record("features", [.relay, .proxy, .friend])
    /// Network Transmit and Relay Retransmit.
    static let transmit = Record("transmit", [.count, .interval], required: [.count])
    /// The repetition of published messages.
    static let retransmit = Record("retransmit", [.count, .interval], required: [.count])
    /// Heartbeats that a node sends and counts.
    static let heartbeat = Record("heartbeat", [.publish, .subscribe])
    /// Heartbeats that a node sends.
    static let heartbeatPublish = Record(
        "heartbeat_publish",
        [.to, .period, .count, .ttl, .features, .subnet],
        required: [.to, .ttl]
    )
    /// Heartbeats that a node counts.
    static let heartbeatSubscribe = Record(
        "heartbeat_subscribe",
        [.from, .to, .period],
        required: [.from, .period]
    )
    /// The SAR Transmitter state.
    static let sarTransmitter = Record(
        "sar_transmitter",
        [
            .segmentInterval, .unicastRetransmissions, .unicastRetransmissionsWithoutProgress,
            .unicastRetransmissionsInterval, .unicastRetransmissionsIntervalIncrement, .multicastRetransmissions,
            .multicastRetransmissionsInterval,
        ]
    )
    /// The SAR Receiver state.
    static let sarReceiver = Record(
        "sar_receiver",
        [
            .segmentsThreshold, .acknowledgmentDelayIncrement, .acknowledgmentRetransmissions,
            .receiverSegmentInterval, .discardTimeout,
        ]
    )
    /// The Private Beacon state with its interval.
    static let privateBeacon = Record("private_beacon", [.state, .randomUpdateInterval], required: [.state])
    /// The Subnet Bridge state with its table.
    static let subnetBridge = Record("subnet_bridge", [.state, .table])
    /// An entry of the bridging table.
    static let bridge = Record(
        "bridge",
        [.subnets, .addresses, .direction],
        required: [.subnets, .addresses, .direction]
    )
    /// A managed model.
    static let model = Record("model", [.keys, .subscribe, .publish, .states, .scenes])
    /// The publication of a managed model.
    static let publish = Record("publish", publishSettings, required: [.to])
    /// A value of `checks`.
    static let check = Record("check", [.nodes, .allowEmpty, .have, .forEach, .count, .severity])
    /// What a check demands of a node.
    static let requirement = Record(
        "requirement",
        [.tags, .profile, .features, .model, .keys, .subscribe, .publish]
    )
    /// How many nodes a check demands.
    static let checkCount = Record("check_count", [.atLeast, .atMost])
    /// A value of `schedules` that is no sentence.
    static let schedule = Record("schedule", [.when, .deed, .nodes, .allowEmpty], required: [.when, .deed, .nodes])
    /// A value of `tests` with more than steps.
    static let test = Record("test", [.forEach, .steps], required: [.steps])
    /// How the runs of a test differ.
    static let testVariation = Record("test_variation", [.without, .tag, .node, .nodes])
    /// A step of a test.
    static let testStep = Record(
        "test_step",
        [.press, .sense, .fault, .set, .recall, .powerOff, .powerOn, .wait, .within, .expect, .others]
    )
    /// An entry of `subscriptions`.
    static let subscription = Record(
        "subscription",
        [.groups, .models, .nodes, .element, .allowEmpty] + repeats,
        required: [.groups, .models, .nodes]
    )
    /// An entry of `publications`.
    static let publication = Record(
        "publication",
        [.node, .nodes, .model, .element, .allowEmpty] + repeats + publishSettings,
        required: [.model, .to]
    )
    /// An entry of `moved`.
    static let moved = Record("moved", [.from, .to], required: [.from, .to])

    /// A whole document with devices for simulations.
    static let deviceFile = Record("device_file", [.products, .devices])
    /// A value of `products`.
    static let product = Record(
        "product",
        [
            .company, .product, .version, .replayList, .sharedSubscriptionLists, .features, .elements,
            .composition, .compositionAfterUpdate, .provisioning, .quirks,
        ]
    )
    /// The `composition_after_update` of a product.
    static let updatedComposition = Record("updated_composition", [.version, .replayList, .features, .elements])
    /// An entry of the `elements` of a product.
    static let compositionElement = Record("composition_element", [.location, .models], required: [.models])
    /// The `provisioning` of a product.
    static let productProvisioning = Record(
        "product_provisioning",
        [.algorithms, .bearers, .staticValue, .output, .input, .requiresAuthentication, .outOfBandInformation, .uri]
    )
    /// How a device presents or accepts a value.
    static let outOfBandActions = Record("oob_actions", [.actions, .size], required: [.actions, .size])
    /// A value of `devices` in a file with devices for simulations.
    static let device = Record(
        "device",
        [.uuid, .product, .staticValue, .privateKey, .uri, .quirks],
        required: [.uuid, .product]
    )
    /// A whole document with secrets of devices.
    static let secretsFile = Record("secrets_file", [.devices])
    /// A value of `devices` in a file with secrets.
    static let deviceSecrets = Record("device_secrets", [.staticValue, .publicKey])
    /// An entry of `devices` in a file with secrets, if it is a list.
    static let listedSecrets = Record("listed_secrets", [.uuid, .staticValue, .publicKey], required: [.uuid])

    /// A whole document with vendor models.
    static let modelsFile = Record("models_file", [.models], required: [.models])
    /// A value of `models` in such a file.
    static let vendorModel = Record(
        "vendor_model",
        [.company, .model, .client, .types, .messages, .states],
        required: [.company, .model, .messages]
    )
    /// A value of `messages`.
    static let vendorMessage = Record(
        "vendor_message",
        [.opcode, .direction, .answer, .fields],
        required: [.opcode]
    )
    /// A value of the `states` of a vendor model.
    static let vendorState = Record("vendor_state", [.get, .set, .unacknowledged, .lasting], required: [.get])

    /// All records of files with vendor models.
    static let allOfModels = [modelsFile, vendorModel, vendorMessage, vendorState]

    /// All records of files with devices for simulations.
    static let allOfDevices = [
        deviceFile, product, updatedComposition, compositionElement, productProvisioning, outOfBandActions, device,
    ]

    /// All records of definitions.
    static let all = [
        definition, limits, provisioningRules, subnet, applicationKey, keySource, group, defaults, profile, node,
        provisioning, profileProvisioning, provisioningServer, staticSource, publicKeySource, features, transmit,
        retransmit, heartbeat,
        heartbeatPublish, heartbeatSubscribe, sarTransmitter, sarReceiver, privateBeacon, subnetBridge, bridge, model,
        publish, subscription, publication, moved, schedule, check, requirement, checkCount, test, testVariation,
        testStep,
        module, parameter, use, override, floor, position, corner,
    ]

    /// What belongs to no network, but to all of a run.
    static let servingAllNetworks = KeywordSet([.models, .products, .modules, .variables, .values])

    /// What the body of a module may hold.
    static let partsOfModules: [Keyword] = [
        .subnets, .applicationKeys, .groups, .defaults, .profiles, .nodes, .subscriptions, .publications, .moved,
        .scenes, .schedules, .checks, .tests, .use, .floors,
    ]
    /// What is said for people.
    private static let wording: [Keyword] = [.title, .description]
    /// What nodes inherit beside settings.
    private static let inherited: [Keyword] = [.tags, .protect, .onRemove]
    /// Ways to say an entry once and mean several.
    private static let repeats: [Keyword] = [.repetition, .each]

    /// Settings of nodes as a whole.
    private static let states: [Keyword] = [
        .ttl, .features, .secureNetworkBeacon, .networkTransmit, .relayRetransmit, .subnets, .applicationKeys,
        .heartbeat, .nodeIdentity, .sarTransmitter, .sarReceiver, .privateBeacon, .privateGATTProxy,
        .onDemandPrivateProxy, .privateNodeIdentity, .subnetBridge,
    ]
    private static let settings: [Keyword] = states + [.nlc, .elements]
    private static let publishSettings: [Keyword] = [
        .to, .key, .ttl, .period, .retransmit, .friendshipCredentials,
    ]
}
