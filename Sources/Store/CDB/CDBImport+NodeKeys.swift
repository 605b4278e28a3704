import MeshCore
import SystemLayer

/// The keys of nodes. Some exporters leave them out.
extension CDBImport {
    /// Reads the keys of a node after its elements; keys that the document leaves out are concluded from what the node
    /// uses.
    mutating func readKeys(of node: inout Node, _ object: inout CDBObject, _ path: String) throws(CDBRefusal) {
        let bound = Set(node.elements.flatMap(\.models).flatMap(\.bindings)).filter { appKeys[$0] != nil }.sorted()
        if object.has("appKeys") {
            node.appKeys = try nodeKeys("appKeys", &object, path)
        } else {
            node.appKeys = bound.map { NodeKey(index: $0, isUpdated: false) }
            _ = object.take("appKeys")
            missing("appKeys", in: &object, bound.isEmpty ? "taken as empty" : "taken as those its models are bound to")
        }
        guard !object.has("netKeys") else {
            node.netKeys = try nodeKeys("netKeys", &object, path)
            return
        }
        _ = object.take("netKeys")
        let needed = Set(node.appKeys.compactMap { appKeys[$0.index] }).sorted()
        if !needed.isEmpty {
            node.netKeys = needed.map { NodeKey(index: $0, isUpdated: false) }
            missing("netKeys", in: &object, "taken as those of its application keys")
        } else if let only = netKeys.first, netKeys.count == 1 {
            node.netKeys = [NodeKey(index: only, isUpdated: false)]
            missing("netKeys", in: &object, "taken as the only one there is")
        } else if refusals.isEmpty {
            let choice = netKeys.prefix(4).map(\.description).joined(separator: ", ")
            throw object.invalid("netKeys", "missing, and it may be any of \(choice)\(netKeys.count > 4 ? ", …" : "")")
        }
    }

    private mutating func nodeKeys<Index: KeyIndex>(
        _ name: String,
        _ object: inout CDBObject,
        _ path: String
    ) throws(CDBRefusal) -> [NodeKey<Index>] {
        let pointer = object.pointer(to: name)
        let items = try object.list(name)
        let keys: [NodeKey<Index>] = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            let index: Index = try reader.keyIndex("index", in: &object)
            object.path = "\(path)/\(name)/\(index)"
            return NodeKey(index: index, isUpdated: try object.bool("updated") ?? false)
        }
        try refuseDuplicates(keys.map(\.index), at: pointer, "index")
        return keys.sorted { $0.index < $1.index }
    }
}
