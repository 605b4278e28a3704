package import MeshCore

/// What speaks for and against the profiles of Networked Lighting Control that a node claims.
package struct NLCExamination: Hashable, Sendable {
    /// One comparison.
    package struct Row: Hashable, Sendable {
        /// The profile; nil for what concerns the page as a whole.
        package var profile: NLCProfile?
        /// What is looked at: `light-lc-server on element 1`.
        package var subject: String
        package var outcome: Outcome
        /// What was found, in a few words.
        package var found: String
        /// How certain the demand is.
        package var source: NLCProfile.Source
    }

    /// The result of a comparison.
    package enum Outcome: String, Sendable {
        /// Nothing speaks against it.
        case fits
        /// The node lacks it.
        case missing
        /// Nobody has asked the node, or nothing tells.
        case unknown
    }

    /// The profiles that the definition names, in its order.
    package let declared: [NLCProfile]
    /// The records of Composition Data page 2; nil if it was not read, or has a mistake.
    package private(set) var page: CompositionPage2?
    /// The comparisons, by profile.
    package private(set) var rows: [Row] = []

    /// Whether there is nothing to look at: nobody claims a profile.
    package var isEmpty: Bool { rows.isEmpty }

    /// Examines a node.
    ///
    /// - Parameters:
    ///   - node: its record.
    ///   - declared: the profiles that the definition names.
    ///   - capacities: what is known about room in lists of products.
    ///   - models: the names of models.
    package init(_ node: Node, declared: [NLCProfile], capacities: [ListCapacity], models: ModelNames) {
        self.declared = declared
        readPage(of: node)
        let records = page?.records ?? []
        let claimed = records.compactMap { NLCProfile(rawValue: $0.profile) }
        for profile in Set(declared + claimed).sorted() {
            compareClaims(of: profile, node, isClaimed: claimed.contains(profile))
            let elements = records.filter { $0.profile == profile.rawValue }.flatMap(\.elements)
            for model in profile.sampleModels {
                rows.append(Self.row(of: model, for: profile, on: elements, node, models))
            }
            if !profile.sensorProperties.isEmpty {
                rows.append(
                    Row(
                        profile: profile,
                        subject: profile.sensorProperties.joined(separator: " or "),
                        outcome: .unknown,
                        found: "the sensor's descriptors tell",
                        source: .samples
                    )
                )
            }
        }
        if let minima = NLCMinima(declared + claimed) { compare(minima, node, capacities) }
    }

    private mutating func readPage(of node: Node) {
        guard let octets = node.compositionPages?[2] else { return }
        func report(_ found: String) {
            rows.append(
                Row(profile: nil, subject: "composition page 2", outcome: .missing, found: found, source: .sure)
            )
        }
        do throws(DecodeError) {
            let page = try CompositionPage2(octets)
            self.page = page
            if page.records.isEmpty { report("it names no profile") }
            for record in page.records {
                let name = NLCProfile(rawValue: record.profile)?.word ?? "0x" + record.profile.hexadecimal
                if NLCProfile(rawValue: record.profile) == nil {
                    report("profile \(name) is not known" + (record.profile == 0 ? ", and ignored" : ""))
                }
                if let element = record.elements.first(where: { Int($0) >= node.elements.count }) {
                    report("\(name) names element \(element), which the node does not have")
                }
                if Set(record.elements).count < record.elements.count { report("\(name) names an element twice") }
            }
        } catch {
            report("it cannot be read: \(error)")
        }
    }

    private mutating func compareClaims(of profile: NLCProfile, _ node: Node, isClaimed: Bool) {
        let record = page?.records.first { $0.profile == profile.rawValue }
        if let record {
            let elements = record.elements.map { "\($0)" }.joined(separator: ", ")
            let isOdd = !declared.isEmpty && !declared.contains(profile)
            rows.append(
                Row(
                    profile: profile,
                    subject: isOdd ? "named in the definition" : "claimed in page 2",
                    outcome: isOdd ? .missing : .fits,
                    found: "version \(record.versionText) on \(record.elements.count == 1 ? "element" : "elements") "
                        + elements,
                    source: .sure
                )
            )
            return
        }
        let isRead = page != nil
        rows.append(
            Row(
                profile: profile,
                subject: "claimed in page 2",
                outcome: isRead ? .missing : .unknown,
                found: isRead
                    ? "the page names other profiles"
                    : node.compositionPages == nil ? "the page was not read" : "the node has no page 2",
                source: .sure
            )
        )
    }

    private static func row(
        of model: ModelIdentifier,
        for profile: NLCProfile,
        on elements: [UInt8],
        _ node: Node,
        _ models: ModelNames
    ) -> Row {
        var row = Row(
            profile: profile,
            subject: models.name(of: model),
            outcome: .unknown,
            found: "the composition was not read",
            source: .samples
        )
        guard node.isCompositionKnown else { return row }
        let places = node.elements(with: model, on: nil)
        let here = elements.isEmpty ? places : places.filter(elements.contains)
        row.outcome = here.isEmpty ? .missing : .fits
        row.found =
            if let first = here.first { "on element \(first)" } else if let first = places.first {
                "on element \(first), which the profile does not name"
            } else { "on no element" }
        return row
    }

    private mutating func compare(_ minima: NLCMinima, _ node: Node, _ capacities: [ListCapacity]) {
        let profile = minima.profiles.contains(.blc) ? NLCProfile.blc : minima.profiles.first
        let known = capacities.filter { $0.product == node.product }
        let replay = node.replayListSize
        rows.append(
            Row(
                profile: profile,
                subject: "replay list of \(minima.replayList)",
                outcome: replay.map { $0 < minima.replayList ? .missing : .fits } ?? .unknown,
                found: replay.map { "room for \($0)" } ?? "the composition does not tell",
                source: .oneStack
            )
        )
        func add(_ subject: String, _ minimum: Int, used: Int, _ matches: (ListCapacity.List) -> Bool) {
            let room = known.filter { matches($0.list) }.map(\.entries).min()
            rows.append(
                Row(
                    profile: profile,
                    subject: "\(minimum) \(subject)",
                    outcome: room.map { $0 < minimum ? .missing : .fits } ?? (used >= minimum ? .fits : .unknown),
                    found: room.map { "its product has refused more than \($0)" }
                        ?? (used >= minimum ? "it has \(used)" : "only trying tells"),
                    source: .oneStack
                )
            )
        }
        if let minimum = minima.subscriptions {
            let used = node.elements.flatMap(\.models).map(\.subscriptions.count).max() ?? 0
            add("subscriptions a model", minimum, used: used) {
                if case .subscriptions = $0 { true } else { false }
            }
        }
        add("application keys", minima.appKeys, used: node.appKeys.count) { $0 == .appKeys }
        add("subnets", minima.netKeys, used: node.netKeys.count) { $0 == .netKeys }
    }
}
