import DefinitionModel
import MeshCore

extension GuardFinding: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(
            try reader.read(),
            try reader.read(),
            nodes: try reader.read(),
            resources: try reader.read(),
            isAllowed: try reader.read()
        )
    }

    func write(to writer: inout PlanWriter) { writer.write(planGuard, message, nodes, resources, isAllowed) }
}

extension PlanScope: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(options: try reader.read(), nodesLeftOut: try reader.read(), changesLeftOut: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(options, nodesLeftOut, changesLeftOut) }
}

/// Without the cost, which follows from the steps.
extension NodeSummary: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let (uuid, name) = (try reader.read(DeviceUUID.self), try reader.read(String.self))
        let (address, action) = (try reader.read(UnicastAddress?.self), try reader.read(Action.self))
        let (first, end) = (try reader.read(Int.self), try reader.read(Int.self))
        guard first <= end else { throw .prohibited(field: "changes of node", value: UInt64(first)) }
        self.init(uuid: uuid, name: name, address: address, action: action, changes: first..<end, cost: .zero)
    }

    func write(to writer: inout PlanWriter) {
        writer.write(uuid, name, address, action, changes.lowerBound, changes.upperBound)
    }
}

extension Change: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(
            address: try reader.read(),
            kind: try reader.read(),
            action: try reader.read(),
            node: try reader.read(),
            before: try reader.read(),
            after: try reader.read(),
            isImplied: try reader.read(),
            isDeferred: try reader.read(),
            previousAddress: try reader.read()
        )
        drift = try reader.read()
    }

    func write(to writer: inout PlanWriter) {
        writer.write(address, kind, action, node, before, after, isImplied, isDeferred, previousAddress, drift)
    }
}

extension ChangeDrift: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(recorded: try reader.read(), since: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(recorded, since) }
}

extension Step: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let change = try reader.read(Int.self)
        let dependencies = try reader.read([Int].self)
        self.init(change: change, work: try reader.read(), dependencies: dependencies)
    }

    func write(to writer: inout PlanWriter) { writer.write(change, dependencies, work) }
}

extension Step.Work: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .configure(try reader.read(), try reader.read())
        case 1: self = .edit(try reader.read())
        case 2: self = .provision(try reader.read())
        case 3: self = .configureWhenKnown(try reader.read())
        case 16: self = .readBack(try reader.read())
        case 18:
            var order = try reader.read(ProvisioningOrder.self)
            try reader.readRoute(of: &order)
            self = .provision(order)
        case let other: throw .prohibited(field: "work", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .configure(let uuid, let action): writer.write(code: 0, uuid, action)
        case .edit(let edit): writer.write(code: 1, edit)
        case .provision(let order):
            // An order with a route is a separate kind of work, so plans without routes keep their older encoding.
            writer.write(code: order.route == .any ? 2 : 18, order)
            writer.writeRoute(of: order)
        case .configureWhenKnown(let configuration): writer.write(code: 3, configuration)
        case .readBack(let node): writer.write(code: 16, node)
        }
    }
}

extension DatabaseEdit: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .createNetKey(try reader.read(), name: try reader.read(), source: try reader.read())
        case 1:
            self = .createAppKey(
                try reader.read(),
                name: try reader.read(),
                boundTo: try reader.read(),
                source: try reader.read()
            )
        case 2: self = .renameNetKey(try reader.read(), name: try reader.read())
        case 3: self = .renameAppKey(try reader.read(), name: try reader.read())
        case 4:
            var group = Group(name: try reader.read(), address: try reader.read(), parent: try reader.read())
            group.isManaged = try reader.read()
            group.isProtected = try reader.read()
            self = .putGroup(group)
        case 6:
            self = .manage(
                try reader.read(),
                name: try reader.read(),
                isProtected: try reader.read(),
                removalPolicy: try reader.read()
            )
        case 7: self = .forget(try reader.read())
        case 8: self = .protect(try reader.read(), isProtected: try reader.read())
        case 9: self = .remove(try reader.read())
        case 20: self = .refreshKeys(try reader.read(), try reader.read(), replacing: try reader.read())
        case 21: self = .exclude(try reader.read())
        case 22: self = .title(try reader.read(), try reader.read())
        case let other: throw .prohibited(field: "edit", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .createNetKey(let index, let name, let source): writer.write(code: 0, index, name, source)
        case .createAppKey(let index, let name, boundTo: let netKey, let source):
            writer.write(code: 1, index, name, netKey, source)
        case .renameNetKey(let index, let name): writer.write(code: 2, index, name)
        case .renameAppKey(let index, let name): writer.write(code: 3, index, name)
        case .putGroup(let group):
            writer.write(code: 4, group.name, group.address, group.parent, group.isManaged, group.isProtected)
        case .manage(let uuid, let name, let isProtected, let removalPolicy):
            writer.write(code: 6, uuid, name, isProtected, removalPolicy)
        case .forget(let uuid): writer.write(code: 7, uuid)
        case .protect(let resource, let isProtected): writer.write(code: 8, resource, isProtected)
        case .remove(let resource): writer.write(code: 9, resource)
        case .refreshKeys(let index, let stage, replacing: let networkID):
            writer.write(code: 20, index, stage, networkID)
        case .exclude(let uuid): writer.write(code: 21, uuid)
        case .title(let resource, let title): writer.write(code: 22, resource, title)
        }
    }
}

extension TitledResource: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .network
        case 1: self = .netKey(try reader.read())
        case 2: self = .appKey(try reader.read())
        case 3: self = .group(try reader.read())
        case 4: self = .node(try reader.read())
        case let other: throw .prohibited(field: "titled resource", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .network: writer.write(code: 0)
        case .netKey(let index): writer.write(code: 1, index)
        case .appKey(let index): writer.write(code: 2, index)
        case .group(let address): writer.write(code: 3, address)
        case .node(let uuid): writer.write(code: 4, uuid)
        }
    }
}

extension KeySource: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .generated
        case 1: self = .file(try reader.read())
        case 2: self = .environment(try reader.read())
        case 3: self = .formerNetKey(try reader.read(), serial: try reader.read())
        case 4: self = .formerAppKey(try reader.read(), serial: try reader.read())
        case let other: throw .prohibited(field: "key source", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .generated: writer.write(code: 0)
        case .file(let path): writer.write(code: 1, path)
        case .environment(let name): writer.write(code: 2, name)
        case .formerNetKey(let index, let serial): writer.write(code: 3, index, serial)
        case .formerAppKey(let index, let serial): writer.write(code: 4, index, serial)
        }
    }
}

extension NetworkResource: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .netKey(try reader.read())
        case 1: self = .appKey(try reader.read())
        case 2: self = .group(try reader.read())
        case let other: throw .prohibited(field: "resource", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .netKey(let index): writer.write(code: 0, index)
        case .appKey(let index): writer.write(code: 1, index)
        case .group(let address): writer.write(code: 2, address)
        }
    }
}

extension Claims: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(resources: try reader.read(), nodes: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(resources, nodes) }
}

extension NodeClaim: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(node: try reader.read(), models: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(node, models) }
}

extension ModelClaim: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(address: try reader.read())
        bindings = try reader.readAscending("application keys")
        subscriptions = try reader.readAscending("groups")
        publication = try reader.read()
    }

    func write(to writer: inout PlanWriter) { writer.write(address, bindings, subscriptions, publication) }
}

/// The fingerprint has 32 octets.
extension PlanDependency: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let (kind, name) = (try reader.read(Kind.self), try reader.read(String.self))
        self.init(kind, name, fingerprint: try reader.read() ? Array(try reader.bytes.read(32)) : nil)
    }

    func write(to writer: inout PlanWriter) {
        writer.write(kind, name, fingerprint != nil)
        if let fingerprint { writer.bytes.write(fingerprint) }
    }
}

extension AddressReservation: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(
            device: try reader.read(),
            kind: try reader.read(),
            elementCount: try reader.read(),
            address: try reader.read()
        )
    }

    func write(to writer: inout PlanWriter) { writer.write(device, kind, elementCount, address) }
}
