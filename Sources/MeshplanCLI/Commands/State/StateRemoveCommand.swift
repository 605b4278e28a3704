import ArgumentParser
import MeshCore
import Store
import SystemLayer

/// `meshplan state rm`
struct StateRemoveCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove resources from the mesh database; nothing is sent.",
        discussion: """
            For what is gone for good and cannot answer: a node that burned, a group or key that nothing uses. A \
            node's device key is kept among the retired nodes, and its addresses are not given out again before the IV \
            index allows it. A node that still works keeps its keys; meshplan keys refresh SUBNET --exclude NODE \
            excludes it. What the definition still names is planned again.
            """
    )

    @Argument(
        help: ArgumentHelp("subnet.NAME, key.NAME, group.NAME or node.NAME.", valueName: "resource"),
        completion: Completion.resources
    )
    var resources: [String]

    @Flag(help: "Only show what would be removed.")
    var dryRun = false

    @OptionGroup var change: ChangeOptions

    func run(in context: Context) throws -> ExitStatus {
        let (name, database, lease) = try Workspace(context: context).open(
            networks.network,
            toChangeUnless: dryRun,
            for: "state rm"
        )
        let snapshot = try database.snapshot()
        let before = try RepeatedStateChange("state rm", database, snapshot.network, named: name)
        let removed = resources.compactMap(before.removed)
        if removed.count == resources.count {
            if context.json == nil {
                context.output.line("Removed already, by the last command; serial \(snapshot.serial).")
            }
            write(removed, serial: snapshot.serial, isRepeated: true, context)
            return .success
        }
        let found = try resources.map { try StateResource.find($0, in: snapshot.network, named: name) }
        var network = snapshot.network
        var extras = try database.extras()
        // Nodes come first, so that resources used only by them can go, too. Then come application keys, and the
        // subnets they are bound to.
        for resource in found.sorted(by: { $0.kind.removalOrder < $1.kind.removalOrder }) {
            try network.removeFromState(resource, at: context.now())
            if case .node(let uuid) = resource.reference { extras.removeNode(uuid) }
        }
        for resource in found {
            context.json?.write([
                "type": "removal", "address": resource.address.json, "identity": resource.identity.json,
                "dry_run": .bool(dryRun),
            ])
            if context.json == nil {
                let what = "\(resource.address.printable) (\(resource.identity))"
                context.output.line(dryRun ? "Would remove \(what)" : "- \(what)")
            }
        }
        guard let lease else { return .success }
        if !change.autoApprove {
            try Prompt(context: context).confirm(
                "Do you want to take \(count(found.count, "resource")) out of the database?",
                explanation: "Nothing is sent: what is gone from the database stays as it is on the nodes."
            )
        }
        var changes = StoreChanges(from: snapshot.network, to: network)
        if try extras != database.extras() { changes.extras = extras }
        let serial = try database.commit(changes, with: lease)
        if context.json == nil { context.output.line("Removed \(count(found.count, "resource")); serial \(serial).") }
        write(found, serial: serial, isRepeated: false, context)
        return .success
    }

    /// Tells programs what has gone.
    private func write(_ resources: [StateResource], serial: UInt64, isRepeated: Bool, _ context: Context) {
        context.json?.write([
            "type": "removed", "addresses": .array(resources.map(\.address.json)),
            "serial": .integer(Int(clamping: serial)), "already": isRepeated ? true : nil,
        ])
    }
}

extension StateResource.Kind {
    fileprivate var removalOrder: Int {
        switch self {
        case .node: 0
        case .group: 1
        case .key: 2
        case .subnet: 3
        }
    }
}

extension MeshNetwork {
    /// Removes a resource, if nothing uses it any more.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/refused`` if the resource is protected, our own, or in use; the message
    ///   names the users.
    mutating func removeFromState(_ resource: StateResource, at now: Timestamp) throws(Failure) {
        switch resource.reference {
        case .node(let uuid):
            guard uuid != ownProvisioner else {
                throw Failure(.refused, "\(resource.address.printable) is meshplan's own node and cannot be removed")
            }
            guard nodes.first(where: { $0.uuid == uuid })?.isProtected != true else {
                throw Failure(
                    .refused,
                    "\(resource.address.printable) is protected",
                    hint: "Take `protect: true` out of the definition and apply that first."
                )
            }
            retire(uuid, reason: .excluded, at: now)
            drifts[uuid] = nil
        case .resource(let reference):
            guard !isProtected(reference) else {
                throw Failure(
                    .refused,
                    "\(resource.address.printable) is protected",
                    hint: "Take `protect: true` out of the definition and apply that first."
                )
            }
            let users = users(of: reference)
            guard users.isEmpty else {
                let names = users.prefix(3).map(\.printable).joined(separator: ", ")
                throw Failure(
                    .refused,
                    "\(resource.address.printable) is in use by \(names)"
                        + (users.count > 3 ? " and \(users.count - 3) more" : ""),
                    hint: "Take its line out of the definition; meshplan apply removes it from the nodes and then here."
                )
            }
            remove(reference)
            for index in nodes.indices { nodes[index].forgetOwn(reference, isOwn: nodes[index].uuid == ownProvisioner) }
        }
    }

    private func isProtected(_ reference: NetworkResource) -> Bool {
        switch reference {
        case .netKey(let index): netKeys.contains { $0.index == index && $0.isProtected }
        case .appKey(let index): appKeys.contains { $0.index == index && $0.isProtected }
        case .group(let address): groups.contains { $0.address == address && $0.isProtected }
        }
    }

    /// The names of the users of a resource, as far as the database knows. Our own node has every key and does not
    /// count.
    private func users(of reference: NetworkResource) -> [String] {
        let others = nodes.lazy.filter { $0.uuid != ownProvisioner }
        switch reference {
        case .netKey(let index):
            if index == .primary || netKeys.count == 1 { return ["the network, whose primary subnet it is"] }
            return appKeys.filter { $0.boundNetKey == index }.map { "key.\($0.name)" }
                + others.filter { $0.knows(index) }.map { "node.\($0.name)" }
        case .appKey(let index): return others.filter { $0.knows(index) }.map { "node.\($0.name)" }
        case .group(let address): return others.filter { $0.uses(address) }.map { "node.\($0.name)" }
        }
    }
}

extension Node {
    /// Whether a model subscribes or publishes to a group.
    fileprivate func uses(_ address: SubscriptionAddress) -> Bool {
        elements.contains { element in
            element.models.contains { model in
                if model.subscriptions.contains(address) { return true }
                switch (model.publication?.address, address) {
                case (.group(let group)?, .group(let other)): return group == other
                case (.virtual(let label)?, .virtual(let other)): return label == other
                default: return false
                }
            }
        }
    }

    /// Removes a deleted key from our own node.
    fileprivate mutating func forgetOwn(_ reference: NetworkResource, isOwn: Bool) {
        guard isOwn else { return }
        switch reference {
        case .netKey(let index): netKeys.removeAll { $0.index == index }
        case .appKey(let index):
            appKeys.removeAll { $0.index == index }
            for element in elements.indices {
                for model in elements[element].models.indices {
                    elements[element].models[model].bindings.removeAll { $0 == index }
                }
            }
        case .group: break
        }
    }
}
