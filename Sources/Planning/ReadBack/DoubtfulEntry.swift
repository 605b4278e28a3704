package import MeshCore

/// List entries and publications in doubt: the outcome of a request to add or remove one is unknown, and the node does
/// not report it.
///
/// The record of the node stays as it is, since adding a present entry and removing an absent one changes nothing. The
/// doubt is kept beside the record until a request about the same entry is confirmed or the node is read back in full.
extension ConfigurationAction {
    /// The entry or publication that the request changes; nil if it changes a single value or more than one entry.
    package var entry: NodeResource? {
        switch self {
        case .addNetKey(let index), .deleteNetKey(let index): .netKey(index)
        case .addAppKey(let index, boundTo: _), .deleteAppKey(let index, boundTo: _): .appKey(index)
        case .bind(let model, let key), .unbind(let model, let key): .binding(model, key)
        case .addSubscription(let model, let group), .deleteSubscription(let model, let group):
            .subscription(model, group)
        case .setPublication(let model, _): .publication(model)
        case .addBridging(let entry), .removeBridging(let entry): .bridging(entry)
        default: nil
        }
    }

    /// Whether the confirmed request ends the doubt about another one.
    fileprivate func settles(_ other: ConfigurationAction) -> Bool {
        switch (self, other.entry) {
        case (_, nil): self == other
        case (.resetNode, _): true
        case (.overwriteSubscriptions(let model, _), .subscription(let about, _)?),
            (.deleteAllSubscriptions(let model), .subscription(let about, _)?):
            model == about
        case (_, let about): entry == about
        }
    }
}

extension Node.UnreadRecord {
    fileprivate init(doubting action: ConfigurationAction) {
        self.init(request: action.encoded, answer: nil)
    }

    /// The request in doubt; nil if this is a Get.
    package var doubt: ConfigurationAction? {
        guard let action = try? ConfigurationAction(decoding: request) else { return nil }
        if case .read = action { return nil }
        return action
    }
}

extension Node {
    /// The entries and publications in doubt, sorted.
    package var doubtfulEntries: [NodeResource] { unread.compactMap { $0.doubt?.entry }.sortedUnique() }

    /// Records that the outcome of a request is unknown, if it changes an entry or a publication.
    package mutating func doubt(_ action: ConfigurationAction) {
        guard action.entry != nil else { return }
        settleDoubts(by: action)
        unread.append(UnreadRecord(doubting: action))
    }

    /// Ends the doubts about earlier requests for the same entry, because a request was confirmed.
    package mutating func settleDoubts(by action: ConfigurationAction) {
        guard !unread.isEmpty else { return }
        unread.removeAll { $0.doubt.map(action.settles) ?? false }
    }
}

extension MeshNetwork {
    /// The notes of a plan on entries in doubt that it does not set anew.
    ///
    /// - Parameters:
    ///   - nodes: the nodes of the definition.
    ///   - steps: the steps of the plan.
    func doubtNotes(of nodes: Set<DeviceUUID>, _ steps: [Step], _ names: ResourceNames) -> [Advice] {
        // By index, because a filter would look at a copy of each node.
        let recorded = self.nodes
        let doubtful = recorded.indices.filter { !recorded[$0].unread.isEmpty && nodes.contains(recorded[$0].uuid) }
            .map { recorded[$0] }
        guard !doubtful.isEmpty else { return [] }
        var sent: [DeviceUUID: [ConfigurationAction]] = [:]
        for case .configure(let node, let action) in steps.lazy.map(\.work) { sent[node, default: []].append(action) }
        return doubtful.compactMap { node in
            let entries = node.unread.compactMap(\.doubt).filter { doubt in
                !(sent[node.uuid] ?? []).contains { $0.settles(doubt) }
            }.compactMap(\.entry).sortedUnique()
            return entries.isEmpty ? nil : NodeDoubtText.sentence(entries.map { $0.path(names) }, of: node.name)
        }
    }
}

/// Describes entries in doubt.
package enum NodeDoubtText {
    /// The most entries to name.
    private static let limit = 3

    /// A sentence about one node.
    ///
    /// - Parameters:
    ///   - paths: the addresses of the entries as in plans, at least one.
    ///   - name: the name of the node.
    package static func sentence(_ paths: [String], of name: String) -> Advice {
        let list = paths.prefix(limit).joined(separator: ", ") + (paths.count > limit ? ", …" : "")
        let (verb, rest) = paths.count == 1 ? ("is", "it is") : ("are", "they are")
        return """
            \(name): nobody knows whether \(list) \(verb) there, and \(rest) taken to be as recorded; \
            \(command: .readBack()) finds out.
            """
    }
}
