import DefinitionModel
import MeshCore

extension HeartbeatPublishSettings {
    /// Heartbeats that a node sends.
    static let mapping = MappingType<HeartbeatPublishSettings>(
        "heartbeat_publish",
        as: "a heartbeat publication",
        "Heartbeats that the node sends: periodically, when features are switched, or both.",
        isStrict: true,
        [
            .required(.to, \.target, Scalars.target("a group, node or address")),
            .plain(
                .period,
                \.period,
                Scalars.heartbeatPeriod,
                """
                How often: a power of two of seconds, 1s to 65536s; left out, only when features are switched.
                """
            ),
            .plain(
                .count,
                \.count,
                Scalars.heartbeatCount,
                """
                How many are sent periodically: a power of two up to 32768, 65534, or infinite. Left out, \
                infinite.
                """
            ),
            .plain(.ttl, \.ttl, Scalars.ttl, "The TTL of heartbeats, 0 to 127.", isRequired: true),
            .vital(
                .features,
                ["type": "array", "items": Scalars.feature.schema, "uniqueItems": true],
                "Features that send a heartbeat when they are switched."
            ) { decoder, entry, settings in
                guard let entries = decoder.list(entry.value, "a list of features") else { return false }
                for entry in entries {
                    guard let feature = decoder.scalar(entry, Scalars.feature) else { return false }
                    settings.features.insert(feature.value)
                }
                return true
            } written: { settings in
                let features = DefinitionValue.featureNames.filter { settings.features.contains($0.feature) }
                return features.isEmpty ? nil : .list(features.map { .word($0.name) })
            },
            .scalar(
                .subnet,
                \.subnet,
                Scalars.name(of: "a subnet"),
                "The subnet that they are sent in; left out, the one in which the node is configured."
            ),
        ]
    )
}

extension HeartbeatSubscribeSettings {
    /// Heartbeats that a node counts.
    static let mapping = MappingType<HeartbeatSubscribeSettings>(
        "heartbeat_subscribe",
        as: "a heartbeat subscription",
        "Heartbeats that the node counts.",
        isStrict: true,
        [
            .required(.from, \.source, Scalars.target("a node or address"), "The node whose heartbeats count."),
            .scalar(
                .to,
                \.destination,
                Scalars.target("a group"),
                "The group that they are sent to; left out, the node itself."
            ),
            .plain(
                .period,
                \.period,
                Scalars.heartbeatPeriod,
                "For how long they are counted once this is set: a power of two of seconds, 1s to 65536s.",
                isRequired: true
            ),
        ]
    )
}

extension Record {
    /// Heartbeats that a node sends and counts.
    static let heartbeat = Record(
        "heartbeat",
        as: "`heartbeat`",
        "Heartbeats that the node sends and counts.",
        isOptional: true,
        [
            Property(
                .publish,
                .anyOf([.ref("off"), .ref("heartbeat_publish")]),
                "Heartbeats that the node sends, or off."
            ),
            Property(
                .subscribe,
                .anyOf([.ref("off"), .ref("heartbeat_subscribe")]),
                "Heartbeats that the node counts, or off."
            ),
        ]
    )
}

extension NodeSettings {
    /// What is said of heartbeats; nil for nothing.
    var heartbeat: DefinitionValue? {
        var fields: [DefinitionValue.Field] = []
        for state in states {
            switch state.value {
            case .heartbeatPublication(let settings):
                let value = settings.map { HeartbeatPublishSettings.mapping.value($0) }
                fields.append(DefinitionValue.Field(Keyword.publish.rawValue, value ?? .state(false)))
            case .heartbeatSubscription(let settings):
                let value = settings.map { HeartbeatSubscribeSettings.mapping.value($0) }
                fields.append(DefinitionValue.Field(Keyword.subscribe.rawValue, value ?? .state(false)))
            default: break
            }
        }
        return fields.isEmpty ? nil : .fields(fields)
    }
}

extension DocumentDecoder {
    /// `{ publish: …, subscribe: … }`, either of which may be `off`.
    mutating func decodeHeartbeat(_ field: MappingEntry, into settings: inout NodeSettings) {
        for part in fields(field.value, .heartbeat, blamed: field.key) ?? [] {
            let isPublication = part.keyword == .publish
            guard tree.nodes[part.value].kind.isText, !isNull(part.value) else {
                let state: StateDefinition? =
                    isPublication
                    ? decodeHeartbeatPublish(part).map { .heartbeatPublication($0) }
                    : decodeHeartbeatSubscribe(part).map { .heartbeatSubscription($0) }
                if let state { settings.states.append(Located(state, at: location(part.key))) }
                continue
            }
            guard let isOn = scalar(part.value, "off or a mapping", Words.boolean) else { continue }
            guard !isOn.value else {
                let hint = "write a mapping, such as publish: { to: provisioner, period: 64s, ttl: 5 }"
                report("heartbeats have no plain `on`", at: part.value, hint: hint)
                continue
            }
            settings.states.append(
                Located(
                    isPublication ? .heartbeatPublication(nil) : .heartbeatSubscription(nil),
                    at: location(part.value)
                )
            )
        }
    }

    private mutating func decodeHeartbeatPublish(_ part: MappingEntry) -> HeartbeatPublishSettings? {
        let type = HeartbeatPublishSettings.mapping
        guard let entries = fields(part.value, type.record, blamed: part.key) else { return nil }
        var settings = HeartbeatPublishSettings(
            target: Located(.name(""), at: location(part.key)),
            count: .endless,
            period: .off,
            ttl: 0,
            features: [],
            subnet: nil
        )
        guard decode(entries, type, into: &settings) else { return nil }
        guard settings.period == .off else { return settings }
        if settings.features.isEmpty {
            let problem = "the definition does not say when to send heartbeats"
            report(problem, at: part.key, hint: "give a `period`, or `features`")
            return nil
        }
        if entries.contains(where: { $0.keyword == .count }) {
            report("a `count` needs a `period`", at: part.key, hint: "give a `period`")
            return nil
        }
        settings.count = .off
        return settings
    }

    private mutating func decodeHeartbeatSubscribe(_ part: MappingEntry) -> HeartbeatSubscribeSettings? {
        let nobody = Located<PublishTarget>(.name(""), at: location(part.key))
        var settings = HeartbeatSubscribeSettings(source: nobody, destination: nil, period: .off)
        let type = HeartbeatSubscribeSettings.mapping
        return decode(part.value, type, blamed: part.key, into: &settings) ? settings : nil
    }
}
