import DefinitionModel
import MeshCore

/// The settings that nodes, profiles and defaults share, without elements.
extension NodeSettings {
    /// Their keys in the order in which they are written.
    static let fields: [Field<NodeSettings>] =
        general + [
            .custom(.heartbeat, .ref("heartbeat")) { decoder, entry, settings in
                decoder.decodeHeartbeat(entry, into: &settings)
            } written: { settings in
                settings.heartbeat
            },
            .identity(.nodeIdentity, isPrivate: false),
            .state(.sarTransmitter, .ref("sar_transmitter")) { decoder, entry in
                var state = SARTransmitterState.standard
                let isRead = decoder.decode(entry.value, SARTransmitterState.mapping, blamed: entry.key, into: &state)
                return isRead ? Located(.sarTransmitter(state), at: decoder.location(entry.key)) : nil
            } written: { state in
                if case .sarTransmitter(let state) = state { SARTransmitterState.mapping.value(state) } else { nil }
            },
            .state(.sarReceiver, .ref("sar_receiver")) { decoder, entry in
                var state = SARReceiverState.standard
                let isRead = decoder.decode(entry.value, SARReceiverState.mapping, blamed: entry.key, into: &state)
                return isRead ? Located(.sarReceiver(state), at: decoder.location(entry.key)) : nil
            } written: { state in
                if case .sarReceiver(let state) = state { SARReceiverState.mapping.value(state) } else { nil }
            },
            .state(
                .privateBeacon,
                .anyOf([.ref("switch"), .ref("private_beacon")]),
                "Whether the node sends Mesh Private beacons, and how they change."
            ) { decoder, entry in
                decoder.decodePrivateBeacon(entry)
            } written: { state in
                guard case .privateBeacon(let state) = state else { return nil }
                return state.randomUpdateIntervalSteps == nil
                    ? .state(state.isEnabled) : PrivateBeaconState.mapping.value(state)
            },
            .state(
                .privateGATTProxy,
                Scalars.onOff.schema,
                "Whether the node is a proxy that hides which one it is; needs `proxy: off`."
            ) { decoder, entry in
                decoder.scalar(entry.value, Scalars.onOff).map { Located(.privateGATTProxy($0.value), at: $0.location) }
            } written: { state in
                if case .privateGATTProxy(let isOn) = state { .state(isOn) } else { nil }
            },
            .state(
                .onDemandPrivateProxy,
                .anyOf([.ref("off"), .ref("duration")]),
                """
                For how long the node advertises as a private proxy when it is solicited: 1s to 255s, or off.
                """
            ) { decoder, entry in
                decoder.scalar(entry.value, "a duration or off", Durations.onDemandPrivateProxy)
                    .map { Located(.onDemandPrivateProxy(seconds: $0.value), at: $0.location) }
            } written: { state in
                guard case .onDemandPrivateProxy(let time) = state else { return nil }
                return time == 0 ? .state(false) : .word("\(time)s")
            },
            .identity(
                .privateNodeIdentity,
                isPrivate: true,
                "Subnets whose private node identity is not advertised."
            ),
            .custom(
                .subnetBridge,
                .anyOf([.ref("switch"), .ref("subnet_bridge")]),
                "Whether the node is a bridge between subnets, and for whom."
            ) { decoder, entry, settings in
                decoder.decodeSubnetBridge(entry, into: &settings)
            } written: { settings in
                let parts = subnetBridge.written(settings)
                return settings.bridgingTable == nil ? parts.first?.value : .fields(parts)
            },
        ]

    private static let general: [Field<NodeSettings>] = [
        .names(
            .subnets,
            \.subnets,
            "a list of subnets",
            "Subnets whose NetKeys the node has beyond those that its application keys need."
        ),
        .names(
            .applicationKeys,
            \.applicationKeys,
            "a list of application keys",
            "Application keys that the node has beyond those that its models need."
        ),
        .scalar(
            .ttl,
            \.defaultTTL,
            Scalars.defaultTTL,
            "The default TTL of messages that the node sends: 0 or 2 to 127."
        ),
        .part(.features, .features(\.relay, \.proxy, \.friend)),
        .scalar(
            .secureNetworkBeacon,
            \.secureNetworkBeacon,
            Scalars.onOff,
            "Whether the node sends secure network beacons."
        ),
        .transmit(.networkTransmit, \.networkTransmit, "How often the node sends each network PDU that it originates."),
        .transmit(.relayRetransmit, \.relayRetransmit, "How often the node sends each network PDU that it relays."),
        .custom(
            .nlc,
            ["type": "array", "items": Scalars.lightingProfile.schema, "uniqueItems": true],
            """
            Profiles of Networked Lighting Control that the node is meant to fulfil; what speaks against it is a \
            warning.
            """
        ) { decoder, entry, settings in
            settings.lightingProfiles = decoder.decodeLightingProfiles(entry.value)
        } written: { settings in
            settings.lightingProfiles.map { .texts($0.value.map(\.value.word)) }
        },
    ]
}

extension MappingType {
    /// What is said of an owner, as a mapping.
    func value(_ owner: Owner) -> DefinitionValue { .fields(written(owner)) }

    /// Features that are on or off.
    static func features(
        _ relay: any WritableKeyPath<Owner, Located<Bool>?> & Sendable,
        _ proxy: any WritableKeyPath<Owner, Located<Bool>?> & Sendable,
        _ friend: any WritableKeyPath<Owner, Located<Bool>?> & Sendable
    ) -> MappingType {
        MappingType(
            "features",
            as: "a mapping of features",
            "Features to switch on or off; what is left out is not managed.",
            isOptional: true,
            [
                .scalar(.relay, relay, Scalars.onOff),
                .scalar(.proxy, proxy, Scalars.onOff),
                .scalar(.friend, friend, Scalars.onOff),
            ]
        )
    }
}

// MARK: - How often something is sent

/// How often something is sent, as a definition says it.
struct Transmissions: Sendable {
    /// A number of transmissions or of repetitions.
    var count: UInt8 = 0
    /// The steps between them, counted from 0; nil if they are left out.
    var steps: UInt8?

    /// Network Transmit and Relay Retransmit. The count is the number of transmissions, as in the configuration
    /// database format; it is one more than the retransmissions in messages.
    static let ofPDUs = MappingType<Transmissions>(
        "transmit",
        as: "`network_transmit`",
        "How often a network PDU is sent.",
        isStrict: true,
        [
            .plain(
                .count,
                \.count,
                Scalars.number(1...8, "a number of transmissions", pattern: "^[1-8]$"),
                "Transmissions in total, 1 to 8.",
                isRequired: true
            ),
            .optional(
                .interval,
                \.steps,
                Scalars.interval(step: 10),
                """
                Time between transmissions, 10ms to 320ms in steps of 10ms; needed for more than one \
                transmission.
                """
            ),
        ]
    )

    /// The repetition of published messages. The count is the number of retransmissions, as in messages and in the
    /// configuration database format.
    static let ofMessages = MappingType<Transmissions>(
        "retransmit",
        as: "`retransmit`",
        "How often a published message is repeated.",
        isStrict: true,
        [
            .plain(
                .count,
                \.count,
                Scalars.number(0...7, "a number of retransmissions", pattern: "^[0-7]$"),
                "Repetitions after the first message, 0 to 7.",
                isRequired: true
            ),
            .optional(
                .interval,
                \.steps,
                Scalars.interval(step: 50),
                "Time between repetitions, 50ms to 1.6s in steps of 50ms; needed for any repetition."
            ),
        ]
    )
}

extension Field {
    fileprivate static func transmit(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Owner, Located<TransmitParameters>?> & Sendable,
        _ documentation: String
    ) -> Field {
        let title = "`\(keyword.rawValue)`"
        return .custom(keyword, .ref("transmit"), documentation) { decoder, entry, owner in
            var value = Transmissions()
            guard decoder.decode(entry.value, Transmissions.ofPDUs, as: title, blamed: entry.key, into: &value) else {
                return
            }
            if value.steps == nil, value.count > 1 {
                let hint = "more than one transmission needs it: interval: 20ms"
                return decoder.report("`interval` is missing", at: entry.key, hint: hint)
            }
            owner[keyPath: path] = TransmitParameters(count: value.count - 1, steps: value.steps ?? 0)
                .map { Located($0, at: decoder.location(entry.key)) }
        } written: { owner in
            owner[keyPath: path].map { .transmit($0.value) }
        }
    }
}

// MARK: - States of the foundation models

extension Field where Owner == NodeSettings {
    /// A state of a foundation model.
    fileprivate static func state(
        _ keyword: Keyword,
        _ schema: Schema,
        _ documentation: String? = nil,
        decode: @escaping @Sendable (inout DocumentDecoder, MappingEntry) -> Located<StateDefinition>?,
        written: @escaping @Sendable (StateDefinition) -> DefinitionValue?
    ) -> Field {
        .custom(keyword, schema, documentation) { decoder, entry, settings in
            if let state = decode(&decoder, entry) { settings.states.append(state) }
        } written: { settings in
            settings.states.lazy.compactMap { written($0.value) }.first
        }
    }

    /// `{ building: off }`, with an entry for each subnet.
    fileprivate static func identity(
        _ keyword: Keyword,
        isPrivate: Bool,
        _ documentation: String? = nil
    ) -> Field {
        .custom(keyword, .ref("node_identity"), documentation) { decoder, entry, settings in
            for (subnet, location) in decoder.decodeNodeIdentity(entry) {
                settings.states.append(
                    Located(
                        isPrivate ? .privateNodeIdentityOff(subnet: subnet) : .nodeIdentityOff(subnet: subnet),
                        at: location
                    )
                )
            }
        } written: { settings in
            let subnets = settings.states.compactMap { state in
                switch state.value {
                case .nodeIdentityOff(let subnet) where !isPrivate: subnet.value
                case .privateNodeIdentityOff(let subnet) where isPrivate: subnet.value
                default: nil
                }
            }
            guard !subnets.isEmpty else { return nil }
            return .fields(subnets.map { DefinitionValue.Field(DefinitionValue.quotedIfNeeded($0), .state(false)) })
        }
    }
}

extension SARTransmitterState {
    /// `sar_transmitter`. Omitted parts get the value of the specification (Mesh Protocol 1.1, 4.2.48).
    static let mapping = MappingType<SARTransmitterState>(
        "sar_transmitter",
        as: "`sar_transmitter`",
        "The SAR Transmitter state; what is left out has the specification's value.",
        isOptional: true,
        isStrict: true,
        [
            .plain(
                .segmentInterval,
                \.segmentIntervalStep,
                interval(10),
                "Time between segments, 10ms to 160ms in steps of 10ms; 60ms if left out."
            ),
            .plain(
                .unicastRetransmissions,
                \.unicastRetransmissionsCount,
                count,
                "Retransmissions of segments to a unicast address, 0 to 15; 2 if left out."
            ),
            .plain(
                .unicastRetransmissionsWithoutProgress,
                \.unicastRetransmissionsWithoutProgressCount,
                count,
                "Retransmissions without a new acknowledgment, 0 to 15; 2 if left out."
            ),
            .plain(
                .unicastRetransmissionsInterval,
                \.unicastRetransmissionsIntervalStep,
                interval(25),
                "Time between those, 25ms to 400ms in steps of 25ms; 200ms if left out."
            ),
            .plain(
                .unicastRetransmissionsIntervalIncrement,
                \.unicastRetransmissionsIntervalIncrement,
                interval(25),
                """
                What it is longer for each further hop of the TTL, 25ms to 400ms in steps of 25ms; 50ms if left \
                out.
                """
            ),
            .plain(
                .multicastRetransmissions,
                \.multicastRetransmissionsCount,
                count,
                "Retransmissions of segments to a group, 0 to 15; 2 if left out."
            ),
            .plain(
                .multicastRetransmissionsInterval,
                \.multicastRetransmissionsIntervalStep,
                interval(25),
                "Time between those, 25ms to 400ms in steps of 25ms; 250ms if left out."
            ),
        ]
    )

    private static let title = "a value of the SAR Transmitter state"
    private static let count: ScalarType<UInt8> = Scalars.number(0...15, "a number of retransmissions", as: title)

    private static func interval(_ step: Int) -> ScalarType<UInt8> {
        Scalars.interval(step: step, count: 16, as: title)
    }
}

extension SARReceiverState {
    /// `sar_receiver`. Omitted parts get the value of the specification (Mesh Protocol 1.1, 4.2.49).
    static let mapping = MappingType<SARReceiverState>(
        "sar_receiver",
        as: "`sar_receiver`",
        "The SAR Receiver state; what is left out has the specification's value.",
        isOptional: true,
        isStrict: true,
        [
            .plain(
                .segmentsThreshold,
                \.segmentsThreshold,
                number(31, "a number of segments"),
                "Acknowledgments are repeated for messages with more segments, 0 to 31; 3 if left out."
            ),
            .plain(
                .acknowledgmentDelayIncrement,
                \.acknowledgmentDelayIncrement,
                number(7, "a number of segment intervals"),
                "Segment intervals beyond 1.5 until an acknowledgment, 0 to 7; 1 if left out."
            ),
            .plain(
                .acknowledgmentRetransmissions,
                \.acknowledgmentRetransmissionsCount,
                number(3, "a number of retransmissions"),
                "Repetitions of acknowledgments, 0 to 3; 0 if left out."
            ),
            .plain(
                .receiverSegmentInterval,
                \.receiverSegmentIntervalStep,
                interval(10),
                """
                The interval between segments that is reckoned with, 10ms to 160ms in steps of 10ms; 60ms if \
                left out.
                """
            ),
            .plain(
                .discardTimeout,
                \.discardTimeout,
                interval(5000),
                "Time after which an incomplete message is given up, 5s to 80s in steps of 5s; 10s if left out."
            ),
        ]
    )

    private static let title = "a value of the SAR Receiver state"

    private static func number(_ greatest: Int, _ noun: String) -> ScalarType<UInt8> {
        Scalars.number(0...greatest, noun, as: title)
    }

    private static func interval(_ step: Int) -> ScalarType<UInt8> {
        Scalars.interval(step: step, count: 16, as: title)
    }
}

extension PrivateBeaconState {
    /// `private_beacon`, unless it is a word.
    static let mapping = MappingType<PrivateBeaconState>(
        "private_beacon",
        as: "`private_beacon`",
        "Mesh Private beacons.",
        isStrict: true,
        [
            .plain(
                .state,
                \.isEnabled,
                Scalars.onOff,
                "Whether the node sends Mesh Private beacons.",
                isRequired: true
            ),
            .optional(
                .randomUpdateInterval,
                \.randomUpdateIntervalSteps,
                Scalars.randomUpdateInterval,
                """
                How often their random changes: 10s to 2550s in steps of 10s, or 0s for with every beacon. Left \
                out, as it is.
                """
            ),
        ]
    )
}

extension DocumentDecoder {
    /// The subnets of `{ building: off }`, each with the place of its value.
    fileprivate mutating func decodeNodeIdentity(
        _ field: MappingEntry
    ) -> [(subnet: Located<String>, location: SourceLocation)] {
        var subnets: [(subnet: Located<String>, location: SourceLocation)] = []
        for entry in entries(field.value, "a mapping of subnets") ?? [] {
            guard let subnet = scalar(entry.key, "the name of a subnet", Words.name) else { continue }
            guard let isOn = scalar(entry.value, "off", Words.boolean) else { continue }
            guard !isOn.value else {
                report(
                    "a node advertises its identity for one minute only, so it cannot stay on",
                    at: entry.value,
                    hint: "write off, or leave the subnet out"
                )
                continue
            }
            subnets.append((subnet, isOn.location))
        }
        return subnets
    }

    /// `on`, `off`, or `{ state: on, random_update_interval: 10s }`.
    fileprivate mutating func decodePrivateBeacon(_ entry: MappingEntry) -> Located<StateDefinition>? {
        var state = PrivateBeaconState(isEnabled: false)
        guard tree.nodes[entry.value].kind == .mapping else {
            guard let isOn = scalar(entry.value, "on, off or a mapping", Words.boolean) else { return nil }
            state.isEnabled = isOn.value
            return Located(.privateBeacon(state), at: isOn.location)
        }
        guard decode(entry.value, PrivateBeaconState.mapping, blamed: entry.key, into: &state) else { return nil }
        return Located(.privateBeacon(state), at: location(entry.key))
    }

    /// `nlc`: the short names of profiles, each once.
    fileprivate mutating func decodeLightingProfiles(_ node: Int) -> Located<[Located<NLCProfile>]>? {
        guard let items = list(node, "a list of profiles of Networked Lighting Control") else { return nil }
        var profiles: [Located<NLCProfile>] = []
        for item in items {
            guard let profile = scalar(item, Scalars.lightingProfile) else { continue }
            guard !profiles.contains(where: { $0.value == profile.value }) else {
                report("\(quoted(profile.value.word)) occurs twice in this list", at: item, severity: .warning)
                continue
            }
            profiles.append(profile)
        }
        return Located(profiles, at: location(node))
    }
}

// MARK: - Subnet bridges

extension NodeSettings {
    /// `subnet_bridge`, unless it is a word.
    static let subnetBridge = MappingType<NodeSettings>(
        "subnet_bridge",
        as: "`subnet_bridge`",
        "The Subnet Bridge.",
        isOptional: true,
        [
            .state(.state, Scalars.onOff.schema, "Whether the node passes messages between subnets.") {
                decoder,
                entry in
                decoder.scalar(entry.value, Scalars.onOff).map { Located(.subnetBridge($0.value), at: $0.location) }
            } written: { state in
                if case .subnetBridge(let isOn) = state { .state(isOn) } else { nil }
            },
            .custom(
                .table,
                .list(of: .ref("bridge")),
                "The entries of the bridging table: these and no others."
            ) { decoder, entry, settings in
                guard let entries = decoder.list(entry.value, "a list of entries") else { return }
                let table = entries.compactMap { decoder.decodeBridge($0) }
                // If an entry cannot be read, the others must not pass for the whole table.
                guard table.count == entries.count else { return }
                settings.bridgingTable = Located(table, at: decoder.location(entry.key))
            } written: { settings in
                settings.bridgingTable.map { .list($0.value.map { BridgeDefinition.mapping.value($0) }) }
            },
        ]
    )
}

extension BridgeDefinition {
    static let mapping = MappingType<BridgeDefinition>(
        "bridge",
        as: "an entry of the table",
        "An entry of the bridging table.",
        [
            .pair(
                .subnets,
                \.subnets,
                "two subnets",
                Scalars.name(of: "a subnet"),
                isUnique: true,
                "The subnets of the first and of the second address."
            ),
            .pair(
                .addresses,
                \.addresses,
                "two addresses",
                Scalars.target("a node, group or address"),
                isUnique: false,
                """
                Who sends in the first subnet, and who receives in the second: a node or, one way, a group.
                """
            ),
            .plain(
                .direction,
                \.directions,
                Scalars.direction,
                "one_way from the first to the second address, or both.",
                isRequired: true
            ),
        ]
    )
}

extension Field {
    /// A list of exactly two scalars.
    fileprivate static func pair<Value>(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Owner, [Located<Value>]> & Sendable,
        _ expected: String,
        _ type: ScalarType<Value>,
        isUnique: Bool,
        _ documentation: String
    ) -> Field {
        let list: Schema = ["type": "array", "items": type.schema, "minItems": 2, "maxItems": 2]
        let unique = isUnique ? [Schema.Member(name: "uniqueItems", value: true)] : []
        let schema = Schema.object(list.members + unique)
        return .vital(keyword, schema, documentation, isRequired: true) { decoder, entry, owner in
            guard let entries = decoder.list(entry.value, expected) else { return false }
            var values: [Located<Value>] = []
            for entry in entries {
                guard let value = decoder.scalar(entry, type) else { return false }
                values.append(value)
            }
            guard values.count == 2 else {
                decoder.report("\(expected) are expected here, not \(values.count)", at: entry.value)
                return false
            }
            owner[keyPath: path] = values
            return true
        } written: { owner in
            .list(owner[keyPath: path].compactMap { type.spell($0.value) })
        }
    }
}

extension DocumentDecoder {
    /// `on`, `off`, or `{ state: on, table: […] }`.
    fileprivate mutating func decodeSubnetBridge(_ entry: MappingEntry, into settings: inout NodeSettings) {
        guard tree.nodes[entry.value].kind == .mapping else {
            guard let isOn = scalar(entry.value, "on, off or a mapping", Words.boolean) else { return }
            settings.states.append(Located(.subnetBridge(isOn.value), at: isOn.location))
            return
        }
        _ = decode(entry.value, NodeSettings.subnetBridge, blamed: entry.key, into: &settings)
    }

    fileprivate mutating func decodeBridge(_ node: Int) -> BridgeDefinition? {
        var bridge = BridgeDefinition(subnets: [], addresses: [], directions: .oneWay, location: location(node))
        guard decode(node, BridgeDefinition.mapping, blamed: node, into: &bridge) else { return nil }
        if bridge.subnets[0].value == bridge.subnets[1].value {
            report(
                "a bridge joins two different subnets",
                at: node,
                hint: "messages within \(quoted(bridge.subnets[0].value)) need no bridge"
            )
            return nil
        }
        return bridge
    }
}
