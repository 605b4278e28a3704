import MeshCore

/// Records the answers of a node that is read back.
extension NodeReadBack {
    /// Records an answer of the node, and updates what is left to ask.
    mutating func record(_ report: NodeReport, labels: KnownLabels) {
        switch report {
        case .composition(let composition):
            let before = node
            node.record(composition)
            if !node.isMade(as: before) {
                // The other pages belong to a different firmware.
                node.compositionPages = nil
                node.modelsMetadata = nil
            }
        case .netKeys(let indexes):
            for key in node.netKeys where !indexes.contains(key.index) {
                node.apply(.deleteNetKey(key.index), appKeys: appKeys)
            }
            for index in indexes { node.apply(.addNetKey(index), appKeys: appKeys) }
        case .appKeys(let netKey, let indexes):
            // An AppKey with that index in another subnet is not the database's key.
            for index in indexes where (boundNetKey(of: index) ?? netKey) == netKey { reportedAppKeys.insert(index) }
        case .bindings(let address, let indexes):
            let bindings = indexes.sortedUnique().filter { isThere($0) }
            update(address) { $0.bindings = bindings }
        case .subscriptions(let address, let list):
            let recorded = labelsRecorded(at: address)
            let subscriptions = list.compactMap { subscription(to: $0, recorded: recorded, labels) }
            update(address) { $0.subscriptions = subscriptions.sortedUnique() }
        case .publication(let address, let target, let settings):
            var target = publishAddress(target, recorded: labelsRecorded(at: address), labels)
            if target != nil, !isThere(settings.appKeyIndex) { target = nil }
            update(address) { model in
                if let target { model.publication = settings.publication(to: target) } else { model.endPublication() }
            }
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
        case .modelState(let address, let form, let status) where form.register != nil:
            recordRegister(RegisterReport(status), form, of: address)
        case .modelState(let address, let form, let status):
            update(address) { model in
                let mask = model.state(named: form.name)?.mask ?? []
                model.record(KnownModelState(form: form, status: status, mask: mask))
            }
        case .page(let answer):
            pageReading?.record(answer)
            askForPages()
        }
    }

    /// Forgets the entries that a register no longer has. Nothing is known of what the others stand for, so the record
    /// stays.
    private mutating func recordRegister(
        _ report: RegisterReport?,
        _ form: ModelStateForm,
        of address: ModelAddress
    ) {
        guard let report, report.status == 0 else { return }
        update(address) { model in
            for state in model.states where state.form.statusOpcode == form.statusOpcode {
                guard let number = state.form.register, !report.numbers.contains(number) else { continue }
                model.forgetState(named: state.form.name)
            }
        }
    }

    /// Whether a configuration that uses an AppKey can exist: a node cannot use a key that it does not have, even if it
    /// reports a binding.
    private mutating func isThere(_ index: AppKeyIndex) -> Bool {
        if !knowsAllKeys || node.appKeys.contains(where: { $0.index == index }) { return true }
        quirks.insert(.keepsBindings)
        return false
    }

    /// The first reading for the composition pages beside page 0 and for the metadata of the models, if any.
    mutating func pageReadings() -> [NodeReading] {
        let isUnread = node.compositionPages == nil && node.hasPrimary(.largeCompositionDataServer)
        guard pages == .all || isUnread else { return [] }
        let reading = PageReading(of: node)
        pageReading = reading
        return reading.next.map { [.page($0)] } ?? []
    }

    /// Asks for the next page, or records the pages if there are no more.
    mutating func askForPages() {
        guard let reading = pageReading else { return }
        if let part = reading.next {
            waiting.append(.page(part))
            return
        }
        node.compositionPages = reading.compositionPages
        node.modelsMetadata = reading.modelsMetadata
    }

    /// Asks for the entries between each of those subnets, and for further pairs. Without further pairs, the table is
    /// complete.
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

    /// All lists of AppKeys have arrived. Keys in none of them are gone, and so is everything that used them.
    mutating func recordAppKeys() {
        for key in node.appKeys where !reportedAppKeys.contains(key.index) {
            node.apply(.deleteAppKey(key.index, boundTo: boundNetKey(of: key.index) ?? .primary), appKeys: appKeys)
        }
        for index in reportedAppKeys.sorted() {
            node.apply(.addAppKey(index, boundTo: boundNetKey(of: index) ?? .primary), appKeys: appKeys)
        }
    }

    /// The subnet of an AppKey, as far as the network's record shows it.
    func boundNetKey(of index: AppKeyIndex) -> NetKeyIndex? {
        let place = appKeys.firstPlace { $0.index >= index }
        guard place < appKeys.count, appKeys[place].index == index else { return nil }
        return appKeys[place].boundNetKey
    }

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

    /// Changes the record of a model, if there is one.
    mutating func update(_ address: ModelAddress, _ change: (inout Model) -> Void) {
        let element = Int(address.element)
        guard node.elements.indices.contains(element),
            let index = node.elements[element].models.firstIndex(where: { $0.identifier == address.model })
        else { return }
        change(&node.elements[element].models[index])
    }
}
