package import MeshCore

/// Reads all of a node's configuration with the fewest Gets. It is a value machine that says what to ask next and
/// processes the answers.
///
/// It does not ask what follows from earlier answers. A feature that the composition lacks has no state. A node without
/// AppKeys has no bindings, and a model without a binding cannot publish (Mesh Protocol 4.2.3). Foundation models that
/// use the DeviceKey have no bindings, subscriptions or publication (4.4).
///
/// A node with the Opcodes Aggregator Server is asked several things at once if that takes fewer PDUs: those that would
/// come next if the record were right. An answer counts when its turn comes, or not at all if an earlier answer makes
/// it needless.
///
/// The composition pages beside page 0 and the metadata of the models change only with the firmware. So they are read
/// last and only once: from nodes that can have them, until they are known.
package struct NodeReadBack: Sendable {
    /// The node's record, updated with its answers.
    package internal(set) var node: Node
    /// How many Gets the node has answered properly.
    package private(set) var reports = 0
    /// What the node refused to report; the record stays.
    package private(set) var refused: [NodeReading] = []
    /// What could not be read because the answer was odd or never came; the record stays.
    package private(set) var unread: [UnreadValue] = []
    package internal(set) var quirks: Set<KnownQuirk> = []
    /// Whether each Get is sent alone, although the node has the Opcodes Aggregator Server.
    package private(set) var isAskedSingly = false

    /// Which nodes are asked for composition pages beside page 0 and for the metadata of their models.
    package enum Pages: Hashable, Sendable {
        /// Nodes with the Large Composition Data Server for which they are not known.
        case unread
        case all
    }

    let pages: Pages
    private let isInSequences: Bool
    var pageReading: PageReading?

    private enum Stage: Int {
        case composition
        case netKeys
        case appKeys
        case states
        case bindings
        case models
        case modelStates
        case pages
        case finished
    }

    private var stage = Stage.composition
    /// What is left to ask in this stage, the next one last.
    var waiting: [NodeReading] = [.composition]
    /// The network's AppKeys, which show the subnet of each.
    let appKeys: [AppKey]
    var reportedAppKeys: Set<AppKeyIndex> = []
    var bridging: [BridgingTableEntry] = []
    var pairCount = 0
    var entryCounts: [NetKeyIndexPair: Int] = [:]
    private var packing = ReadBackPacking()
    /// The answers that arrived in sequences.
    private var told: [NodeReading: ReadBackAnswers.Answer] = [:]

    /// Reads everything of a node, in a network with those AppKeys.
    ///
    /// - Parameter isInSequences: whether to ask a node with the Opcodes Aggregator Server several things at once.
    package init(of node: Node, appKeys: [AppKey], pages: Pages = .unread, isInSequences: Bool = true) {
        self.node = node
        self.appKeys = appKeys
        self.pages = pages
        self.isInSequences = isInSequences
    }

    /// What to ask next; nil if nothing is left.
    package var next: NodeReading? { waiting.last }

    /// Whether nothing is left to ask.
    package var isFinished: Bool { waiting.isEmpty }

    /// The Gets that reading a node back takes if its record is right.
    package static func foreseen(for node: Node, appKeys: [AppKey], pages: Pages = .unread) -> [NodeReading] {
        NodeReadBack(of: node, appKeys: appKeys, pages: pages).foreseen
    }

    /// The messages that reading a node back takes if its record is right.
    package static func foreseenRequests(
        for node: Node,
        appKeys: [AppKey],
        pages: Pages = .unread,
        isInSequences: Bool = true
    ) -> [ReadBackRequest] {
        var readBack = NodeReadBack(of: node, appKeys: appKeys, pages: pages, isInSequences: isInSequences)
        var requests: [ReadBackRequest] = []
        while let request = readBack.nextRequest {
            requests.append(request)
            // A refusal keeps the record.
            for reading in request.readings { readBack.told[reading] = .refused }
            while let reading = readBack.next, readBack.told[reading] != nil { readBack.skip() }
        }
        return requests
    }

    /// The Gets from ``next`` on if the record is right.
    private var foreseen: [NodeReading] {
        var readBack = self
        var readings: [NodeReading] = []
        while let reading = readBack.next {
            readings.append(reading)
            readBack.skip()
        }
        return readings
    }

    // MARK: Several at once

    /// The next message to send; nil if nothing is left.
    package var nextRequest: ReadBackRequest? {
        guard let next else { return nil }
        guard mayTakeSequences, next.isFitForSequence else { return .get(next) }
        var seen: Set<NodeReading> = []
        let readings = foreseen.filter { $0.isFitForSequence && told[$0] == nil && seen.insert($0).inserted }
        let count = packing.first(of: readings, on: node)
        return count > 1 ? .sequence(Array(readings.prefix(count))) : .get(next)
    }

    /// Takes the answers to the Gets of a sequence. They take effect in order with ``takeTold(labels:)``.
    ///
    /// If the node had no room for all answers, later sequences leave as much room as it had. If it failed to answer
    /// for another reason, there are no later sequences.
    package mutating func include(_ answers: ReadBackAnswers, to readings: [NodeReading]) {
        for (reading, answer) in zip(readings, answers.answers) { told[reading] = answer }
        if answers.isCutShort, let size = answers.fullAt {
            packing.statusLimit = min(packing.statusLimit, size)
        } else if answers.answers.count < readings.count || answers.answers.contains(nil) {
            askSingly()
        }
    }

    /// Records answers of earlier sequences whose turn has come.
    package mutating func takeTold(labels: KnownLabels) {
        while let next, let answer = told[next] {
            switch answer {
            case .report(let report): include(report, labels: labels)
            case .refused: refuse()
            }
        }
    }

    /// Whether to ask the node several things at once if that saves PDUs.
    package var mayTakeSequences: Bool {
        isInSequences && !isAskedSingly && node.hasPrimary(.opcodesAggregatorServer)
    }

    /// Sends each Get alone from now on, because the node does not support sequences.
    package mutating func askSingly() {
        if isInSequences, node.hasPrimary(.opcodesAggregatorServer) { isAskedSingly = true }
    }

    // MARK: One at a time

    /// Records the answer to ``next``.
    ///
    /// - Parameter labels: shows which label a virtual address stands for.
    package mutating func include(_ report: NodeReport, labels: KnownLabels) {
        guard !waiting.isEmpty else { return }
        waiting.removeLast()
        reports += 1
        record(report, labels: labels)
        fill()
    }

    /// Records that the node refuses to answer ``next``.
    package mutating func refuse() {
        guard let reading = next else { return }
        refused.append(reading)
        skip()
    }

    /// Records that ``next`` cannot be read: the node answers oddly, or does not answer although it answers other Gets.
    package mutating func leave(_ answer: OddAnswer?) {
        guard let reading = next else { return }
        unread.append(UnreadValue(reading, answer: answer))
        skip()
    }

    /// Whether the node has answered anything, even oddly.
    package var hasAnswered: Bool { reports > 0 || !refused.isEmpty || !unread.isEmpty }

    var knowsAllKeys: Bool {
        let left = refused + unread.map(\.reading)
        return !left.contains { reading in
            switch reading {
            case .netKeys, .appKeys: true
            default: false
            }
        }
    }

    /// Keeps the record for ``next``.
    private mutating func skip() {
        guard let reading = waiting.popLast() else { return }
        if case .appKeys(let netKey) = reading {
            for key in node.appKeys where boundNetKey(of: key.index) == netKey { reportedAppKeys.insert(key.index) }
        }
        if case .page = reading {
            pageReading?.refuse()
            askForPages()
        }
        fill()
    }

    // MARK: What to ask

    private mutating func fill() {
        while waiting.isEmpty, let following = Stage(rawValue: stage.rawValue + 1) {
            stage = following
            waiting = readings(of: following).reversed()
        }
    }

    private mutating func readings(of stage: Stage) -> [NodeReading] {
        switch stage {
        case .composition, .finished: return []
        case .netKeys: return [.netKeys]
        case .appKeys: return node.netKeys.map { .appKeys($0.index) }
        case .states:
            recordAppKeys()
            return states
        case .bindings: return bindings()
        case .models: return models()
        case .modelStates: return modelStates
        case .pages: return pageReadings()
        }
    }

    private var states: [NodeReading] {
        var readings: [NodeReading] = [.defaultTTL, .secureNetworkBeacon, .networkTransmit]
        if node.features.friend != .notSupported { readings.append(.friend) }
        if node.features.relay != .notSupported { readings.append(.relay) }
        if node.features.proxy != .notSupported { readings.append(.proxy) }
        for kind in Self.readStates where node.hasPrimary(kind.model) {
            if !kind.needsProxyFeature || node.features.proxy != .notSupported { readings.append(.state(kind)) }
        }
        if node.hasPrimary(.bridgeConfigurationServer) { readings.append(.bridgedSubnets(from: 0)) }
        return readings
    }

    /// The lasting states. Node Identity is missing, because it ends by itself after a minute.
    private static let readStates: [FoundationState.Kind] = [
        .heartbeatPublication, .heartbeatSubscription, .sarTransmitter, .sarReceiver, .privateBeacon,
        .privateGATTProxy, .onDemandPrivateProxy, .subnetBridge,
    ]

    private mutating func bindings() -> [NodeReading] {
        guard node.appKeys.isEmpty else {
            return addresses { ModelCatalogue.model($0)?.supportsAppKeyBinding != false }.map { .bindings($0) }
        }
        for address in addresses(where: { _ in true }) {
            update(address) { model in
                model.bindings = []
                model.endPublication()
            }
        }
        return []
    }

    private mutating func models() -> [NodeReading] {
        var readings: [NodeReading] = []
        for address in addresses(where: { _ in true }) {
            let known = ModelCatalogue.model(address.model)
            if known?.supportsSubscription != false { readings.append(.subscriptions(address)) }
            guard known?.supportsPublication != false else { continue }
            if node.model(at: address)?.bindings.isEmpty == true {
                update(address) { $0.endPublication() }
            } else {
                readings.append(.publication(address))
            }
        }
        return readings
    }

    /// The states that are known: those that a definition has asked for. A model without a binding cannot be asked.
    private var modelStates: [NodeReading] {
        addresses { _ in true }.flatMap { address -> [NodeReading] in
            guard let model = node.model(at: address), !model.states.isEmpty,
                let key = model.bindings.first(where: { node.knows($0) })
            else { return [] }
            // One Get tells all entries of a register.
            var registers: Set<Opcode> = []
            return model.states.map(\.form)
                .filter { $0.register == nil || registers.insert($0.statusOpcode).inserted }
                .map { .modelState(address, $0, key) }
        }
    }

    private func addresses(where matches: (ModelIdentifier) -> Bool) -> [ModelAddress] {
        node.elements.enumerated().flatMap { index, element in
            element.models.lazy.map(\.identifier).filter(matches).map {
                ModelAddress(element: UInt8(truncatingIfNeeded: index), model: $0)
            }
        }
    }
}
