import DefinitionModel
import MeshCore

/// Reads the parts of a plan file, and refuses what ``PlanWriter`` would not write.
struct PlanReader {
    var bytes: ByteReader

    init(_ bytes: [UInt8]) {
        self.bytes = ByteReader(bytes)
    }

    mutating func octets16() throws(DecodeError) -> Octets16 {
        guard let octets = Octets16(try bytes.read(16)) else { throw .length(16) }
        return octets
    }

    mutating func text() throws(DecodeError) -> String {
        let count = try position()
        let offset = bytes.offset
        guard let text = String(validating: try bytes.read(count), as: UTF8.self) else {
            throw .prohibited(field: "text", value: UInt64(clamping: offset))
        }
        return text
    }

    mutating func position() throws(DecodeError) -> Int {
        Int(try bytes.readUInt32())
    }

    mutating func flag(_ field: String) throws(DecodeError) -> Bool {
        switch try bytes.readUInt8() {
        case 0: return false
        case 1: return true
        case let other: throw .prohibited(field: field, value: UInt64(other))
        }
    }

    mutating func list<Element>(
        _ element: (inout PlanReader) throws(DecodeError) -> Element
    ) throws(DecodeError) -> [Element] {
        let count = try position()
        // Every element takes at least one octet, so a count cannot ask for more memory than the file's size.
        guard count <= bytes.remaining else { throw .truncated(offset: bytes.offset, needed: count) }
        var list: [Element] = []
        for _ in 0..<count { list.append(try element(&self)) }
        return list
    }

    mutating func optional<Value>(
        _ field: String,
        _ value: (inout PlanReader) throws(DecodeError) -> Value
    ) throws(DecodeError) -> Value? {
        try flag(field) ? try value(&self) : nil
    }

    mutating func uuid() throws(DecodeError) -> DeviceUUID {
        DeviceUUID(rawValue: try octets16())
    }

    mutating func node() throws(DecodeError) -> NodeSummary {
        let uuid = try uuid()
        let name = try text()
        let address = try optional("address") { (reader) throws(DecodeError) in try reader.unicastAddress() }
        let rawAction = try bytes.readUInt8()
        guard let action = NodeSummary.Action(rawValue: rawAction) else {
            throw .prohibited(field: "action of node", value: UInt64(rawAction))
        }
        let first = try position()
        let end = try position()
        guard first <= end else { throw .prohibited(field: "changes of node", value: UInt64(first)) }
        return NodeSummary(
            uuid: uuid,
            name: name,
            address: address,
            action: action,
            changes: first..<end,
            cost: .zero
        )
    }

    mutating func change() throws(DecodeError) -> Change {
        let address = try text()
        let rawKind = try bytes.readUInt8()
        guard let kind = Change.Kind(rawValue: rawKind) else {
            throw .prohibited(field: "kind of change", value: UInt64(rawKind))
        }
        let code = try bytes.readUInt8()
        guard let action = Change.Action.allCases.first(where: { $0.code == code }) else {
            throw .prohibited(field: "action of change", value: UInt64(code))
        }
        var change = Change(
            address: address,
            kind: kind,
            action: action,
            node: try optional("node") { (reader) throws(DecodeError) in try reader.uuid() },
            before: try optional("before") { (reader) throws(DecodeError) in try reader.text() },
            after: try optional("after") { (reader) throws(DecodeError) in try reader.text() },
            isImplied: try flag("implied"),
            isDeferred: try flag("deferred"),
            previousAddress: try optional("previous address") { (reader) throws(DecodeError) in try reader.text() }
        )
        change.drift = try optional("drift") { (reader) throws(DecodeError) in
            ChangeDrift(
                recorded: try reader.optional("recorded") { (reader) throws(DecodeError) in try reader.text() },
                since: Timestamp(rawValue: Int64(bitPattern: try reader.bytes.readUInt64()))
            )
        }
        return change
    }

    mutating func step() throws(DecodeError) -> Step {
        let change = try position()
        let dependencies = try list { (reader) throws(DecodeError) in try reader.position() }
        let work = try bytes.readUInt8()
        switch work {
        case 0:
            let node = try uuid()
            return Step(change: change, work: .configure(node, try action()), dependencies: dependencies)
        case 1:
            return Step(change: change, work: .edit(try edit()), dependencies: dependencies)
        case 2, 18:
            let order = try provisioningOrder(isRouted: work == 18)
            return Step(change: change, work: .provision(order), dependencies: dependencies)
        case 3:
            return Step(
                change: change,
                work: .configureWhenKnown(try deferredConfiguration()),
                dependencies: dependencies
            )
        case 16: return Step(change: change, work: .readBack(try uuid()), dependencies: dependencies)
        case let other:
            throw .prohibited(field: "work", value: UInt64(other))
        }
    }

    private mutating func edit() throws(DecodeError) -> DatabaseEdit {
        switch try bytes.readUInt8() {
        case 0: return .createNetKey(try keyIndex(), name: try text(), source: try keySource())
        case 1:
            return .createAppKey(try keyIndex(), name: try text(), boundTo: try keyIndex(), source: try keySource())
        case 2: return .renameNetKey(try keyIndex(), name: try text())
        case 3: return .renameAppKey(try keyIndex(), name: try text())
        case 4:
            let name = try text()
            let address = try subscriptionAddress()
            let parent = try optional("parent") { (reader) throws(DecodeError) in try reader.subscriptionAddress() }
            var group = Group(name: name, address: address, parent: parent)
            group.isManaged = try flag("managed")
            group.isProtected = try flag("protected")
            return .putGroup(group)
        case 6:
            return .manage(
                try uuid(),
                name: try text(),
                isProtected: try flag("protected"),
                removalPolicy: try removalPolicy()
            )
        case 7: return .forget(try uuid())
        case 8: return .protect(try networkResource(), isProtected: try flag("protected"))
        case 9: return .remove(try networkResource())
        case 20:
            let index: NetKeyIndex = try keyIndex()
            let value = try bytes.readUInt8()
            guard let stage = KeyRefreshStage(rawValue: value) else {
                throw .prohibited(field: "stage of a key refresh", value: UInt64(value))
            }
            return .refreshKeys(index, stage, replacing: try bytes.readUInt64())
        case 21: return .exclude(try uuid())
        case 22:
            let resource = try titledResource()
            return .title(resource, try optional("title") { (reader) throws(DecodeError) in try reader.text() })
        case let other: throw .prohibited(field: "edit", value: UInt64(other))
        }
    }

    private mutating func titledResource() throws(DecodeError) -> TitledResource {
        switch try bytes.readUInt8() {
        case 0: .network
        case 1: .netKey(try keyIndex())
        case 2: .appKey(try keyIndex())
        case 3: .group(try subscriptionAddress())
        case 4: .node(try uuid())
        case let other: throw .prohibited(field: "titled resource", value: UInt64(other))
        }
    }

    mutating func action() throws(DecodeError) -> ConfigurationAction {
        switch try bytes.readUInt8() {
        case 0: return .readComposition(page: try bytes.readUInt8())
        case 1: return .addNetKey(try keyIndex())
        case 2: return .deleteNetKey(try keyIndex())
        case 3: return .addAppKey(try keyIndex(), boundTo: try keyIndex())
        case 4: return .deleteAppKey(try keyIndex(), boundTo: try keyIndex())
        case 5: return .bind(try model(), try keyIndex())
        case 6: return .unbind(try model(), try keyIndex())
        case 7: return .addSubscription(try model(), try subscriptionAddress())
        case 8: return .deleteSubscription(try model(), try subscriptionAddress())
        case 9: return .overwriteSubscriptions(try model(), try subscriptionAddress())
        case 10: return .deleteAllSubscriptions(try model())
        case 11:
            let model = try model()
            let publication = try optional("publication") { (reader) throws(DecodeError) in try reader.publication() }
            return .setPublication(model, publication)
        case 12: return .setDefaultTTL(try defaultTTL())
        case 13: return .setSecureNetworkBeacon(try flag("beacon"))
        case 14:
            let isOn = try flag("relay")
            let retransmit = try optional("retransmit") { (reader) throws(DecodeError) in
                TransmitParameters(octet: try reader.bytes.readUInt8())
            }
            return .setRelay(isOn, retransmit)
        case 15: return .setProxy(try flag("proxy"))
        case 16: return .setFriend(try flag("friend"))
        case 17: return .setNetworkTransmit(TransmitParameters(octet: try bytes.readUInt8()))
        case 18: return .resetNode
        case 19:
            let state = try FoundationState(reading: &bytes)
            guard state.set != nil else { throw .prohibited(field: "value of \(state.kind.word)", value: 0) }
            return .set(state)
        case 20: return .addBridging(try BridgingTableEntry(reading: &bytes))
        case 21: return .removeBridging(try BridgingTableEntry(reading: &bytes))
        case 22: return .removeAllBridging(try NetKeyIndexPair(reading: &bytes))
        case 23:
            let model = try model()
            let state = try modelState()
            return .setModelState(
                ModelStateSet(state, of: model, key: try keyIndex(), readingKey: try keyIndex())
            )
        case 24: return .holdState(try heldStateRequest())
        case 25:
            let model = try model()
            let state = try modelState()
            return .setBriefly(ModelStateSet(state, of: model, key: try keyIndex(), readingKey: try keyIndex()))
        case 26: return .restoreState(try heldStateRequest())
        case 32: return .read(try reading())
        case 40: return .updateNetKey(try keyIndex())
        case 41: return .updateAppKey(try keyIndex(), boundTo: try keyIndex())
        case 42:
            let index: NetKeyIndex = try keyIndex()
            let value = try bytes.readUInt8()
            guard let transition = KeyRefreshTransition(rawValue: value) else {
                throw .prohibited(field: "key refresh transition", value: UInt64(value))
            }
            return .setKeyRefreshPhase(index, transition)
        case let other: throw .prohibited(field: "configuration action", value: UInt64(other))
        }
    }

    mutating func keyIndex<Index: KeyIndex>() throws(DecodeError) -> Index {
        let value = try bytes.readUInt16()
        guard let index = Index(rawValue: value) else { throw .prohibited(field: "key index", value: UInt64(value)) }
        return index
    }

    mutating func defaultTTL() throws(DecodeError) -> UInt8 {
        let ttl = try bytes.readUInt8()
        guard ttl != 1, ttl <= 127 else { throw .prohibited(field: "TTL", value: UInt64(ttl)) }
        return ttl
    }

    mutating func model() throws(DecodeError) -> ModelAddress {
        let element = try bytes.readUInt8()
        return ModelAddress(element: element, model: try modelIdentifier())
    }

    mutating func modelIdentifier() throws(DecodeError) -> ModelIdentifier {
        let company = try optional("company") { (reader) throws(DecodeError) in try reader.bytes.readUInt16() }
        let model = try bytes.readUInt16()
        return company.map { ModelIdentifier.vendor(company: $0, model: model) } ?? .sig(model)
    }

    mutating func subscriptionAddress() throws(DecodeError) -> SubscriptionAddress {
        switch try publishAddress() {
        case .group(let group): return .group(group)
        case .virtual(let label): return .virtual(label)
        case .unknownLabel(let virtual): return .unknownLabel(virtual)
        case .unicast(let unicast): throw .prohibited(field: "group address", value: UInt64(unicast.rawValue))
        }
    }

    mutating func publishAddress() throws(DecodeError) -> PublishAddress {
        switch try bytes.readUInt8() {
        case 0:
            return .unicast(try unicastAddress())
        case 1:
            let value = try bytes.readUInt16()
            guard let group = GroupAddress(rawValue: value) else {
                throw .prohibited(field: "group address", value: UInt64(value))
            }
            return .group(group)
        case 2: return .virtual(LabelUUID(rawValue: try octets16()))
        case 3:
            let value = try bytes.readUInt16()
            guard let virtual = VirtualAddress(rawValue: value) else {
                throw .prohibited(field: "virtual address", value: UInt64(value))
            }
            return .unknownLabel(virtual)
        case let other: throw .prohibited(field: "kind of address", value: UInt64(other))
        }
    }

    mutating func unicastAddress() throws(DecodeError) -> UnicastAddress {
        let value = try bytes.readUInt16()
        guard let unicast = UnicastAddress(rawValue: value) else {
            throw .prohibited(field: "unicast address", value: UInt64(value))
        }
        return unicast
    }

    private mutating func publication() throws(DecodeError) -> Publication {
        let address = try publishAddress()
        let index: AppKeyIndex = try keyIndex()
        let usesFriendshipCredentials = try flag("credentials")
        return Publication(
            address: address,
            appKeyIndex: index,
            usesFriendshipCredentials: usesFriendshipCredentials,
            ttl: try publicationTTL(),
            period: PublishPeriod(octet: try bytes.readUInt8()),
            retransmit: PublishRetransmit(octet: try bytes.readUInt8())
        )
    }

    mutating func publicationTTL() throws(DecodeError) -> UInt8 {
        let ttl = try bytes.readUInt8()
        guard ttl <= 127 || ttl == Publication.defaultTTL else { throw .prohibited(field: "TTL", value: UInt64(ttl)) }
        return ttl
    }

    private mutating func keySource() throws(DecodeError) -> KeySource {
        switch try bytes.readUInt8() {
        case 0: return .generated
        case 1: return .file(try text())
        case 2: return .environment(try text())
        case 3:
            let index = try bytes.readUInt16()
            guard let key = NetKeyIndex(rawValue: index) else {
                throw .prohibited(field: "key index", value: UInt64(index))
            }
            return .formerNetKey(key, serial: try bytes.readUInt64())
        case 4:
            let index = try bytes.readUInt16()
            guard let key = AppKeyIndex(rawValue: index) else {
                throw .prohibited(field: "key index", value: UInt64(index))
            }
            return .formerAppKey(key, serial: try bytes.readUInt64())
        case let other: throw .prohibited(field: "key source", value: UInt64(other))
        }
    }
}
