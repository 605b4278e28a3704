import DefinitionModel
import MeshCore

extension Resolver {
    /// Finds what the network has and the definition does not mention, and what the definition begins to manage.
    mutating func resolveRemovals() {
        let netKeys = Set(state.subnets.map(\.index))
        let appKeys = Set(state.applicationKeys.map(\.index))
        let groups = Set(state.groups.map(\.group.address))
        for group in network.groups {
            guard groups.contains(group.address) else {
                if group.isManaged {
                    guardProtection(.group, group.name, group.isProtected)
                    state.leaving.groups.insert(group.address)
                }
                continue
            }
            if !group.isManaged { state.claims.append(.group(group.address)) }
        }
        for key in network.appKeys {
            guard appKeys.contains(key.index) else {
                if key.isManaged {
                    guardProtection(.applicationKey, key.name, key.isProtected)
                    state.leaving.appKeys.insert(key.index)
                }
                continue
            }
            if !key.isManaged { state.claims.append(.appKey(key.index)) }
        }
        for key in network.netKeys {
            guard netKeys.contains(key.index) else {
                if key.isManaged, canLeave(key) {
                    guardProtection(.subnet, key.name, key.isProtected)
                    state.leaving.netKeys.insert(key.index)
                }
                continue
            }
            if !key.isManaged { state.claims.append(.netKey(key.index)) }
        }
        freeParents()
        noteRenames()
    }

    /// Reports something that leaves although it is protected.
    private mutating func guardProtection(_ kind: NamedKind, _ name: String, _ isProtected: Bool) {
        guard isProtected else { return }
        let finding = GuardFinding(
            .protectedResource,
            "\(kind.title) `\(name)` is protected and no longer in the definition",
            resources: ["\(kind.rawValue).\(name)"]
        )
        let hint = "Put it back, or apply `protect: off` for it before you remove it"
        state.findings.append(DesiredState.Finding(finding: finding, hint: hint))
    }

    /// Whether a subnet can leave the network; reports why not.
    private mutating func canLeave(_ key: NetKey) -> Bool {
        let problem: (message: String, hint: String)
        if key.index == .primary {
            problem = (
                "is the primary subnet, which cannot be removed",
                "Put it back into `subnets`; if it has another name now, give it `index: 0` or say so under `moved`"
            )
        } else if key.phase != .normal {
            problem = (
                "is no longer in the definition, and a key refresh of it is in progress",
                "Put it back until the key refresh is finished"
            )
        } else {
            // Its application keys would leave with it, and those that nobody manages are left alone.
            let isUsed = network.appKeys.contains { $0.boundNetKey == key.index && !$0.isManaged }
            if isUsed { state.keptSubnets.append(key.index) }
            return !isUsed
        }
        diagnostics.report(
            Diagnostic(
                .error,
                "subnet `\(key.name)` \(problem.message)",
                resource: "subnet." + key.name,
                hint: problem.hint
            )
        )
        return false
    }

    /// Groups whose parent leaves have no parent, unless the definition names another one.
    private mutating func freeParents() {
        guard !state.leaving.groups.isEmpty else { return }
        for index in state.groups.indices {
            if let parent = state.groups[index].group.parent, state.leaving.groups.contains(parent) {
                state.groups[index].group.parent = nil
            }
        }
    }

    /// Notes a removed name and a new name that may be the same resource.
    private mutating func noteRenames() {
        let gone = state.leaving
        if gone.groups.count == 1 {
            let new = Set(state.groups.filter { $0.recorded == nil }.map(\.group.name))
            note(
                .group,
                from: network.groups.first { gone.groups.contains($0.address) }?.name,
                to: definition.groups.filter { new.contains($0.name.value) && $0.address == nil }.map(\.name)
            )
        }
        if gone.appKeys.count == 1 {
            let new = Set(state.applicationKeys.filter { $0.recordedName == nil }.map(\.name.value))
            note(
                .applicationKey,
                from: network.appKeys.first { gone.appKeys.contains($0.index) }?.name,
                to: definition.applicationKeys.filter { new.contains($0.name.value) && $0.index == nil }.map(\.name)
            )
        }
        if gone.netKeys.count == 1 {
            let new = Set(state.subnets.filter { $0.recordedName == nil }.map(\.name.value))
            note(
                .subnet,
                from: network.netKeys.first { gone.netKeys.contains($0.index) }?.name,
                to: definition.subnets.filter { new.contains($0.name.value) && $0.index == nil }.map(\.name)
            )
        }
    }

    private mutating func note(_ kind: NamedKind, from old: String?, to new: [Located<String>]) {
        guard let old, new.count == 1, let name = new.first else { return }
        diagnostics.report(
            Diagnostic(
                .warning,
                "\(kind.title) `\(old)` is removed, and `\(name.value)` is created",
                at: name.location,
                length: name.value.count,
                resource: "\(kind.rawValue).\(name.value)",
                hint: "If it was only renamed, declare that, and no messages are needed: "
                    + "`moved: [{ from: \(kind.rawValue).\(old), to: \(kind.rawValue).\(name.value) }]`"
            )
        )
    }
}
