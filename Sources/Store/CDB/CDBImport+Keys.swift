import MeshCore
import SystemLayer

/// NetKeys and AppKeys.
extension CDBImport {
    mutating func netKeys(_ object: inout CDBObject) throws(CDBRefusal) -> [NetKey] {
        let pointer = object.pointer(to: "netKeys")
        let items = try object.list("netKeys")
        guard !items.isEmpty else { throw CDBObject.invalid(pointer, "at least one network key is needed") }
        let keys = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            try reader.netKey(&object)
        }
        try refuseDuplicates(keys.map(\.index), at: pointer, "index")
        return keys.sorted { $0.index < $1.index }
    }

    private mutating func netKey(_ object: inout CDBObject) throws(CDBRefusal) -> NetKey {
        let index: NetKeyIndex = try keyIndex("index", in: &object)
        object.path = "netKeys/\(index)"
        let key = try object.required("key", try self.key("key", in: &object))
        let value = try object.integer("phase", in: 0...2) ?? 0
        let phase = KeyRefreshPhase(rawValue: UInt8(value)) ?? .normal
        var oldKey: KeyMaterial?
        if phase != .normal {
            oldKey = try self.oldKey(in: &object)
            guard oldKey != nil else { throw object.invalid("oldKey", "missing, although phase is \(value)") }
        } else if let old = object.peek("oldKey"), CDBImport.isZeros(old) {
            _ = try self.oldKey(in: &object)
        } else if object.has("oldKey") {
            repair(object.pointer(to: "oldKey"), "there, although phase is 0; kept, not used")
        }
        date("timestamp", in: &object)
        return NetKey(
            index: index,
            name: try name(in: &object, or: "Network Key \(index)"),
            key: key,
            oldKey: oldKey,
            phase: phase,
            isMinimumSecuritySecure: try isSecure("minSecurity", in: &object)
        )
    }

    /// The key before the present one; zeros mean that there is none.
    private mutating func oldKey(in object: inout CDBObject) throws(CDBRefusal) -> KeyMaterial? {
        guard let value = object.peek("oldKey") else { return nil }
        if CDBImport.isZeros(value) {
            object.replace("oldKey", with: nil)
            repair(object.pointer(to: "oldKey"), "zeros; taken as none")
            return nil
        }
        return try key("oldKey", in: &object)
    }

    private static func isZeros(_ value: JSONValue) -> Bool { value == .string(String(repeating: "0", count: 32)) }

    mutating func appKeys(_ object: inout CDBObject, netKeys: [NetKey]) throws(CDBRefusal) -> [AppKey] {
        let pointer = object.pointer(to: "appKeys")
        let known = Set(netKeys.map(\.index))
        let items = try list("appKeys", in: &object)
        let keys: [AppKey] = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            let index: AppKeyIndex = try reader.keyIndex("index", in: &object)
            object.path = "appKeys/\(index)"
            let bound: NetKeyIndex = try reader.keyIndex("boundNetKey", in: &object)
            guard known.contains(bound) || !reader.refusals.isEmpty else {
                throw object.invalid("boundNetKey", "there is no network key with index \(bound)")
            }
            return AppKey(
                index: index,
                name: try reader.name(in: &object, or: "Application Key \(index)"),
                boundNetKey: bound,
                key: try object.required("key", try reader.key("key", in: &object)),
                oldKey: try reader.oldKey(in: &object)
            )
        }
        try refuseDuplicates(keys.map(\.index), at: pointer, "index")
        return keys.sorted { $0.index < $1.index }
    }

    /// The name of an object, or `substitute` if it has none.
    mutating func name(in object: inout CDBObject, or substitute: String) throws(CDBRefusal) -> String {
        if let name = try object.text("name") { return name }
        missing("name", in: &object, "called \"\(substitute)\"")
        return substitute
    }

    mutating func keyIndex<Index: KeyIndex>(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> Index {
        let number = try object.required(name, try object.integer(name, in: 0...4095))
        return try object.required(name, Index(rawValue: UInt16(truncatingIfNeeded: number)))
    }

    /// Refuses a list in which two objects have the same identity.
    func refuseDuplicates<Identity: Hashable>(
        _ identities: [Identity],
        at pointer: String,
        _ member: String
    ) throws(CDBRefusal) {
        // Once objects are left out, places in the list differ from those in the document.
        guard refusals.isEmpty else { return }
        var seen: [Identity: Int] = [:]
        for (index, identity) in identities.enumerated() {
            if let first = seen.updateValue(index, forKey: identity) {
                throw CDBObject.invalid("\(pointer)/\(index)/\(member)", "the same as in \(pointer)/\(first)")
            }
        }
    }
}
