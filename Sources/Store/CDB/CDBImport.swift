internal import MeshCore

/// Reads configuration databases in JSON (Mesh Configuration Database Profile 1.0 and 1.0.1), forgiving the ways in
/// which older programs write it and reporting each; what it cannot understand it refuses by name and place.
package struct CDBImport {
    /// Paths of extras, repairs and refusals collected so far.
    var extras = CDBExtras()
    var repairs: [CDBDocument.Repair] = []
    var refusals: [CDBRefusal] = []
    /// What is to be said of single objects; more is said of the whole at the end.
    var remarks: [CDBDocument.Remark] = []
    /// What the whole document tells of its writer.
    let survey: CDBSurvey
    /// Whether the document says that it is a part of a network, which may lack device keys.
    var isPartial = false
    /// Where the first node with a UUID stands, for nodes that have the UUID of another one.
    var nodePointers: [DeviceUUID: String] = [:]
    /// The keys of the network, for nodes that do not say theirs.
    var netKeys: [NetKeyIndex] = []
    var appKeys: [AppKeyIndex: NetKeyIndex] = [:]

    private init(_ survey: CDBSurvey) {
        self.survey = survey
    }

    /// Reads a document.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument``: with line and column if it is not JSON, with a JSON pointer if a
    ///   value has the wrong type or range, contradicts another, or has two readings.
    package static func read(_ bytes: [UInt8]) throws(StoreError) -> CDBDocument {
        try inspect(bytes).accepted()
    }

    /// Reads a document to tell everything that departs from the format or cannot be understood.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` with line and column if it is not JSON.
    package static func inspect(_ bytes: [UInt8]) throws(StoreError) -> CDBInspection {
        let value = try JSONParser.parse(bytes)
        var object: CDBObject
        do { object = try CDBObject(value, at: "") } catch {
            return CDBInspection(dialect: .version100, marks: [], repairs: [], refusals: [error])
        }
        let wrapper = wrapper(of: object)
        let inner = wrapper.flatMap { object.take($0) }
        let root = wrapper.map { "/\($0)" } ?? ""
        var reader = CDBImport(CDBSurvey(inner ?? value, at: root, isWrapped: inner != nil))
        if let inner {
            reader.repair(root, "the whole database is wrapped in an object; taken out of it")
            reader.extras.keep(object.rest, at: "wrapper")
            object = reader.attempt(or: object) { _ throws(CDBRefusal) in try CDBObject(inner, at: root) }
        }
        let network = reader.attempt(or: nil) { reader throws(CDBRefusal) in try reader.network(&object) }
        let survey = reader.survey
        let document = network.map {
            CDBDocument(
                network: $0,
                dialect: survey.dialect,
                extras: reader.extras,
                repairs: reader.repairs,
                remarks: reader.refusals.isEmpty ? reader.remarks(on: $0, at: root) : [],
                isPartial: reader.isPartial,
                root: root
            )
        }
        return CDBInspection(
            dialect: survey.dialect,
            marks: survey.marks,
            repairs: reader.repairs,
            refusals: reader.refusals,
            document: reader.refusals.isEmpty ? document : nil
        )
    }

    /// The member that the whole database stands in, if it does.
    private static func wrapper(of object: CDBObject) -> String? {
        if object.has("meshUUID") { return nil }
        if object.has("meshNetwork") { return "meshNetwork" }
        let names = object.rest.filter { member in
            guard case .object(let inner) = member.value else { return false }
            return inner.contains { $0.name == "meshUUID" }
        }
        return names.count == 1 ? names.first?.name : nil
    }

    /// Notes a departure from the format that was understood.
    mutating func repair(_ pointer: String, _ reason: String, isImportant: Bool = false) {
        repairs.append(CDBDocument.Repair(pointer: pointer, reason: reason, isImportant: isImportant))
    }

    /// Notes that a member is missing, and how that is taken.
    mutating func missing(_ name: String, in object: inout CDBObject, _ taken: String) {
        object.forgetNull(name)
        repair(object.pointer(to: name), "missing; \(taken)")
    }

    /// Keeps the members of an object that nobody has taken.
    mutating func keep(_ object: CDBObject, at path: String) {
        for name in object.nulls { repair(object.pointer(to: name), "null; taken as missing") }
        extras.keep(object.rest, at: path)
    }

    /// What `read` gives, or the substitute if it refuses, so that the rest is read nevertheless.
    mutating func attempt<Value>(
        or substitute: Value,
        _ read: (inout CDBImport) throws(CDBRefusal) -> Value
    ) -> Value {
        do {
            return try read(&self)
        } catch {
            refusals.append(error)
            return substitute
        }
    }

    /// Reads every item of a list as an object and keeps the members that `read` leaves, by the path it sets. An object
    /// that is refused is left out.
    mutating func objects<Item>(
        _ items: [JSONValue],
        at pointer: String,
        _ read: (inout CDBImport, inout CDBObject) throws(CDBRefusal) -> Item
    ) -> [Item] {
        var result: [Item] = []
        result.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            let value: Item? = attempt(or: nil) { reader throws(CDBRefusal) in
                var object = try CDBObject(item, at: "\(pointer)/\(index)")
                let value = try read(&reader, &object)
                reader.keep(object, at: object.path)
                return value
            }
            if let value { result.append(value) }
        }
        return result
    }

    /// A list that the format wants to be there, empty if it is missing.
    mutating func list(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> [JSONValue] {
        let isMissing = !object.has(name)
        let items = try object.list(name)
        if isMissing { missing(name, in: &object, "taken as empty") }
        return items
    }

    private mutating func network(_ object: inout CDBObject) throws(CDBRefusal) -> MeshNetwork? {
        try refuseOtherFormats(object)
        // Peeked at, not taken: what the network does not model goes back out as it came.
        var peeked = object
        isPartial = attempt(or: false) { _ throws(CDBRefusal) in try peeked.bool("partial") ?? false }
        let uuid = attempt(or: nil) { reader throws(CDBRefusal) in try reader.uuid("meshUUID", in: &object) }
        if !object.has("partial") { missing("partial", in: &object, "taken as false") }
        let name = attempt(or: "") { _ throws(CDBRefusal) in
            try object.required("meshName", try object.text("meshName"))
        }
        date("timestamp", in: &object)
        let netKeys = attempt(or: []) { reader throws(CDBRefusal) in try reader.netKeys(&object) }
        self.netKeys = netKeys.map(\.index)
        let appKeys = attempt(or: []) { reader throws(CDBRefusal) in try reader.appKeys(&object, netKeys: netKeys) }
        self.appKeys = Dictionary(appKeys.map { ($0.index, $0.boundNetKey) }, uniquingKeysWith: { first, _ in first })
        let provisioners = attempt(or: []) { reader throws(CDBRefusal) in try reader.provisioners(&object) }
        let groups = attempt(or: []) { reader throws(CDBRefusal) in try reader.groups(&object) }
        let scenes = attempt(or: []) { reader throws(CDBRefusal) in try reader.scenes(&object) }
        let exclusions = attempt(or: []) { reader throws(CDBRefusal) in try reader.exclusions(&object) }
        let nodes = attempt(or: []) { reader throws(CDBRefusal) in try reader.nodes(&object) }
        keep(object, at: "")
        guard let uuid else { return nil }
        return MeshNetwork(
            uuid: uuid.rawValue,
            name: name,
            ivIndex: IVIndex(value: 0),
            netKeys: netKeys,
            appKeys: appKeys,
            groups: groups,
            provisioners: provisioners,
            // Nobody has the network's own UUID, and nobody acts as this provisioner before another one joins.
            ownProvisioner: provisioners.first?.uuid ?? uuid,
            scenes: scenes,
            exclusions: exclusions,
            nodes: nodes
        )
    }

    /// Refuses what looks like a configuration database but is what a program keeps for itself.
    private func refuseOtherFormats(_ object: CDBObject) throws(CDBRefusal) {
        guard !object.has("meshUUID"), object.has("netKeys") else { return }
        if object.has("IVindex") {
            throw CDBObject.invalid("", "this is what meshctl of BlueZ keeps for itself, which has no nodes")
        }
        if object.has("token") {
            throw CDBObject.invalid(
                "",
                "this is what mesh-cfgclient of BlueZ keeps for itself, without keys; export with its export-db"
            )
        }
    }

    /// A UUID with hyphens, or without as older programs write it.
    mutating func uuid(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> DeviceUUID {
        let text = try object.required(name, try object.text(name))
        guard let uuid = DeviceUUID(text) else {
            throw object.invalid(name, "a UUID is expected, not \(CDBObject.shown(text))")
        }
        if !text.contains("-") { repair(object.pointer(to: name), "a UUID without hyphens") }
        return uuid
    }

    /// `secure` or `insecure`, or `high` or `low` as older programs write it.
    mutating func isSecure(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> Bool {
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
            missing(name, in: &object, "taken as \"insecure\"")
            return false
        case let other?:
            throw object.invalid(name, "\"secure\" or \"insecure\" is expected, not \(CDBObject.shown(other))")
        }
    }
}
