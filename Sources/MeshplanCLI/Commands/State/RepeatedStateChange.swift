import MeshCore
import Store

/// Whether the last command has done already what this one asks for: who was cut short cannot know that it had, and
/// repeats it.
struct RepeatedStateChange {
    private let former: MeshNetwork?
    private let present: MeshNetwork
    private let name: String

    /// Compares with the state before the last command, if that was the same operation.
    ///
    /// - Throws: what reading the history throws.
    init(_ operation: String, _ database: MeshDatabase, _ present: MeshNetwork, named name: String) throws {
        let last = try database.history().entries.first
        let isSame = last?.operation == operation && last?.isRestorable == true
        former = try isSame ? last.map { try database.snapshot(at: $0.serialBefore).network } : nil
        self.present = present
        self.name = name
    }

    /// Whether a node, by name, UUID or address, was there before and has gone.
    func hasRemovedNode(_ node: String) -> Bool {
        guard let before = former?.node(named: node) else { return false }
        return present.node(named: node) == nil && !present.nodes.contains { $0.uuid == before.uuid }
    }

    /// Whether a resource was there before and has gone.
    func hasRemoved(_ address: String) -> Bool {
        guard let former else { return false }
        return (try? StateResource.find(address, in: former, named: name)) != nil
            && (try? StateResource.find(address, in: present, named: name)) == nil
    }
}
