package import MeshCore

/// The settings of nodes, profiles and defaults as text of a definition. The reader of definitions gives the words
/// their meaning.
extension DefinitionValue {
    /// `{ count: 3, interval: 20ms }`; a single transmission has no interval.
    package static func transmit(_ transmit: TransmitParameters) -> DefinitionValue {
        repetition(transmit.transmissions, transmit.count > 0 ? transmit.intervalMilliseconds : nil)
    }

    /// `{ count: 2, interval: 50ms }`; no repetition has no interval.
    package static func retransmit(_ retransmit: PublishRetransmit) -> DefinitionValue {
        repetition(Int(retransmit.count), retransmit.count > 0 ? retransmit.intervalMilliseconds : nil)
    }

    private static func repetition(_ count: Int, _ milliseconds: Int?) -> DefinitionValue {
        var fields = [Field("count", .word("\(count)"))]
        if let milliseconds { fields.append(Field("interval", duration(milliseconds))) }
        return .fields(fields)
    }

    private static func duration(_ milliseconds: Int) -> DefinitionValue {
        .word(DurationText.text(milliseconds: milliseconds))
    }

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

    private static func publicationFields(_ settings: PublishSettings) -> [Field] {
        var fields = [Field("to", target(settings.target.value))]
        if let key = settings.key { fields.append(Field("key", .text(key.value))) }
        if let ttl = settings.ttl { fields.append(Field("ttl", .word("\(ttl.value)"))) }
        if let period = settings.period { fields.append(Field("period", duration(period.value.milliseconds))) }
        if let value = settings.retransmit { fields.append(Field("retransmit", retransmit(value.value))) }
        if let friendship = settings.usesFriendshipCredentials {
            fields.append(Field("friendship_credentials", state(friendship.value)))
        }
        return fields
    }

    /// Features and the words that definitions use for them.
    package static let featureNames: [(name: String, feature: FeatureSet)] = [
        ("relay", .relay), ("proxy", .proxy), ("friend", .friend), ("low_power", .lowPower),
    ]
}
