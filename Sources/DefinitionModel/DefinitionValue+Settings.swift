package import MeshCore

/// The settings of nodes, profiles and defaults as text of a definition. The reader of definitions gives the words
/// their meaning.
extension DefinitionValue {
    /// `{ count: 3, interval: 20ms }`; a single transmission has no interval.
    package static func transmit(_ transmit: TransmitParameters) -> DefinitionValue {
        repetition(transmit.transmissions, transmit.count > 0 ? transmit.intervalMilliseconds : nil)
    }

    private static func repetition(_ count: Int, _ milliseconds: Int?) -> DefinitionValue {
        var fields = [Field("count", .word("\(count)"))]
        if let milliseconds { fields.append(Field("interval", duration(milliseconds))) }
        return .fields(fields)
    }

    private static func duration(_ milliseconds: Int) -> DefinitionValue {
        .word(DurationText.text(milliseconds: milliseconds))
    }

    private static func seconds(_ seconds: Int) -> DefinitionValue { .word("\(seconds)s") }

    /// A group, a node, `node/1` or an address.
    package static func target(_ target: PublishTarget) -> DefinitionValue {
        switch target {
        case .name(let name): .text(name)
        case .element(let node, let index): .word("\(node)/\(index)")
        case .address(let address): .word(address.description)
        }
    }

    /// `{ to: kitchen, key: lighting }`, or `none`.
    package static func publication(_ settings: PublishSettings?) -> DefinitionValue {
        settings.map { .fields(publicationFields($0)) } ?? .word("none")
    }

    /// The entries of a publication.
    package static func publicationFields(_ settings: PublishSettings) -> [Field] {
        var fields = [Field("to", target(settings.target.value))]
        if let key = settings.key { fields.append(Field("key", .text(key.value))) }
        if let ttl = settings.ttl { fields.append(Field("ttl", .word("\(ttl.value)"))) }
        if let period = settings.period { fields.append(Field("period", duration(period.value.milliseconds))) }
        if let retransmit = settings.retransmit?.value {
            fields.append(
                Field(
                    "retransmit",
                    repetition(Int(retransmit.count), retransmit.count > 0 ? retransmit.intervalMilliseconds : nil)
                )
            )
        }
        if let friendship = settings.usesFriendshipCredentials {
            fields.append(Field("friendship_credentials", state(friendship.value)))
        }
        return fields
    }

    /// `{ keys: [lighting], subscribe: [kitchen], publish: none }`; holds only the states that are managed.
    package static func model(_ model: ModelDefinition) -> DefinitionValue {
        var fields: [Field] = []
        if let keys = model.keys { fields.append(Field("keys", names(keys))) }
        if let groups = model.subscribe { fields.append(Field("subscribe", names(groups))) }
        if let publish = model.publish { fields.append(Field("publish", publication(publish.value))) }
        if let states = model.states { fields.append(Field("states", modelStates(states.value.map(\.value)))) }
        if !model.scenes.isEmpty {
            let scenes = model.scenes.map {
                Field(quotedIfNeeded($0.scene.value), modelStates($0.states.map(\.value)))
            }
            fields.append(Field("scenes", .fields(scenes)))
        }
        return .fields(fields)
    }

    private static func names(_ list: Located<[Located<String>]>) -> DefinitionValue {
        texts(list.value.map(\.value))
    }

    /// The entries of a node, a profile or the defaults, without the elements.
    package static func stateFields(_ settings: NodeSettings) -> [Field] {
        var fields: [Field] = []
        if let list = settings.subnets { fields.append(Field("subnets", names(list))) }
        if let list = settings.applicationKeys { fields.append(Field("application_keys", names(list))) }
        if let ttl = settings.defaultTTL { fields.append(Field("ttl", .word("\(ttl.value)"))) }
        let features = [("relay", settings.relay), ("proxy", settings.proxy), ("friend", settings.friend)]
            .compactMap { name, isOn in isOn.map { Field(name, state($0.value)) } }
        if !features.isEmpty { fields.append(Field("features", .fields(features))) }
        if let beacon = settings.secureNetworkBeacon {
            fields.append(Field("secure_network_beacon", state(beacon.value)))
        }
        if let value = settings.networkTransmit { fields.append(Field("network_transmit", transmit(value.value))) }
        if let value = settings.relayRetransmit { fields.append(Field("relay_retransmit", transmit(value.value))) }
        if let profiles = settings.lightingProfiles {
            fields.append(Field("nlc", texts(profiles.value.map(\.value.word))))
        }
        return fields + foundationFields(settings)
    }

    /// `{ light-lightness-server: { range: [5%, 100%] } }`: the states of models wherever they are.
    package static func modelStates(of models: [ModelDefinition]) -> DefinitionValue {
        .fields(models.map { Field($0.identifier.value.name, modelStates($0.states?.value.map(\.value) ?? [])) })
    }

    /// The entry of the elements; nil if there are none.
    ///
    /// - Parameter isSection: whether each element and each model has a line of its own.
    package static func elements(_ elements: [UInt8: ElementDefinition], isSection: Bool) -> Field? {
        guard !elements.isEmpty else { return nil }
        let fields = elements.keys.sorted().map { index in
            let models = elements[index]?.models ?? []
            let entries = models.map { Field($0.identifier.value.name, model($0)) }
            return Field("\(index)", isSection ? .section(entries) : .fields(entries))
        }
        return Field("elements", isSection ? .section(fields) : .fields(fields))
    }

    // MARK: States of the foundation models

    private static func foundationFields(_ settings: NodeSettings) -> [Field] {
        var heartbeat: [Field] = []
        var identities: [Field] = []
        var privateIdentities: [Field] = []
        var others: [Field] = []
        var bridge: [Field] = []
        var isBridge: Bool?
        for definition in settings.states {
            switch definition.value {
            case .heartbeatPublication(let publish): heartbeat.append(Field("publish", self.heartbeat(publish)))
            case .heartbeatSubscription(let subscribe):
                heartbeat.append(Field("subscribe", self.heartbeat(subscribe)))
            case .nodeIdentityOff(let subnet): identities.append(Field(key(subnet), state(false)))
            case .privateNodeIdentityOff(let subnet): privateIdentities.append(Field(key(subnet), state(false)))
            case .sarTransmitter(let value): others.append(Field("sar_transmitter", sarTransmitter(value)))
            case .sarReceiver(let value): others.append(Field("sar_receiver", sarReceiver(value)))
            case .privateBeacon(let value): others.append(Field("private_beacon", privateBeacon(value)))
            case .privateGATTProxy(let isOn): others.append(Field("private_gatt_proxy", state(isOn)))
            case .onDemandPrivateProxy(let time):
                others.append(Field("on_demand_private_proxy", time == 0 ? state(false) : seconds(Int(time))))
            case .subnetBridge(let isOn):
                isBridge = isOn
                bridge.append(Field("state", state(isOn)))
            }
        }
        var fields: [Field] = []
        if !heartbeat.isEmpty { fields.append(Field("heartbeat", .fields(heartbeat))) }
        if !identities.isEmpty { fields.append(Field("node_identity", .fields(identities))) }
        fields += others
        if !privateIdentities.isEmpty { fields.append(Field("private_node_identity", .fields(privateIdentities))) }
        if let table = settings.bridgingTable {
            bridge.append(Field("table", .list(table.value.map(self.bridge))))
            fields.append(Field("subnet_bridge", .fields(bridge)))
        } else if let isBridge {
            fields.append(Field("subnet_bridge", state(isBridge)))
        }
        return fields
    }

    private static func key(_ name: Located<String>) -> String { quotedIfNeeded(name.value) }

    private static func heartbeat(_ settings: HeartbeatPublishSettings?) -> DefinitionValue {
        guard let settings else { return state(false) }
        var fields = [Field("to", target(settings.target.value))]
        if settings.period != .off {
            fields.append(Field("period", period(settings.period)))
            fields.append(Field("count", .word(settings.count.count.map { "\($0)" } ?? "infinite")))
        }
        fields.append(Field("ttl", .word("\(settings.ttl)")))
        if !settings.features.isEmpty {
            fields.append(
                Field("features", .list(featureNames.filter { settings.features.contains($1) }.map { .word($0.0) }))
            )
        }
        if let subnet = settings.subnet { fields.append(Field("subnet", .text(subnet.value))) }
        return .fields(fields)
    }

    private static func heartbeat(_ settings: HeartbeatSubscribeSettings?) -> DefinitionValue {
        guard let settings else { return state(false) }
        var fields = [Field("from", target(settings.source.value))]
        if let destination = settings.destination { fields.append(Field("to", target(destination.value))) }
        fields.append(Field("period", period(settings.period)))
        return .fields(fields)
    }

    /// The longest period counts as 65,535 s. It is written as 65,536, the power of two that it stands for.
    private static func period(_ period: HeartbeatPeriodLog) -> DefinitionValue {
        seconds(period.seconds == 65_535 ? 65_536 : Int(period.seconds))
    }

    /// Features and the words that definitions use for them.
    package static let featureNames: [(name: String, feature: FeatureSet)] = [
        ("relay", .relay), ("proxy", .proxy), ("friend", .friend), ("low_power", .lowPower),
    ]

    private static func privateBeacon(_ value: PrivateBeaconState) -> DefinitionValue {
        guard let steps = value.randomUpdateIntervalSteps else { return state(value.isEnabled) }
        return .fields([
            Field("state", state(value.isEnabled)), Field("random_update_interval", seconds(Int(steps) * 10)),
        ])
    }

    private static func bridge(_ entry: BridgeDefinition) -> DefinitionValue {
        .fields([
            Field("subnets", texts(entry.subnets.map(\.value))),
            Field("addresses", .list(entry.addresses.map { target($0.value) })),
            Field("direction", .word(entry.directions == .bothWays ? "both" : "one_way")),
        ])
    }

    private static func sarTransmitter(_ value: SARTransmitterState) -> DefinitionValue {
        .fields([
            Field("segment_interval", steps(value.segmentIntervalStep, of: 10)),
            Field("unicast_retransmissions", .word("\(value.unicastRetransmissionsCount)")),
            Field(
                "unicast_retransmissions_without_progress",
                .word("\(value.unicastRetransmissionsWithoutProgressCount)")
            ),
            Field("unicast_retransmissions_interval", steps(value.unicastRetransmissionsIntervalStep, of: 25)),
            Field(
                "unicast_retransmissions_interval_increment",
                steps(value.unicastRetransmissionsIntervalIncrement, of: 25)
            ),
            Field("multicast_retransmissions", .word("\(value.multicastRetransmissionsCount)")),
            Field("multicast_retransmissions_interval", steps(value.multicastRetransmissionsIntervalStep, of: 25)),
        ])
    }

    private static func sarReceiver(_ value: SARReceiverState) -> DefinitionValue {
        .fields([
            Field("segments_threshold", .word("\(value.segmentsThreshold)")),
            Field("acknowledgment_delay_increment", .word("\(value.acknowledgmentDelayIncrement)")),
            Field("acknowledgment_retransmissions", .word("\(value.acknowledgmentRetransmissionsCount)")),
            Field("receiver_segment_interval", steps(value.receiverSegmentIntervalStep, of: 10)),
            Field("discard_timeout", steps(value.discardTimeout, of: 5000)),
        ])
    }

    /// The duration of an interval of `steps` + 1 units of `milliseconds`.
    private static func steps(_ steps: UInt8, of milliseconds: Int) -> DefinitionValue {
        duration((Int(steps) + 1) * milliseconds)
    }
}
