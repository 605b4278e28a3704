internal import MeshCore

/// Reads configuration databases in JSON (Mesh Configuration Database Profile 1.0 and 1.0.1), forgiving the ways in
/// which older programs write it and reporting each; what it cannot understand it refuses by name and place.
package struct CDBImport {
    /// Paths of extras and repairs collected so far.
    var extras = CDBExtras()
    var repairs: [CDBDocument.Repair] = []
    /// Whether the document says that it is a part of a network, which may lack device keys.
    var isPartial = false
    /// Where the first node with a UUID stands, for nodes that have the UUID of another one.
    var nodePointers: [DeviceUUID: String] = [:]

    private init() {}

    /// Reads a document.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument``: with line and column if it is not JSON, with a JSON pointer if a
    ///   value has the wrong type or range or contradicts another.
    package static func read(_ bytes: [UInt8]) throws(StoreError) -> CDBDocument {
        var reader = CDBImport()
        let (network, root) = try reader.network(try JSONParser.parse(bytes))
        return CDBDocument(network: network, extras: reader.extras, repairs: reader.repairs, root: root)
    }

    mutating func repair(_ pointer: String, _ reason: String) {
        repairs.append(CDBDocument.Repair(pointer: pointer, reason: reason))
    }

    /// Reads every item of a list as an object and keeps the members that `read` leaves, by the path it sets.
    mutating func objects<Item>(
        _ items: [JSONValue],
        at pointer: String,
        _ read: (inout CDBImport, inout CDBObject) throws(StoreError) -> Item
    ) throws(StoreError) -> [Item] {
        var result: [Item] = []
        result.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            var object = try CDBObject(item, at: "\(pointer)/\(index)")
            result.append(try read(&self, &object))
            extras.keep(object.rest, at: object.path)
        }
        return result
    }

    /// The network and the pointer of the object that it stands in.
    private mutating func network(_ document: JSONValue) throws(StoreError) -> (MeshNetwork, root: String) {
        var object = try CDBObject(document, at: "")
        if !object.has("meshUUID"), let inner = object.take("meshNetwork") {
            repair("/meshNetwork", "the whole database is wrapped in an object; taken out of it")
            extras.keep(object.rest, at: "wrapper")
            object = try CDBObject(inner, at: "/meshNetwork")
        }
        // Peeked at, not taken: what the network does not model goes back out as it came.
        var peeked = object
        isPartial = try peeked.bool("partial") ?? false

        let uuid = try self.uuid("meshUUID", in: &object)
        let name = try object.required("meshName", try object.text("meshName"))
        let netKeys = try self.netKeys(&object)
        let appKeys = try self.appKeys(&object, netKeys: netKeys)
        let provisioners = try self.provisioners(&object)
        let groups = try self.groups(&object)
        let scenes = try self.scenes(&object)
        let exclusions = try self.exclusions(&object)
        let nodes = try self.nodes(&object, netKeys: netKeys)
        guard let first = provisioners.first else {
            throw object.invalid("provisioners", "at least one provisioner is needed")
        }
        extras.keep(object.rest, at: "")
        let network = MeshNetwork(
            uuid: uuid.rawValue,
            name: name,
            ivIndex: IVIndex(value: 0),
            netKeys: netKeys,
            appKeys: appKeys,
            groups: groups,
            provisioners: provisioners,
            ownProvisioner: first.uuid,
            scenes: scenes,
            exclusions: exclusions,
            nodes: nodes
        )
        return (network, object.pointer)
    }

    /// A UUID with hyphens, or without as older programs write it.
    mutating func uuid(_ name: String, in object: inout CDBObject) throws(StoreError) -> DeviceUUID {
        let text = try object.required(name, try object.text(name))
        guard let uuid = DeviceUUID(text) else {
            throw object.invalid(name, "a UUID is expected, not \(CDBObject.shown(text))")
        }
        if !text.contains("-") { repair(object.pointer(to: name), "a UUID without hyphens") }
        return uuid
    }

    /// `secure` or `insecure`, or `high` or `low` as older programs write it.
    mutating func isSecure(_ name: String, in object: inout CDBObject) throws(StoreError) -> Bool {
        switch try object.text(name) {
        case "secure": return true
        case "insecure": return false
        case "high":
            repair(object.pointer(to: name), "\"high\" taken as \"secure\"")
            return true
        case "low":
            repair(object.pointer(to: name), "\"low\" taken as \"insecure\"")
            return false
        case nil:
            repair(object.pointer(to: name), "missing; taken as \"insecure\"")
            return false
        case let other?:
            throw object.invalid(name, "\"secure\" or \"insecure\" is expected, not \(CDBObject.shown(other))")
        }
    }

    /// A group other than all-nodes and its fellows, or a label.
    mutating func groupAddress(_ value: JSONValue, at pointer: String) throws(StoreError) -> SubscriptionAddress {
        if let label = try label(value, at: pointer) { return .virtual(label) }
        let number = try CDBObject.hexadecimal16(value, at: pointer)
        guard let group = GroupAddress(rawValue: number) else {
            let isVirtual = Address(rawValue: number).kind == .virtual
            throw CDBObject.invalid(
                pointer,
                isVirtual
                    ? "\(number.hexadecimal) is a virtual address; its label of 32 digits is needed"
                    : "a group address or a label is expected, not \(number.hexadecimal)"
            )
        }
        return .group(group)
    }

    /// A label, if the value is as long as one.
    mutating func label(_ value: JSONValue, at pointer: String) throws(StoreError) -> LabelUUID? {
        guard case .string(let text) = value, text.utf8.count >= 32 else { return nil }
        guard let label = LabelUUID(text) else {
            throw CDBObject.invalid(pointer, "32 hexadecimal digits are expected, not \(CDBObject.shown(text))")
        }
        if text.contains("-") { repair(pointer, "a label with hyphens") }
        return label
    }
}
