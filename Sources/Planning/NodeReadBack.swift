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
    package private(set) var node: Node
    /// How many Gets the node has answered with what was asked.
    package private(set) var reports = 0
    /// What it refused to tell; that stays as it was recorded.
    package private(set) var refused: [NodeReading] = []
    /// Whether every Get goes by itself although the node has the Opcodes Aggregator Server.
    package private(set) var isAskedSingly = false

    /// Which nodes are asked for composition pages beside page 0 and for the metadata of their models.
    package enum Pages: Hashable, Sendable {
        /// Those with the Large Composition Data Server of which they are not known.
        case unread
        /// All.
        case all
    }

    private let pages: Pages
    private let isInSequences: Bool
    private var pageReading: PageReading?

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
    private var waiting: [NodeReading] = [.composition]
    /// The network's AppKeys, which tell the subnet of each.
    private let appKeys: [AppKey]
    private var reportedAppKeys: Set<AppKeyIndex> = []
    /// What the bridging table was told to hold so far.
    private var bridging: [BridgingTableEntry] = []
    private var pairCount = 0
    private var entryCounts: [NetKeyIndexPair: Int] = [:]
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

    // MARK: What was said

    private mutating func record(_ report: NodeReport, labels: KnownLabels) {
        switch report {
        case .composition(let composition):
            let before = node
            node.record(composition)
            if !node.isMade(as: before) {
                // The other pages are those of another firmware.
                node.compositionPages = nil
                node.modelsMetadata = nil
            }
        case .netKeys(let indexes):
            for key in node.netKeys where !indexes.contains(key.index) {
                node.apply(.deleteNetKey(key.index), appKeys: appKeys)
            }
            for index in indexes { node.apply(.addNetKey(index), appKeys: appKeys) }
        case .appKeys(let netKey, let indexes):
            // A key of that index in another subnet is not the key that the database means.
            for index in indexes where (boundNetKey(of: index) ?? netKey) == netKey { reportedAppKeys.insert(index) }
        case .bindings(let address, let indexes): update(address) { $0.bindings = indexes.sortedUnique() }
        case .subscriptions(let address, let list):
            let recorded = labelsRecorded(at: address)
            let subscriptions = list.compactMap { subscription(to: $0, recorded: recorded, labels) }
            update(address) { $0.subscriptions = subscriptions.sortedUnique() }
        case .publication(let address, let target, let settings):
            let target = publishAddress(target, recorded: labelsRecorded(at: address), labels)
            update(address) { $0.publication = target.map(settings.publication) }
        case .defaultTTL(let ttl): node.defaultTTL = ttl
        case .secureNetworkBeacon(let isOn): node.secureNetworkBeacon = isOn
        case .networkTransmit(let parameters): node.networkTransmit = parameters
        case .friend(let state): node.features.friend = state
        case .relay(let state, let retransmit):
            node.features.relay = state
            if state != .notSupported { node.relayRetransmit = retransmit }
        case .proxy(let state): node.features.proxy = state
        case .state(let state): node.recordReport(state)
        case .bridgedSubnets(let pairs): askFurther(pairs)
        case .bridgingTable(let pair, let entries): askFurther(pair, entries)
        case .page(let answer):
            pageReading?.take(answer)
            askForPages()
        }
    }

    private mutating func pageReadings() -> [NodeReading] {
        let isUnread = node.compositionPages == nil && node.hasPrimary(.largeCompositionDataServer)
        guard pages == .all || isUnread else { return [] }
        let reading = PageReading(of: node)
        pageReading = reading
        return reading.next.map { [.page($0)] } ?? []
    }

    /// Asks for the next page, or takes over what there is when there are no more.
    private mutating func askForPages() {
        guard let reading = pageReading else { return }
        if let part = reading.next {
            waiting.append(.page(part))
            return
        }
        node.compositionPages = reading.compositionPages
        node.modelsMetadata = reading.modelsMetadata
    }

    /// Asks for the entries between each of those subnets, and for more of these; without more the table is all there.
    private mutating func askFurther(_ pairs: [NetKeyIndexPair]) {
        pairCount += pairs.count
        let next = UInt8(exactly: pairCount).flatMap { pairs.isEmpty ? nil : $0 }
        guard let next else {
            node.bridgingTable = bridging.sortedUnique()
            return
        }
        waiting.append(.bridgedSubnets(from: next))
        for pair in pairs.reversed() where entryCounts[pair] == nil {
            entryCounts[pair] = 0
            waiting.append(.bridgingTable(pair, from: 0))
        }
    }

    private mutating func askFurther(_ pair: NetKeyIndexPair, _ entries: [BridgedAddresses]) {
        guard !entries.isEmpty else { return }
        bridging += entries.map { BridgingTableEntry(subnets: pair, addresses: $0) }
        entryCounts[pair, default: 0] += entries.count
        if let next = UInt16(exactly: entryCounts[pair] ?? 0) { waiting.append(.bridgingTable(pair, from: next)) }
    }

    /// All lists of AppKeys are there: those that are in none are gone, and what used them with them.
    private mutating func recordAppKeys() {
        for key in node.appKeys where !reportedAppKeys.contains(key.index) {
            node.apply(.deleteAppKey(key.index, boundTo: boundNetKey(of: key.index) ?? .primary), appKeys: appKeys)
        }
        for index in reportedAppKeys.sorted() {
            node.apply(.addAppKey(index, boundTo: boundNetKey(of: index) ?? .primary), appKeys: appKeys)
        }
    }

    private func boundNetKey(of index: AppKeyIndex) -> NetKeyIndex? {
        let place = appKeys.firstPlace { $0.index >= index }
        guard place < appKeys.count, appKeys[place].index == index else { return nil }
        return appKeys[place].boundNetKey
    }

    /// The labels that a model is recorded with.
    private func labelsRecorded(at address: ModelAddress) -> [LabelUUID] {
        guard let model = node.model(at: address) else { return [] }
        var found: [LabelUUID] = []
        for case .virtual(let label) in model.subscriptions { found.append(label) }
        if case .virtual(let label)? = model.publication?.address, !found.contains(label) { found.append(label) }
        return found
    }

    private func subscription(
        to address: Address,
        recorded: [LabelUUID],
        _ labels: KnownLabels
    ) -> SubscriptionAddress? {
        if let group = GroupAddress(rawValue: address.rawValue) { return .group(group) }
        guard let virtual = VirtualAddress(rawValue: address.rawValue) else { return nil }
        return labels.label(of: address, recorded: recorded).map { .virtual($0) } ?? .unknownLabel(virtual)
    }

    private func publishAddress(
        _ address: Address,
        recorded: [LabelUUID],
        _ labels: KnownLabels
    ) -> PublishAddress? {
        if let unicast = UnicastAddress(rawValue: address.rawValue) { return .unicast(unicast) }
        switch subscription(to: address, recorded: recorded, labels) {
        case .group(let group): return .group(group)
        case .virtual(let label): return .virtual(label)
        case .unknownLabel(let virtual): return .unknownLabel(virtual)
        case nil: return nil
        }
    }

    private mutating func update(_ address: ModelAddress, _ change: (inout Model) -> Void) {
        let element = Int(address.element)
        guard node.elements.indices.contains(element),
            let place = node.elements[element].models.firstIndex(where: { $0.identifier == address.model })
        else { return }
        change(&node.elements[element].models[place])
    }
}
