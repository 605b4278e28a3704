import MeshCore
import SystemLayer

/// Reads configuration databases in JSON (Mesh Configuration Database Profile 1.0 and 1.0.1). It accepts the deviations
/// of older programs and reports each of them. What it cannot understand it refuses, by name and place.
package struct CDBImport {
    /// What was collected so far.
    var extras = CDBExtras()
    var repairs: [CDBDocument.Repair] = []
    var refusals: [CDBRefusal] = []
    private var furtherRepairs = 0
    private var furtherRefusals = 0
    private static let mostRepairs = 10_000
    private static let mostRefusals = 1_000
    /// Remarks on single objects. Those on the whole network follow at the end.
    var remarks: [CDBDocument.Remark] = []
    /// What the whole document tells about its writer.
    let survey: CDBSurvey
    /// Whether the document says that it is a part of a network. Such a part may lack device keys.
    var isPartial = false
    /// Where the first node with each UUID stands, to recognise nodes that repeat a UUID.
    var nodePointers: [DeviceUUID: String] = [:]
    /// The keys of the network, for nodes that do not list theirs.
    var netKeys: [NetKeyIndex] = []
    var appKeys: [AppKeyIndex: NetKeyIndex] = [:]

    private init(_ survey: CDBSurvey) {
        self.survey = survey
    }

    /// Reads a document.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument``: with line and column if it is not JSON, with a JSON pointer if a
    ///   value has the wrong type or range, contradicts another, or can be read in two ways.
    package static func read(_ bytes: [UInt8]) throws(StoreError) -> CDBDocument {
        try inspect(bytes).accepted()
    }

    /// Reads a document and reports everything that departs from the format or cannot be understood.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` with line and column if it is not JSON.
    package static func inspect(_ bytes: [UInt8]) throws(StoreError) -> CDBInspection {
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(bytes) } catch { throw StoreError(error) }
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
                furtherRepairs: reader.furtherRepairs,
                remarks: reader.refusals.isEmpty ? reader.remarks(on: $0, at: root) : [],
                isPartial: reader.isPartial,
                root: root
            )
        }
        return CDBInspection(
            dialect: survey.dialect,
            marks: survey.marks,
            repairs: reader.repairs,
            furtherRepairs: reader.furtherRepairs,
            refusals: reader.refusals,
            furtherRefusals: reader.furtherRefusals,
            document: reader.refusals.isEmpty ? document : nil
        )
    }

    /// The name of the member that holds the whole database; nil if the document itself is the database.
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
        // Of the important ones there is one for a node at most.
        guard isImportant || repairs.count < Self.mostRepairs else {
            furtherRepairs += 1
            return
        }
        repairs.append(CDBDocument.Repair(pointer: pointer, reason: reason, isImportant: isImportant))
    }

    /// Notes that a member is missing and what is assumed instead.
    mutating func missing(_ name: String, in object: inout CDBObject, _ taken: String) {
        object.forgetNull(name)
        repair(object.pointer(to: name), "missing; \(taken)")
    }

    /// Keeps the members of an object that nothing has taken.
    mutating func keep(_ object: CDBObject, at path: String) {
        for name in object.nulls { repair(object.pointer(to: name), "null; taken as missing") }
        extras.keep(object.rest, at: path)
    }

    /// The value that `read` returns. If it refuses, the substitute, so that the rest of the document is still read.
    mutating func attempt<Value>(
        or substitute: Value,
        _ read: (inout CDBImport) throws(CDBRefusal) -> Value
    ) -> Value {
        do {
            return try read(&self)
        } catch {
            if refusals.count < Self.mostRefusals { refusals.append(error) } else { furtherRefusals += 1 }
            return substitute
        }
    }

    /// Reads every item of a list as an object. The members that `read` does not take are kept under the path that it
    /// sets. A refused object is left out.
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

    /// A list that the format requires; empty if it is missing.
    mutating func list(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> [JSONValue] {
        let isMissing = !object.has(name)
        let items = try object.list(name)
        if isMissing { missing(name, in: &object, "taken as empty") }
        return items
    }

    private mutating func network(_ object: inout CDBObject) throws(CDBRefusal) -> MeshNetwork? {
        try refuseOtherFormats(object)
        // Peek, do not take: what the network does not model goes out again as it came.
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
            // No provisioner has the UUID of the network, and nobody acts as this one until another one joins.
            ownProvisioner: provisioners.first?.uuid ?? uuid,
            scenes: scenes,
            exclusions: exclusions,
            nodes: nodes
        )
    }

    /// Refuses the private files of programs that look like a configuration database.
    private func refuseOtherFormats(_ object: CDBObject) throws(CDBRefusal) {
        guard !object.has("meshUUID"), object.has("netKeys") else { return }
        if object.has("IVindex") {
            throw CDBObject.invalid("", "this is the private file of BlueZ's meshctl, which holds no nodes")
        }
        if object.has("token") {
            throw CDBObject.invalid(
                "",
                "this is the private file of BlueZ's mesh-cfgclient, which holds no keys; export with its export-db"
            )
        }
    }

    /// A UUID with hyphens, or without, which older programs write.
    mutating func uuid(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> DeviceUUID {
        let text = try object.required(name, try object.text(name))
        guard let uuid = DeviceUUID(text) else {
            throw object.invalid(name, "a UUID is expected, not \(CDBObject.shown(text))")
        }
        if !text.contains("-") { repair(object.pointer(to: name), "a UUID without hyphens") }
        return uuid
    }

    /// `secure` or `insecure`; older programs write `high` or `low`.
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
