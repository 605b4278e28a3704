import DefinitionModel
import MeshCore
import Planning

/// A plan as compact lines for tables: changes, then steps with what they depend on.
enum PlanDebugText {
    static func text(_ plan: Plan) -> String {
        var lines = plan.changes.map(line)
        lines += plan.steps.enumerated().map { position, step in
            var line = "\(position) \(text(step.work, in: plan))"
            if !step.dependencies.isEmpty {
                line += " after " + step.dependencies.map { String($0) }.joined(separator: ",")
            }
            return (plan.barriers.contains(position) ? "| " : "") + line
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ change: Change) -> String {
        let symbol =
            switch change.action {
            case .create: "+"
            case .update: "~"
            case .delete: "-"
            case .forget: "."
            case .replace: "-/+"
            }
        var line = "\(symbol) " + (change.previousAddress.map { "\($0) => " } ?? "") + change.address
        if let before = change.before { line += " [\(before)]" }
        if let after = change.after { line += " -> [\(after)]" }
        return line + (change.isImplied ? " (implied)" : "") + (change.isDeferred ? " (deferred)" : "")
    }

    private static func text(_ work: Step.Work, in plan: Plan) -> String {
        switch work {
        case .configure(let uuid, let action):
            let name = plan.nodes.first { $0.uuid == uuid }?.name ?? "?"
            return "\(name): \(text(action))"
        case .edit(let edit): return text(edit)
        case .provision(let order):
            return "\(order.name): provision\(order.isReplacement ? " again" : "")" + text(order)
        case .configureWhenKnown(let configuration):
            let target = configuration.target.flatMap { uuid in plan.nodes.first { $0.uuid == uuid }?.name }
            return "\(configuration.name): configure when known" + (target.map { " to publish to \($0)" } ?? "")
        case .readBack(let uuid): return "\(plan.nodes.first { $0.uuid == uuid }?.name ?? "?"): read back"
        }
    }

    private static func text(_ order: ProvisioningOrder) -> String {
        var text = order.address.map { " at \($0)" } ?? ""
        text += " in \(order.netKeyIndex)"
        if order.isProtected { text += " protected" }
        if order.removalPolicy == .reset { text += " reset" }
        if let method = order.method { text += " \(method.name)" }
        if order.assurance > .nothing { text += " \(order.assurance.rawValue)" }
        if let source = order.staticValue { text += " \(source)" }
        if let file = order.publicKeyFile { text += " public key \(file)" }
        if let algorithm = order.algorithm { text += " \(algorithm.name)" }
        if order.attention > 0 { text += " attention \(order.attention)" }
        return text
    }

    private static func text(_ edit: DatabaseEdit) -> String {
        switch edit {
        case .createNetKey(let index, let name, let source): "create NetKey \(index) \(name) \(source)"
        case .createAppKey(let index, let name, boundTo: let netKey, let source):
            "create AppKey \(index) \(name) in \(netKey) \(source)"
        case .renameNetKey(let index, let name): "rename NetKey \(index) \(name)"
        case .renameAppKey(let index, let name): "rename AppKey \(index) \(name)"
        case .putGroup(let group): "put group \(group.address) \(group.name)"
        case .manage(_, let name, let isProtected, let removalPolicy):
            "manage \(name)\(isProtected ? " protected" : "")\(removalPolicy == .reset ? " reset" : "")"
        case .forget: "forget"
        case .protect(let resource, let isProtected): "\(isProtected ? "protect" : "unprotect") \(text(resource))"
        case .remove(let resource): "remove \(text(resource))"
        case .refreshKeys(let index, let stage, replacing: _): "refresh NetKey \(index): \(stage)"
        case .exclude: "exclude"
        case .title(let resource, let title): "title \(resource) \(title ?? "none")"
        }
    }

    private static func text(_ resource: NetworkResource) -> String {
        switch resource {
        case .netKey(let index): "NetKey \(index)"
        case .appKey(let index): "AppKey \(index)"
        case .group(let address): "group \(address)"
        }
    }

    private static func text(_ action: ConfigurationAction) -> String {
        switch action {
        case .readComposition(let page): "read composition \(page)"
        case .addNetKey(let index): "add NetKey \(index)"
        case .deleteNetKey(let index): "delete NetKey \(index)"
        case .addAppKey(let index, boundTo: let netKey): "add AppKey \(index) in \(netKey)"
        case .deleteAppKey(let index, boundTo: _): "delete AppKey \(index)"
        case .bind(let model, let index): "bind \(text(model)) \(index)"
        case .unbind(let model, let index): "unbind \(text(model)) \(index)"
        case .addSubscription(let model, let address): "subscribe \(text(model)) \(address)"
        case .deleteSubscription(let model, let address): "unsubscribe \(text(model)) \(address)"
        case .overwriteSubscriptions(let model, let address): "overwrite \(text(model)) \(address)"
        case .deleteAllSubscriptions(let model): "unsubscribe all \(text(model))"
        case .setPublication(let model, let publication?): "publish \(text(model)) \(publication.address)"
        case .setPublication(let model, nil): "stop publishing \(text(model))"
        case .setDefaultTTL(let ttl): "set TTL \(ttl)"
        case .setSecureNetworkBeacon(let isOn): "set beacon \(isOn)"
        case .setRelay(let isOn, let retransmit):
            "set relay \(isOn) \(retransmit.map { String($0.octet) } ?? "keep")"
        case .setProxy(let isOn): "set proxy \(isOn)"
        case .setFriend(let isOn): "set friend \(isOn)"
        case .setNetworkTransmit(let parameters): "set network transmit \(parameters.octet)"
        case .resetNode: "reset"
        case .read(let reading): "read \(reading)"
        case .updateNetKey(let index): "update NetKey \(index)"
        case .updateAppKey(let index, boundTo: let netKey): "update AppKey \(index) in \(netKey)"
        case .setKeyRefreshPhase(let index, let transition): "\(transition) \(index)"
        case .set(let state): "set \(state.kind.word) \(state.text())"
        case .addBridging(let entry): "bridge \(entry.text())"
        case .removeBridging(let entry): "stop bridging \(entry.text())"
        case .setModelState(let set): "set \(set.state.form.name) on \(set.model)"
        case .holdState(let request): "hold \(request.state.form.name) on \(request.state.model)"
        case .setBriefly(let set): "set \(set.state.form.name) on \(set.model) for a moment"
        case .restoreState(let request): "restore \(request.state.form.name) on \(request.state.model)"
        case .removeAllBridging(let subnets): "stop bridging \(subnets.first) -> \(subnets.second)"
        }
    }

    private static func text(_ model: ModelAddress) -> String { "\(model.element)/\(model.model.name)" }
}
