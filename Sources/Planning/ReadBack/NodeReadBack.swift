package import MeshCore

/// Asks a node for all of its configuration with the fewest Gets: a value machine that says what to ask next and takes
/// in what the node says.
///
/// What follows from what was said already is not asked: a feature that the composition lacks has no state; a node
/// without AppKeys has none bound, and a model without one cannot publish (Mesh Protocol 4.2.3); models of the
/// foundation that are secured with the DeviceKey have neither bindings nor subscriptions nor a publication (4.4).
///
/// A node with the Opcodes Aggregator Server is asked several things at once where that takes fewer PDUs: for what would
/// be asked next if it were as recorded. What it answers counts when its turn has come, and not at all should what was said
/// before make it needless.
///
/// The composition pages beside page 0 and the metadata of the models change with the firmware only, so they come last and
/// once: of nodes that can have them, until they are known.
package struct NodeReadBack: Sendable {
    /// The node as it was recorded, with what it has told since.
    package internal(set) var node: Node
    /// How many Gets the node has answered with what was asked.
    package private(set) var reports = 0
    /// What it refused to tell; that stays as it was recorded.
    package private(set) var refused: [NodeReading] = []
    /// What could not be read because its answer was odd or never came; that stays as it was recorded.
    package private(set) var unread: [UnreadValue] = []
    /// In which known ways it departs from the specification.
    package internal(set) var habits: Set<KnownHabit> = []
    /// Whether every Get goes by itself although the node has the Opcodes Aggregator Server.
    package private(set) var isAskedSingly = false

    /// Which nodes are asked for composition pages beside page 0 and for the metadata of their models.
    package enum Pages: Hashable, Sendable {
        /// Those with the Large Composition Data Server of which they are not known.
        case unread
        /// All.
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
        case pages
        case finished
    }

    private var stage = Stage.composition
    /// What is to be asked in this stage, the next one last.
    var waiting: [NodeReading] = [.composition]
    /// The network's AppKeys, which tell the subnet of each.
    let appKeys: [AppKey]
    var reportedAppKeys: Set<AppKeyIndex> = []
    /// What the bridging table was told to hold so far.
    var bridging: [BridgingTableEntry] = []
    var pairCount = 0
    var entryCounts: [NetKeyIndexPair: Int] = [:]
    private var packing = ReadBackPacking()
    /// What was answered in sequences.
    private var told: [NodeReading: ReadBackAnswers.Answer] = [:]

    /// Asks a node of a network with those AppKeys for everything.
    ///
    /// - Parameter isInSequences: whether a node with the Opcodes Aggregator Server is asked several things at once.
    package init(of node: Node, appKeys: [AppKey], pages: Pages = .unread, isInSequences: Bool = true) {
        self.node = node
        self.appKeys = appKeys
        self.pages = pages
        self.isInSequences = isInSequences
    }

    /// What to ask next, nil if there is nothing left.
    package var next: NodeReading? { waiting.last }

    /// Whether everything was asked.
    package var isFinished: Bool { waiting.isEmpty }

    /// The Gets that it takes to read a node back that is as recorded.
    package static func foreseen(for node: Node, appKeys: [AppKey], pages: Pages = .unread) -> [NodeReading] {
        NodeReadBack(of: node, appKeys: appKeys, pages: pages).foreseen
    }

    /// The messages that it takes to read a node back that is as recorded.
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
            // A refusal leaves what is recorded.
            for reading in request.readings { readBack.told[reading] = .refused }
            while let reading = readBack.next, readBack.told[reading] != nil { readBack.skip() }
        }
        return requests
    }

    /// The Gets from ``next`` on if the node is as recorded.
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

    /// The message to send next, nil if there is nothing left.
    package var nextRequest: ReadBackRequest? {
        guard let next else { return nil }
        guard mayTakeSequences, next.isFitForSequence else { return .get(next) }
        var seen: Set<NodeReading> = []
        let readings = foreseen.filter { $0.isFitForSequence && told[$0] == nil && seen.insert($0).inserted }
        let count = packing.first(of: readings, on: node)
        return count > 1 ? .sequence(Array(readings.prefix(count))) : .get(next)
    }

    /// Takes in the answers to the Gets of a sequence; they count by and by with ``takeTold(labels:)``.
    ///
    /// Should the node have no room for all answers, later sequences leave as much room as it had; should it not answer
    /// for another reason, there are no later ones.
    package mutating func take(_ answers: ReadBackAnswers, to readings: [NodeReading]) {
        for (reading, answer) in zip(readings, answers.answers) { told[reading] = answer }
        if answers.isCutShort, let size = answers.fullAt {
            packing.statusLimit = min(packing.statusLimit, size)
        } else if answers.answers.count < readings.count || answers.answers.contains(nil) {
            askSingly()
        }
    }

    /// Takes in what was told already of what would be asked next.
    package mutating func takeTold(labels: KnownLabels) {
        while let next, let answer = told[next] {
            switch answer {
            case .report(let report): take(report, labels: labels)
            case .refused: refuse()
            }
        }
    }

    /// Whether it is asked several things at once where that pays.
    package var mayTakeSequences: Bool {
        isInSequences && !isAskedSingly && node.hasPrimary(.opcodesAggregatorServer)
    }

    /// Lets every Get go by itself from now on: the node does not take sequences.
    package mutating func askSingly() {
        if isInSequences, node.hasPrimary(.opcodesAggregatorServer) { isAskedSingly = true }
    }

    // MARK: One at a time

    /// Takes in the answer to ``next``.
    ///
    /// - Parameter labels: tell which label a virtual address stands for.
    package mutating func take(_ report: NodeReport, labels: KnownLabels) {
        guard !waiting.isEmpty else { return }
        waiting.removeLast()
        reports += 1
        record(report, labels: labels)
        fill()
    }

    /// The node refuses to tell what ``next`` asks.
    package mutating func refuse() {
        guard let reading = next else { return }
        refused.append(reading)
        skip()
    }

    /// What ``next`` asks cannot be read: the node answers oddly, or does not answer that although it answers other Gets.
    package mutating func leave(_ answer: OddAnswer?) {
        guard let reading = next else { return }
        unread.append(UnreadValue(reading, answer: answer))
        skip()
    }

    /// Whether the node has answered anything, be it oddly.
    package var hasAnswered: Bool { reports > 0 || !refused.isEmpty || !unread.isEmpty }

    /// Whether what the node told of its keys is all that it has.
    var knowsAllKeys: Bool {
        let left = refused + unread.map(\.reading)
        return !left.contains { reading in
            switch reading {
            case .netKeys, .appKeys: true
            default: false
            }
        }
    }

    /// Leaves what ``next`` asks as it is recorded.
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

    /// States that are there to stay: a Node Identity ends by itself after a minute.
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
                model.publication = nil
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
                update(address) { $0.publication = nil }
            } else {
                readings.append(.publication(address))
            }
        }
        return readings
    }

    private func addresses(where isMeant: (ModelIdentifier) -> Bool) -> [ModelAddress] {
        node.elements.enumerated().flatMap { index, element in
            element.models.lazy.map(\.identifier).filter(isMeant).map {
                ModelAddress(element: UInt8(truncatingIfNeeded: index), model: $0)
            }
        }
    }
}
