import DefinitionModel
import MeshCore

/// The kinds of scalars of definitions.
enum Scalars {
    // MARK: Names and texts

    /// The name of something: "the name of a subnet".
    static func name(of noun: String) -> ScalarType<String> {
        ScalarType("the name of \(noun)", .ref("name_reference"), parse: Words.name) { .text($0) }
    }

    /// The name of a test or a check.
    static let title = ScalarType(
        "a title",
        ["type": "string", "minLength": 1, "maxLength": .number(Words.longestTitle)],
        parse: Words.title
    ) { .text($0) }

    static let plainTitle = ScalarType("a title", ["type": "string"], parse: Words.title) { .text($0) }

    /// What people call something.
    static let shownTitle = ScalarType("a title", .ref("title"), parse: Words.shownTitle) { .text($0) }

    /// What else there is to know.
    static let description = ScalarType(
        "a description",
        ["type": "string", "maxLength": .number(WordingText.longestDescription)],
        parse: Words.description
    ) { .text($0) }

    static func path(ending: String, _ title: String) -> ScalarType<String> {
        ScalarType(
            "the path of \(title)",
            ["type": "string", "pattern": .text("\\\(ending)$")]
        ) { text throws(ScalarProblem) in
            guard text.hasSuffix(ending), text.utf8.count > ending.utf8.count else {
                throw ScalarProblem("\(quoted(text)) is not the path of \(title)", hint: "its name ends in \(ending)")
            }
            return text
        } spell: {
            .text($0)
        }
    }

    static let checkedGroup = ScalarType(
        "the name of a group",
        .ref("checked_group")
    ) { text throws(ScalarProblem) -> CheckedGroup in
        if let group = CheckedGroup(text) { return group }
        let referring = text.replacing("<", with: "$(").replacing(">", with: ")")
        throw ScalarProblem(
            "\(quoted(text)) is not the name of a group",
            hint: text.contains("<") && CheckedGroup(referring) != nil
                ? "write `\(referring)`, as in modules and tests"
                : "write a group, or `$(room)` for the group that is named by the node's own tag `room`"
        )
    } spell: {
        .text($0.text)
    }

    /// A resource address as plans show it: `group.kitchen`.
    static let movedName = ScalarType(
        "the address of something renamed",
        .ref("moved_address")
    ) { text throws(ScalarProblem) -> MovedNames.MovedName in
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = parts.first, parts.count == 2, Name.isValid(parts[1]) else {
            throw ScalarProblem(
                "\(quoted(text)) is not the address of something renamed",
                hint: "write it as plans do: `group.NAME`, `application_key.NAME` or `subnet.NAME`"
            )
        }
        guard let kind = NamedKind(rawValue: String(word)) else {
            let isFree = word == "node" || word == "profile"
            let kinds = NamedKind.allCases.map(\.rawValue)
            throw ScalarProblem(
                "\(quoted(text)) cannot be moved",
                hint: isFree
                    ? "a renamed \(word) needs no entry"
                        + (word == "node" ? ": its UUID identifies it" : "")
                    : Suggestion.hint(for: String(word), among: kinds, are: "write one of")
            )
        }
        return MovedNames.MovedName(kind: kind, name: String(parts[1]))
    } spell: {
        .word($0.text)
    }

    // MARK: Words

    static let onOff = ScalarType("on or off", .ref("switch"), parse: Words.boolean) { .state($0) }

    /// What happens to a node that is no longer in the definition.
    static let removalPolicy = ScalarType(
        "forget or reset",
        .words(["forget", "reset"]),
        parse: Words.removalPolicy
    ) { .word($0.rawValue) }

    /// Whether a check only warns. That it does not, is not written.
    static let severity = ScalarType(
        "error or warning",
        .words(["error", "warning"])
    ) { text throws(ScalarProblem) -> Bool in
        switch text {
        case "error": return false
        case "warning": return true
        default:
            throw ScalarProblem("\(quoted(text)) is not a severity", hint: "write error (the default) or warning")
        }
    } spell: {
        $0 ? .word("warning") : nil
    }

    /// In which direction a subnet bridge passes messages.
    static let direction = ScalarType(
        "a direction",
        .words(["one_way", "both"])
    ) { text throws(ScalarProblem) -> BridgingDirections in
        switch text {
        case "both": return .bothWays
        case "one_way": return .oneWay
        default:
            throw ScalarProblem(
                "\(quoted(text)) is not a direction",
                hint: "write one_way for messages from the first address to the second, or both"
            )
        }
    } spell: {
        .word($0 == .bothWays ? "both" : "one_way")
    }

    static let feature = ScalarType(
        "the name of a feature",
        .words(DefinitionValue.featureNames.map(\.name))
    ) { text throws(ScalarProblem) -> FeatureSet in
        let names = DefinitionValue.featureNames
        if let known = names.first(where: { $0.name == text }) { return known.feature }
        throw ScalarProblem(
            "\(quoted(text)) is not a feature",
            hint: Suggestion.hint(for: text, among: names.map(\.name), are: "features are")
        )
    } spell: { feature in
        DefinitionValue.featureNames.first { $0.feature == feature }.map { .word($0.name) }
    }

    static let lightingProfile = ScalarType(
        "the name of a profile",
        .words(NLCProfile.allCases.map(\.word))
    ) { text throws(ScalarProblem) -> NLCProfile in
        if let profile = NLCProfile(word: text) { return profile }
        throw ScalarProblem(
            "\(quoted(text)) is not a profile of Networked Lighting Control",
            hint: Suggestion.hint(for: text, among: NLCProfile.allCases.map(\.word), are: "profiles are")
        )
    } spell: {
        .text($0.word)
    }

    static let method = ScalarType(
        "a method",
        .words(["none", "static", "output", "input"]),
        parse: ProvisioningWords.method
    ) { .word(ProvisioningWords.word($0)) }

    static let algorithm = ScalarType(
        "an algorithm",
        .words(["cmac", "hmac", "BTM_ECDH_P256_CMAC_AES128_AES_CCM", "BTM_ECDH_P256_HMAC_SHA256_AES_CCM"]),
        parse: ProvisioningWords.algorithm
    ) { .word($0.name) }

    /// What has to be proved about devices.
    static let requirement = ScalarType(
        "a requirement",
        .words(["none", "claimed", "authenticated"]),
        parse: ProvisioningWords.requirement
    ) { .word($0.rawValue) }

    /// The time zone of nodes with schedules.
    static let timeZone = ScalarType(
        "a time zone",
        ["type": "string", "pattern": "^([+-][0-9]{2}:[0-9]{2}|[Uu][Tt][Cc])$"],
        parse: ScheduleWords.timeZone
    ) { .text(ScheduleWords.timeZone($0)) }

    // MARK: Addresses

    static let uuid = ScalarType("a UUID", .ref("octets16"), parse: Addresses.uuid) {
        .word($0.description.lowercased())
    }

    static let unicastAddress = ScalarType(
        "a unicast address",
        .ref("unicast_address"),
        parse: Addresses.unicast
    ) { .word($0.description) }

    static let groupAddress = ScalarType(
        "a group address",
        .ref("group_address")
    ) { text throws(ScalarProblem) -> SubscriptionAddress in
        .group(try Addresses.assignableGroup(text))
    } spell: { address in
        if case .group(let address) = address { .word(address.description) } else { nil }
    }

    /// The label of a group. A definition cannot declare a group whose label is unknown.
    static let label = ScalarType(
        "a label",
        .ref("octets16")
    ) { text throws(ScalarProblem) -> SubscriptionAddress in
        .virtual(try Addresses.label(text))
    } spell: { address in
        if case .virtual(let label) = address { .word(label.rawValue.hyphenated.lowercased()) } else { nil }
    }

    /// Where messages go or come from.
    static func target(_ expected: String) -> ScalarType<PublishTarget> {
        ScalarType(expected, .ref("publish_target"), parse: Words.publishTarget) { .target($0) }
    }

    // MARK: Numbers

    /// A whole number. `title` says what it is, and `expected` what it is a part of.
    static func number<Value: FixedWidthInteger & Sendable>(
        _ range: ClosedRange<Int>,
        _ title: String,
        as expected: String? = nil,
        pattern: String = "^(0|[1-9][0-9]{0,2})$"
    ) -> ScalarType<Value> {
        ScalarType(
            expected ?? title,
            .number(range, pattern: pattern)
        ) { text throws(ScalarProblem) in
            Value(try Numbers.decimal(text, in: range, title))
        } spell: {
            .word("\($0)")
        }
    }

    static let netKeyIndex: ScalarType<NetKeyIndex> = keyIndex("a NetKey index")
    static let appKeyIndex: ScalarType<AppKeyIndex> = keyIndex("an AppKey index")

    private static func keyIndex<Index: KeyIndex & Sendable>(_ title: String) -> ScalarType<Index> {
        ScalarType(
            title,
            .ref("key_index")
        ) { text throws(ScalarProblem) in
            try Numbers.keyIndex(text, title)
        } spell: {
            .word("\($0)")
        }
    }

    /// The index of an element, 0 to 254: a node has at most 255 elements.
    static let elementIndex = ScalarType(
        "an element index",
        .ref("element_index")
    ) { text throws(ScalarProblem) -> UInt8 in
        UInt8(try Numbers.decimal(text, in: 0...254, "an element index"))
    } spell: {
        .word("\($0)")
    }

    static let ttl = ScalarType(
        "a TTL",
        .ref("ttl")
    ) { text throws(ScalarProblem) -> UInt8 in
        UInt8(try Numbers.decimal(text, in: 0...127, "a TTL"))
    } spell: {
        .word("\($0)")
    }

    /// The default TTL of a node.
    static let defaultTTL = ScalarType(
        "a TTL",
        .ref("default_ttl")
    ) { text throws(ScalarProblem) -> UInt8 in
        let ttl = try Numbers.decimal(text, in: 0...127, "a TTL")
        guard ttl != 1 else {
            throw ScalarProblem("the default TTL cannot be 1", hint: "it can be 0 or 2 to 127")
        }
        return UInt8(ttl)
    } spell: {
        .word("\($0)")
    }

    static let numberOfNodes = ScalarType(
        "a number of nodes",
        ["type": "integer", "minimum": 0, "maximum": 65535]
    ) { text throws(ScalarProblem) -> Int in
        try Numbers.decimal(text, in: 0...Int(UInt16.max), "a number of nodes")
    } spell: {
        .word("\($0)")
    }

    static let percentage = ScalarType(
        "a share of the nodes",
        ["type": "string", "pattern": "^(100|[0-9]{1,2})%$"],
        parse: Percentages.percentage
    ) { .word("\($0)%") }

    // MARK: Lengths and durations

    static let length = ScalarType("a length", .ref("length"), parse: Lengths.millimetres) {
        .word(LengthText.text(millimetres: $0))
    }

    /// The width or height of a floor.
    static let extent = ScalarType("a length", .ref("length"), parse: Lengths.extent) {
        .word(LengthText.text(millimetres: $0))
    }

    /// The steps, counted from 0, of an interval that is a multiple of `step` milliseconds; at most `count` steps.
    static func interval(step: Int, count: Int = 32, as expected: String = "an interval") -> ScalarType<UInt8> {
        ScalarType(
            expected,
            .ref("duration")
        ) { text throws(ScalarProblem) in
            try Durations.interval(text, step: step, count: count)
        } spell: {
            .word(DurationText.text(milliseconds: (Int($0) + 1) * step))
        }
    }

    /// How often the random in private beacons changes, in steps of 10 s.
    static let randomUpdateInterval = ScalarType(
        "an interval",
        .ref("duration"),
        parse: Durations.randomUpdateInterval
    ) { .word("\(Int($0) * 10)s") }

    /// For how long a device draws attention to itself.
    static let attention = ScalarType("a duration", .ref("duration"), parse: Durations.attention) { .word("\($0)s") }

    static let publishPeriod = ScalarType("a period", .ref("duration"), parse: Durations.period) {
        .word(DurationText.text(milliseconds: $0.milliseconds))
    }

    /// The period of heartbeats. The longest counts as 65,535 s. It is written as 65,536, the power of two that it
    /// stands for.
    static let heartbeatPeriod = ScalarType(
        "a period",
        .ref("duration"),
        parse: Durations.heartbeatPeriod
    ) { period in
        guard period != .off else { return nil }
        return .word("\(period.seconds == 65_535 ? 65_536 : Int(period.seconds))s")
    }

    /// A count of heartbeats that a node can hold: `infinite`, or a power of two (Mesh Protocol 4.2.18.2).
    static let heartbeatCount = ScalarType(
        "a number of heartbeats",
        .anyOf([["const": "infinite"], .number(1...65534, pattern: "^[1-9][0-9]{0,4}$")])
    ) { text throws(ScalarProblem) -> HeartbeatPublicationCountLog in
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
    } spell: { count in
        count == .off ? nil : .word(count.count.map { "\($0)" } ?? "infinite")
    }
}
