package import MeshCore

/// What our own node needs in order to operate others.
package struct OwnModel: Hashable, Sendable {
    package let model: ModelIdentifier
    package let key: AppKeyIndex

    package init(_ model: ModelIdentifier, key: AppKeyIndex) {
        self.model = model
        self.key = key
    }
}

extension MeshNetwork {
    /// Our own node with client models on its primary element, bound to AppKeys; nil if it has them already, or if the
    /// network has no node of our own.
    ///
    /// Other programs that import the network see from them which messages our address sends.
    package func ownNode(with needs: Set<OwnModel>) -> Node? {
        guard var node = nodes.first(where: { $0.uuid == ownProvisioner }) else { return nil }
        let before = node
        if node.elements.isEmpty { node.elements = [Element()] }
        for need in needs.sorted(by: { ($0.model, $0.key) < ($1.model, $1.key) }) {
            guard let key = appKeys.first(where: { $0.index == need.key }) else { continue }
            if !node.knows(need.key) {
                node.appKeys.append(NodeKey(index: need.key, isUpdated: key.oldKey != nil))
                node.appKeys.sort { $0.index < $1.index }
            }
            if let subnet = netKeys.first(where: { $0.index == key.boundNetKey }), !node.knows(subnet.index) {
                node.netKeys.append(NodeKey(index: subnet.index, isUpdated: subnet.oldKey != nil))
                node.netKeys.sort { $0.index < $1.index }
            }
            node.elements[0].bind(need)
        }
        return node == before ? nil : node
    }
}

extension Element {
    fileprivate mutating func bind(_ need: OwnModel) {
        guard let index = place(of: need.model) else {
            models.append(Model(identifier: need.model, bindings: [need.key]))
            return
        }
        guard !models[index].bindings.contains(need.key) else { return }
        models[index].bindings = (models[index].bindings + [need.key]).sorted()
    }
}
