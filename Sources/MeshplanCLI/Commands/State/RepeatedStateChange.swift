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

    /// A node, by name, UUID or address, that was there before and has gone; nil if it was not, or has not.
    func removedNode(_ node: String) -> Node? {
        guard let before = former?.node(named: node), present.node(named: node) == nil,
            !present.nodes.contains(where: { $0.uuid == before.uuid })
        else { return nil }
        return before
    }

    /// A resource that was there before and has gone; nil if it was not, or has not.
    func removed(_ address: String) -> StateResource? {
        guard let former, (try? StateResource.find(address, in: present, named: name)) == nil else { return nil }
        return try? StateResource.find(address, in: former, named: name)
    }
}
