import DefinitionModel
import MeshCore

/// What the definition's subnets and application keys have in common.
protocol DesiredKey {
    var name: Located<String> { get }
    /// Its name in the database; nil if it does not exist there.
    var recordedName: String? { get }
    /// Whether it refuses removal; nil leaves that unchanged.
    var isProtected: Bool? { get }
    /// Whether it refuses removal according to the database.
    var wasProtected: Bool { get }
}

extension DesiredSubnet: DesiredKey {}
extension DesiredApplicationKey: DesiredKey {}

extension DesiredKey {
    /// Whether its protection begins or ends.
    var isProtectionChanged: Bool { isProtected.map { $0 != wasProtected } ?? false }
}

extension DesiredGroup {
    /// Whether it differs from the database. Becoming managed does not count.
    var isChanged: Bool {
        guard var old = recorded else { return true }
        old.isManaged = group.isManaged
        return old != group
    }
}

extension PlanBuilder {
    /// The change of a key of the network.
    func change(_ key: some DesiredKey, _ kind: Change.Kind, _ noun: NamedKind) -> Change {
        func text(_ name: String, _ isProtected: Bool) -> String { "name \(name)" + (isProtected ? ", protected" : "") }
        let name = key.name.value
        return Change(
            address: "\(noun.rawValue).\(name)",
            kind: kind,
            action: key.recordedName == nil ? .create : .update,
            before: key.recordedName.map { text($0, key.wasProtected) },
            after: text(name, key.isProtected ?? key.wasProtected),
            previousAddress: key.recordedName.flatMap { $0 == name ? nil : "\(noun.rawValue).\($0)" }
        )
    }

    /// Adds the edits that give things other titles.
    mutating func addTitles(_ titles: [TitleDifference]) {
        for title in titles {
            let change = add(
                Change(
                    address: title.address + ".title",
                    kind: .title,
                    action: title.before == nil ? .create : title.after == nil ? .delete : .update,
                    before: title.before,
                    after: title.after
                )
            )
            add(.edit(.title(title.resource, title.after)), change: change)
        }
    }

    /// Adds the edit that begins or ends its protection, if that changes.
    mutating func protect(_ resource: NetworkResource, _ key: some DesiredKey, change: Int, after step: Int?) {
        guard let isProtected = key.isProtected, key.isProtectionChanged else { return }
        add(.edit(.protect(resource, isProtected: isProtected)), change: change, after: step.map { [$0] } ?? [])
    }
}
