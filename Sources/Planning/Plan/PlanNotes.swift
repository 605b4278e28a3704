import DefinitionModel
import MeshCore

/// What a plan says besides its changes.
struct PlanNotes {
    /// All notes in the order in which they are shown.
    let all: [Advice]

    init(
        _ resolution: Resolution,
        _ differences: Differences,
        _ inquiries: (asked: Int, saved: Int),
        _ ordered: OrderedSteps,
        _ network: MeshNetwork
    ) {
        let desired = differences.desired
        let names = resolution.names
        var words = Self.provisioningNotes(differences.nodes, names)
        words += Self.compositionNotes(differences.nodes)
        words += Self.storingNotes(differences.nodes)
        words += Self.timeNotes(desired)
        words += differences.outside.notes
        words += differences.nodes.unreachableNotes(network)
        words += Self.notes(of: inquiries)
        words += differences.keyRefreshNotes
        if differences.scope == nil { words += NodesOutside.primaryNotes(desired, network) }
        words += differences.outside.removalNotes(desired, ordered.keepers, network, names)
        var notes = words.map { Advice($0) }
        notes += Self.distanceNotes(ordered.steps, network)
        notes += differences.places.notes
        notes += Self.removalNotes(resolution)
        notes += Self.forgottenNotes(ordered.forgotten, resolution)
        notes += Self.resetNotes(ordered.reset, resolution)
        notes += ordered.driftNotes
        notes += desired.notes(ofUnknownKeys: resolution.unknownKeys, network, ordered.steps).map { Advice($0) }
        notes += network.doubtNotes(of: Set(resolution.definition.nodes.map(\.uuid.value)), ordered.steps, names)
        notes += KeyRefreshAdvice.notes(
            of: network,
            forgotten: ordered.forgotten,
            substituted: differences.outside.substituted.map { network.nodes[$0.position] },
            devices: differences.nodes.indices.compactMap { index in
                differences.nodes[index].order.flatMap { $0.isReplacement ? nil : $0.name }
            }
        )
        notes += ReprovisionAdvice.notes(of: network).map { Advice($0) }
        all = notes
    }

    /// Says that the definition still has what the plan removes.
    private static func removalNotes(_ resolution: Resolution) -> [Advice] {
        guard resolution.purpose == .converge, resolution.removed > 0 else { return [] }
        let lines = resolution.removed == 1 ? "1 node" : "\(resolution.removed) nodes"
        return [
            """
            The definition still has the \(lines) that this plan removes: take the lines out before the next \
            \(command: .apply), which would bring them back.
            """
        ]
    }

    /// Says what it means that the lines of nodes are gone, and how to have the nodes reset instead.
    private static func forgottenNotes(_ forgotten: [Node], _ resolution: Resolution) -> [Advice] {
        guard resolution.purpose == .converge, resolution.removed == 0 else { return [] }
        let nodes = forgotten.filter { !$0.isExcluded }
        guard let first = nodes.first else { return [] }
        guard nodes.count > 1 else {
            return [
                """
                `\(first.name)` is no longer in the definition, so it is forgotten: it keeps what it has, and goes on. To \
                have it reset instead, put its line back, and plan with \
                \(command: .removeTagged(first.name, resets: true)).
                """
            ]
        }
        return [
            """
            \(nodes.count) nodes are no longer in the definition, so they are forgotten: they keep what they have, and \
            go on. To have them reset instead, put their lines back, and plan with \
            \(command: .removeTagged(resets: true)).
            """
        ]
    }

    /// Says why nodes are reset whose lines are gone: nobody reads that in the definition any more.
    private static func resetNotes(_ reset: [Node], _ resolution: Resolution) -> [Advice] {
        guard resolution.purpose == .converge, resolution.removed == 0, !resolution.resets else { return [] }
        guard let first = reset.first else { return [] }
        guard reset.count > 1 else {
            return [
                """
                `\(first.name)` is no longer in the definition, and is reset: its definition said `on_remove: reset` when \
                it was last applied. To keep it, put its line back.
                """
            ]
        }
        return [
            """
            \(reset.count) nodes are no longer in the definition, and are reset: their definition said \
            `on_remove: reset` when it was last applied. To keep them, put their lines back.
            """
        ]
    }

    /// How many compositions have to be read before the rest is known.
    private static func compositionNotes(_ differences: [NodeDifference]) -> [String] {
        let unread = differences.indices.count { differences[$0].readsComposition }
        guard unread > 0 else { return [] }
        return [
            "The composition of \(unread == 1 ? "1 node" : "\(unread) nodes") is read first; "
                + "apply then goes on with what depends on it."
        ]
    }

    /// How many nodes change their light for a moment, and for how long.
    private static func storingNotes(_ differences: [NodeDifference]) -> [String] {
        let counts = differences.indices.compactMap { place -> Int? in
            let states = differences[place].models.flatMap(\.states).filter { !$0.parts.isEmpty }
            guard !states.isEmpty else { return nil }
            return states.reduce(differences[place].restoring.count) { $0 + $1.parts.count + 1 }
        }
        guard let most = counts.max() else { return [] }
        let tenths = Int((Double(most) * RadioProfile.office.usualExchange * 10).rounded(.up))
        return [
            "To store scenes, \(counts.count == 1 ? "1 node changes its" : "\(counts.count) nodes change their") light for "
                + "a moment: each for at most \(most) messages, about \(tenths / 10).\(tenths % 10) s in an office."
        ]
    }

    /// Schedules that nothing will ever come of, because their nodes do not know the time.
    private static func timeNotes(_ desired: DesiredState) -> [String] {
        guard let first = desired.timeless.first else { return [] }
        let others = desired.timeless.count - 1
        let nodes = others == 0 ? "`\(first)` has" : "`\(first)` and \(others) more nodes have"
        return [
            "Schedules will never do anything where no time is known: \(nodes) no `time-server` in the definition. "
                + "Add `time-server: { keys: [KEY] }` to an element."
        ]
    }

    /// Default TTLs that become smaller where nobody knows how far away the nodes are.
    private static func distanceNotes(_ steps: [Step], _ network: MeshNetwork) -> [Advice] {
        var lowered: [DeviceUUID: UInt8] = [:]
        for index in steps.indices {
            if case .configure(let node, .setDefaultTTL(let ttl)) = steps[index].work, ttl >= 2 { lowered[node] = ttl }
        }
        guard !lowered.isEmpty else { return [] }
        let nodes = network.nodes.filter { node in
            guard let ttl = lowered[node.uuid], node.hops == nil, node.features.proxy != .enabled else { return false }
            return node.defaultTTL.map { ttl < $0 } ?? false
        }
        guard let first = nodes.first else { return [] }
        let others = nodes.count - 1
        let names =
            others == 0
            ? "`\(first.name)` gets" : "`\(first.name)` and \(others) more node\(others == 1 ? "" : "s") get"
        let they = others == 0 ? "it is" : "they are"
        return [
            """
            \(names) a smaller default TTL, and nobody has counted how many hops away \(they): if \(they) farther than \
            that, no answer arrives any more. Count with: \(command: .countHops)
            """
        ]
    }

    /// Notes that fewer messages may be enough.
    private static func notes(of inquiries: (asked: Int, saved: Int)) -> [String] {
        guard inquiries.asked > 0 else { return [] }
        let products = inquiries.asked == 1 ? "1 product" : "\(inquiries.asked) products"
        return [
            "Whether models of \(products) share a subscription list is not known: apply finds out, and saves up to "
                + "\(inquiries.saved) messages if they do."
        ]
    }

    /// Notes how many devices are provisioned, and into which subnets.
    private static func provisioningNotes(_ differences: [NodeDifference], _ names: ResourceNames) -> [String] {
        var counts: [NetKeyIndex: Int] = [:]
        for index in differences.indices {
            if let subnet = differences[index].order?.netKeyIndex { counts[subnet, default: 0] += 1 }
        }
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return [] }
        let parts = counts.keys.sorted().map { index in
            counts.count == 1
                ? "into subnet \(names.netKey(index))" : "\(counts[index] ?? 0) into subnet \(names.netKey(index))"
        }
        let verb = total == 1 ? "1 device is provisioned" : "\(total) devices are provisioned"
        return [verb + (counts.count == 1 ? " " : ": ") + parts.joined(separator: ", ") + "."]
    }
}

extension NodesOutside {
    /// How many of them are left alone, wait, or may have been provisioned.
    fileprivate var notes: [String] {
        var notes: [String] = []
        if unmanaged > 0 {
            notes.append(
                unmanaged == 1
                    ? "1 node of the database is not in the definition and is left alone."
                    : "\(unmanaged) nodes of the database are not in the definition and are left alone."
            )
        }
        if unawaitable > 0 {
            notes.append(
                unawaitable == 1
                    ? "1 publication waits for a device that is left out and has no address yet."
                    : "\(unawaitable) publications wait for devices that are left out and have no address yet."
            )
        }
        if pending > 0 {
            notes.append(
                pending == 1
                    ? "1 device that is not in the definition may have been provisioned; its address stays reserved."
                    : "\(pending) devices that are not in the definition may have been provisioned; "
                        + "their addresses stay reserved."
            )
        }
        return notes
    }
}

extension NodeDiffer {
    /// Notes about subnets in a key refresh, in the order of their indexes.
    var keyRefreshNotes: [String] {
        network.netKeys.compactMap { key in
            guard let count = refreshingNodes[key.index]?.count else { return nil }
            return "Subnet \(names.netKey(key.index)) is in a key refresh: \(count == 1 ? "1 node" : "\(count) nodes") "
                + "of this plan will have only its present keys, until the refresh goes on."
        }
    }
}
