import DefinitionModel
import MeshCore

/// Heartbeats.
extension DocumentDecoder {
    /// `{ publish: …, subscribe: … }`, either of which may be `off`.
    mutating func decodeHeartbeat(_ field: MappingEntry, into settings: inout NodeSettings) {
        for part in fields(field.value, .heartbeat, "`heartbeat`", blamed: field.key) ?? [] {
            let isOff = isText(part.value)
            if isOff {
                guard let isOn = scalar(part.value, "off or a mapping", Words.boolean) else { continue }
                guard !isOn.value else {
                    report("heartbeats have no plain `on`", at: part.value, hint: Self.heartbeatHint)
                    continue
                }
            }
            let place = location(isOff ? part.value : part.key)
            switch part.keyword {
            case .publish:
                if isOff {
                    settings.states.append(Located(.heartbeatPublication(nil), at: place))
                } else if let publish = decodeHeartbeatPublish(part) {
                    settings.states.append(Located(.heartbeatPublication(publish), at: place))
                }
            case .subscribe:
                if isOff {
                    settings.states.append(Located(.heartbeatSubscription(nil), at: place))
                } else if let subscribe = decodeHeartbeatSubscribe(part) {
                    settings.states.append(Located(.heartbeatSubscription(subscribe), at: place))
                }
            default: break
            }
        }
    }

    private static let heartbeatHint = "write a mapping, such as publish: { to: provisioner, period: 64s, ttl: 5 }"

    private func isText(_ node: Int) -> Bool { tree.nodes[node].kind.isText && !isNull(node) }

    private mutating func decodeHeartbeatPublish(_ part: MappingEntry) -> HeartbeatPublishSettings? {
        guard let fields = fields(part.value, .heartbeatPublish, "a heartbeat publication", blamed: part.key) else {
            return nil
        }
        var target: Located<PublishTarget>?
        var period: Located<HeartbeatPeriodLog>?
        var count: Located<HeartbeatPublicationCountLog>?
        var ttl: Located<UInt8>?
        var features: FeatureSet?
        var subnet: Located<String>?
        var isComplete = true
        for field in fields {
            switch field.keyword {
            case .to: target = scalar(field.value, "a group, node or address", Words.publishTarget)
            case .period:
                period = scalar(field.value, "a period", Durations.heartbeatPeriod)
                isComplete = isComplete && period != nil
            case .count:
                count = scalar(field.value, "a number of heartbeats", Self.heartbeatCount)
                isComplete = isComplete && count != nil
            case .ttl: ttl = scalar(field.value, "a TTL", Self.heartbeatTTL)
            case .features:
                features = decodeFeatureList(field.value)
                isComplete = isComplete && features != nil
            case .subnet:
                subnet = scalar(field.value, "the name of a subnet", Words.name)
                isComplete = isComplete && subnet != nil
            default: break
            }
        }
        guard let target, let ttl, isComplete else { return nil }
        if period == nil, features?.isEmpty ?? true {
            let problem = "the definition does not say when to send heartbeats"
            report(problem, at: part.key, hint: "give a `period`, or `features`")
            return nil
        }
        if period == nil, let count {
            report("a `count` needs a `period`", at: part.key, hint: "give a `period`")
            _ = count
            return nil
        }
        return HeartbeatPublishSettings(
            target: target,
            count: period == nil ? .off : count?.value ?? .endless,
            period: period?.value ?? .off,
            ttl: ttl.value,
            features: features ?? [],
            subnet: subnet
        )
    }

    private mutating func decodeHeartbeatSubscribe(_ part: MappingEntry) -> HeartbeatSubscribeSettings? {
        guard let fields = fields(part.value, .heartbeatSubscribe, "a heartbeat subscription", blamed: part.key) else {
            return nil
        }
        var source: Located<PublishTarget>?
        var destination: Located<PublishTarget>?
        var period: Located<HeartbeatPeriodLog>?
        for field in fields {
            switch field.keyword {
            case .from: source = scalar(field.value, "a node or address", Words.publishTarget)
            case .to:
                destination = scalar(field.value, "a group", Words.publishTarget)
                if destination == nil { return nil }
            case .period: period = scalar(field.value, "a period", Durations.heartbeatPeriod)
            default: break
            }
        }
        guard let source, let period else { return nil }
        return HeartbeatSubscribeSettings(source: source, destination: destination, period: period.value)
    }

    private mutating func decodeFeatureList(_ node: Int) -> FeatureSet? {
        guard let entries = list(node, "a list of features") else { return nil }
        var features: FeatureSet = []
        for entry in entries {
            let feature = scalar(entry, "the name of a feature") { text throws(ScalarProblem) in
                if let known = DefinitionValue.featureNames.first(where: { $0.name == text }) { return known.feature }
                throw ScalarProblem(
                    "\(quoted(text)) is not a feature",
                    hint: Suggestion.hint(
                        for: text,
                        among: DefinitionValue.featureNames.map(\.name),
                        are: "features are"
                    )
                )
            }
            guard let feature else { return nil }
            features.insert(feature.value)
        }
        return features
    }

    private static func heartbeatTTL(_ text: String) throws(ScalarProblem) -> UInt8 {
        UInt8(try Numbers.decimal(text, in: 0...127, "a TTL"))
    }

    /// A count that a node can hold: `infinite`, or a power of two (Mesh Protocol 4.2.18.2).
    private static func heartbeatCount(_ text: String) throws(ScalarProblem) -> HeartbeatPublicationCountLog {
        if text == "infinite" { return .endless }
        guard let number = UInt32(text), text.utf8.allSatisfy(Numbers.isDigit), number > 0 else {
            throw ScalarProblem(
                "\(quoted(text)) is not a number of heartbeats",
                hint: "write infinite, or 1, 2, 4 and so on to 32768, or 65534"
            )
        }
        if let count = HeartbeatPublicationCountLog(count: number) { return count }
        let counts = (0...15).map { UInt32(1) << $0 } + [65_534]
        let below = counts.last { $0 < number }
        let above = counts.first { $0 > number }
        let nearest = [below, above].compactMap { $0.map(String.init) }.joined(separator: " and ")
        throw ScalarProblem(
            "\(number) heartbeats cannot be set",
            hint: "the nearest \(below != nil && above != nil ? "are" : "is") \(nearest); "
                + "it can be a power of two up to 32768, 65534 or infinite"
        )
    }
}
