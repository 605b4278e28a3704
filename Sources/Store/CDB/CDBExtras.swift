package import MeshCore
import SystemLayer

/// What a configuration database held beyond the network model: unknown members, and known ones that only other
/// programs use (time stamps, schema). It is stored sealed and written out again at export.
///
/// Members are kept by the identity of their object (`nodes/<UUID>/elements/0/models/1000`), not by its position. So
/// they find their object again after other objects came, went or moved.
package struct CDBExtras: Hashable, Sendable {
    /// Members by the path of their object, in the order of the import.
    private(set) var members: [String: [JSONMember]] = [:]

    /// No extras.
    package init() {}

    /// Whether nothing is kept.
    package var isEmpty: Bool { members.isEmpty }

    /// The members kept for an object.
    subscript(path: String) -> [JSONMember] { members[path] ?? [] }

    /// Keeps members for an object. If two objects of a document turn out to be one, the members of the first one
    /// count.
    mutating func keep(_ kept: [JSONMember], at path: String) {
        guard !kept.isEmpty else { return }
        let names = Set(self[path].map(\.name))
        members[path, default: []] += kept.filter { !names.contains($0.name) }
    }

    /// Forgets a node and all objects within it.
    package mutating func removeNode(_ uuid: DeviceUUID) {
        let path = "nodes/\(uuid)"
        members = members.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
    }

    /// The stored form, version 1: a list of path and JSON text, sorted by path.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(UInt8(1))
        writer.writeList(members.sorted { $0.key < $1.key }) { entry, writer in
            writer.writeString(entry.key)
            writer.writeOctets(JSONValue.object(entry.value).document())
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try reader.expectVersion(1)
        for _ in 0..<(try reader.readCount(size: 2)) {
            let path = try reader.readString()
            let text = try reader.readOctets()
            guard case .object(let kept)? = try? JSONParser.parse(text) else {
                throw .prohibited(field: "extras", value: UInt64(text.count))
            }
            members[path] = kept
        }
        try reader.expectEnd()
    }
}
