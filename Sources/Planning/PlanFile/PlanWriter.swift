import DefinitionModel
import MeshCore

/// Writes the parts of a plan file; ``PlanReader`` reads them.
struct PlanWriter {
    var bytes = ByteWriter()

    mutating func write(_ text: String) {
        write(position: text.utf8.count)
        bytes.write(text.utf8)
    }

    /// Writes a count or index below 2^32.
    mutating func write(position: Int) {
        bytes.write(UInt32(clamping: position))
    }

    mutating func write(_ flag: Bool) {
        bytes.write(UInt8(flag ? 1 : 0))
    }

    mutating func write<Element>(_ list: [Element], _ writeElement: (inout PlanWriter, Element) -> Void) {
        write(position: list.count)
        for element in list { writeElement(&self, element) }
    }

    mutating func write<Value>(_ value: Value?, _ writeValue: (inout PlanWriter, Value) -> Void) {
        write(value != nil)
        if let value { writeValue(&self, value) }
    }

    mutating func write(_ node: NodeSummary) {
        bytes.write(node.uuid.rawValue.bytes)
        write(node.name)
        write(node.address) { $0.bytes.write($1.rawValue) }
        bytes.write(node.action.rawValue)
        write(position: node.changes.lowerBound)
        write(position: node.changes.upperBound)
    }

    mutating func write(_ change: Change) {
        write(change.address)
        bytes.write(change.kind.rawValue)
        bytes.write(change.action.code)
        write(change.node) { $0.bytes.write($1.rawValue.bytes) }
        write(change.before) { $0.write($1) }
        write(change.after) { $0.write($1) }
        write(change.isImplied)
        write(change.isDeferred)
        write(change.previousAddress) { $0.write($1) }
        write(change.drift) { writer, drift in
            writer.write(drift.recorded) { $0.write($1) }
            writer.bytes.write(UInt64(bitPattern: drift.since.rawValue))
        }
    }

    mutating func write(_ step: Step) {
        write(position: step.change)
        write(step.dependencies) { $0.write(position: $1) }
        switch step.work {
        case .configure(let uuid, let action):
            bytes.write(UInt8(0))
            bytes.write(uuid.rawValue.bytes)
            write(action)
        case .edit(let edit):
            bytes.write(UInt8(1))
            write(edit)
        case .provision(let order):
            bytes.write(UInt8(order.route == .any ? 2 : 18))
            write(order)
        case .configureWhenKnown(let configuration):
            bytes.write(UInt8(3))
            write(configuration)
        case .readBack(let node):
            bytes.write(UInt8(16))
            bytes.write(node.rawValue.bytes)
        }
    }

    private mutating func write(_ edit: DatabaseEdit) {
        switch edit {
        case .createNetKey(let index, let name, let source):
            write(code: 0, index.rawValue)
            write(name)
            write(source)
        case .createAppKey(let index, let name, boundTo: let netKey, let source):
            write(code: 1, index.rawValue)
            write(name)
            bytes.write(netKey.rawValue)
            write(source)
        case .renameNetKey(let index, let name):
            write(code: 2, index.rawValue)
            write(name)
        case .renameAppKey(let index, let name):
            write(code: 3, index.rawValue)
            write(name)
        case .putGroup(let group):
            bytes.write(UInt8(4))
            write(group.name)
            write(group.address)
            write(group.parent) { $0.write($1) }
            write(group.isManaged)
            write(group.isProtected)
        case .manage(let uuid, let name, let isProtected, let removalPolicy):
            bytes.write(UInt8(6))
            bytes.write(uuid.rawValue.bytes)
            write(name)
            write(isProtected)
            bytes.write(removalPolicy.code)
        case .forget(let uuid):
            bytes.write(UInt8(7))
            bytes.write(uuid.rawValue.bytes)
        case .protect(let resource, let isProtected):
            bytes.write(UInt8(8))
            write(resource)
            write(isProtected)
        case .remove(let resource):
            bytes.write(UInt8(9))
            write(resource)
        case .refreshKeys(let index, let stage, replacing: let networkID):
            write(code: 20, index.rawValue)
            bytes.write(stage.rawValue)
            bytes.write(networkID)
        case .exclude(let uuid):
            bytes.write(UInt8(21))
            bytes.write(uuid.rawValue.bytes)
        case .title(let resource, let title):
            bytes.write(UInt8(22))
            write(resource)
            write(title) { $0.write($1) }
        }
    }

    private mutating func write(_ resource: TitledResource) {
        switch resource {
        case .network: bytes.write(UInt8(0))
        case .netKey(let index): write(code: 1, index.rawValue)
        case .appKey(let index): write(code: 2, index.rawValue)
        case .group(let address):
            bytes.write(UInt8(3))
            write(address)
        case .node(let uuid):
            bytes.write(UInt8(4))
            bytes.write(uuid.rawValue.bytes)
        }
    }

    mutating func write(_ action: ConfigurationAction) {
        switch action {
        case .readComposition(let page): write(code: 0, octet: page)
        case .addNetKey(let index): write(code: 1, index.rawValue)
        case .deleteNetKey(let index): write(code: 2, index.rawValue)
        case .addAppKey(let index, boundTo: let netKey):
            write(code: 3, index.rawValue)
            bytes.write(netKey.rawValue)
        case .deleteAppKey(let index, boundTo: let netKey):
            write(code: 4, index.rawValue)
            bytes.write(netKey.rawValue)
        case .bind(let model, let index): write(code: 5, model, index)
        case .unbind(let model, let index): write(code: 6, model, index)
        case .addSubscription(let model, let address): write(code: 7, model, address)
        case .deleteSubscription(let model, let address): write(code: 8, model, address)
        case .overwriteSubscriptions(let model, let address): write(code: 9, model, address)
        case .deleteAllSubscriptions(let model):
            bytes.write(UInt8(10))
            write(model)
        case .setPublication(let model, let publication):
            bytes.write(UInt8(11))
            write(model)
            write(publication) { $0.write($1) }
        case .setDefaultTTL(let ttl): write(code: 12, octet: ttl)
        case .setSecureNetworkBeacon(let isOn): write(code: 13, flag: isOn)
        case .setRelay(let isOn, let retransmit):
            write(code: 14, flag: isOn)
            write(retransmit) { $0.bytes.write($1.octet) }
        case .setProxy(let isOn): write(code: 15, flag: isOn)
        case .setFriend(let isOn): write(code: 16, flag: isOn)
        case .setNetworkTransmit(let parameters): write(code: 17, octet: parameters.octet)
        case .resetNode: bytes.write(UInt8(18))
        case .set(let state):
            bytes.write(UInt8(19))
            state.write(to: &bytes)
        case .addBridging(let entry):
            bytes.write(UInt8(20))
            entry.write(to: &bytes)
        case .removeBridging(let entry):
            bytes.write(UInt8(21))
            entry.write(to: &bytes)
        case .removeAllBridging(let subnets):
            bytes.write(UInt8(22))
            subnets.write(to: &bytes)
        case .setModelState(let set):
            bytes.write(UInt8(23))
            write(set.model)
            write(set.state)
            bytes.write(set.key.rawValue)
            bytes.write(set.readingKey.rawValue)
        case .holdState(let request):
            bytes.write(UInt8(24))
            write(request)
        case .setBriefly(let set):
            bytes.write(UInt8(25))
            write(set.model)
            write(set.state)
            bytes.write(set.key.rawValue)
            bytes.write(set.readingKey.rawValue)
        case .restoreState(let request):
            bytes.write(UInt8(26))
            write(request)
        case .read(let reading):
            bytes.write(UInt8(32))
            write(reading)
        case .updateNetKey(let index): write(code: 40, index.rawValue)
        case .updateAppKey(let index, boundTo: let netKey):
            write(code: 41, index.rawValue)
            bytes.write(netKey.rawValue)
        case .setKeyRefreshPhase(let index, let transition):
            write(code: 42, index.rawValue)
            bytes.write(transition.rawValue)
        }
    }

    private mutating func write(code: UInt8, _ value: UInt16) {
        bytes.write(code)
        bytes.write(value)
    }

    private mutating func write(code: UInt8, octet: UInt8) {
        bytes.write(code)
        bytes.write(octet)
    }

    private mutating func write(code: UInt8, flag: Bool) {
        bytes.write(code)
        write(flag)
    }

    private mutating func write(code: UInt8, _ model: ModelAddress, _ index: AppKeyIndex) {
        bytes.write(code)
        write(model)
        bytes.write(index.rawValue)
    }

    private mutating func write(code: UInt8, _ model: ModelAddress, _ address: SubscriptionAddress) {
        bytes.write(code)
        write(model)
        write(address)
    }

    mutating func write(_ model: ModelAddress) {
        bytes.write(model.element)
        write(model.model)
    }

    mutating func write(_ model: ModelIdentifier) {
        write(model.company) { $0.bytes.write($1) }
        bytes.write(model.model)
    }

    mutating func write(_ address: SubscriptionAddress) {
        switch address {
        case .group(let group):
            bytes.write(UInt8(1))
            bytes.write(group.rawValue)
        case .virtual(let label):
            bytes.write(UInt8(2))
            bytes.write(label.rawValue.bytes)
        case .unknownLabel(let virtual):
            bytes.write(UInt8(3))
            bytes.write(virtual.rawValue)
        }
    }

    mutating func write(_ address: PublishAddress) {
        switch address {
        case .unicast(let unicast):
            bytes.write(UInt8(0))
            bytes.write(unicast.rawValue)
        case .group(let group): write(.group(group) as SubscriptionAddress)
        case .virtual(let label): write(.virtual(label) as SubscriptionAddress)
        case .unknownLabel(let virtual): write(.unknownLabel(virtual) as SubscriptionAddress)
        }
    }

    private mutating func write(_ publication: Publication) {
        write(publication.address)
        bytes.write(publication.appKeyIndex.rawValue)
        write(publication.usesFriendshipCredentials)
        bytes.write(publication.ttl)
        bytes.write(publication.period.octet)
        bytes.write(publication.retransmit.octet)
    }

    private mutating func write(_ source: KeySource) {
        switch source {
        case .generated: bytes.write(UInt8(0))
        case .file(let path):
            bytes.write(UInt8(1))
            write(path)
        case .environment(let name):
            bytes.write(UInt8(2))
            write(name)
        case .formerNetKey(let index, let serial):
            bytes.write(UInt8(3))
            bytes.write(index.rawValue)
            bytes.write(serial)
        case .formerAppKey(let index, let serial):
            bytes.write(UInt8(4))
            bytes.write(index.rawValue)
            bytes.write(serial)
        }
    }
}

extension Change.Action {
    /// The octet in plan files.
    var code: UInt8 {
        switch self {
        case .create: 0
        case .update: 1
        case .delete: 2
        case .forget: 3
        case .replace: 4
        }
    }
}

extension PlanWriter {
    mutating func write(_ finding: GuardFinding) {
        write(finding.planGuard.rawValue)
        write(finding.message)
        write(finding.nodes) { $0.write($1) }
        write(finding.resources) { $0.write($1) }
        write(finding.isAllowed)
    }

    mutating func write(_ scope: PlanScope) {
        write(scope.options) { $0.write($1) }
        write(position: scope.nodesLeftOut)
        write(position: scope.changesLeftOut)
    }
}

extension PlanReader {
    mutating func finding() throws(DecodeError) -> GuardFinding {
        GuardFinding(
            try planGuard(),
            try text(),
            nodes: try list { (reader) throws(DecodeError) in try reader.text() },
            resources: try list { (reader) throws(DecodeError) in try reader.text() },
            isAllowed: try flag("allowed")
        )
    }

    mutating func planGuard() throws(DecodeError) -> PlanGuard {
        let offset = bytes.offset
        guard let planGuard = PlanGuard(rawValue: try text()) else {
            throw .prohibited(field: "guard", value: UInt64(clamping: offset))
        }
        return planGuard
    }

    mutating func scope() throws(DecodeError) -> PlanScope {
        PlanScope(
            options: try list { (reader) throws(DecodeError) in try reader.text() },
            nodesLeftOut: try position(),
            changesLeftOut: try position()
        )
    }

    mutating func purpose() throws(DecodeError) -> Plan.Purpose {
        let value = try bytes.readUInt8()
        guard let purpose = Plan.Purpose(rawValue: value) else {
            throw .prohibited(field: "purpose", value: UInt64(value))
        }
        return purpose
    }
}
