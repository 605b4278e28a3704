import Basics
import DefinitionModel
import MeshCore
import SystemLayer

/// The saved plans of a fleet: who made them and when, and for each network with changes its plan and all that an apply
/// needs to find its database and the mesh. So they are applied where there is no definition.
///
/// Paths start from the folder of the fleet where they lead into it. Addresses have no passwords.
struct FleetPlans {
    /// The plan of a network.
    struct Entry: Hashable {
        /// The network, with paths as they are written.
        var network: FleetNetwork
        /// The digest of its plan.
        var digest: String
        /// What the plan does, in a few words.
        var changes: String
        /// The SHA-256 of the file with the plan, as 64 hexadecimal digits.
        var checksum: String

        /// The name of the file.
        var file: String { network.name + ".mplan" }
    }

    /// The networks with changes, in the order of the fleet.
    var entries: [Entry]
    /// The networks that are up to date.
    var upToDate: [String]
    /// The networks that could not be planned.
    var leftOut: [String]
    /// When they were made, as text.
    var madeAt: String
    /// The user who made them.
    var user: String
    /// The machine on which they were made.
    var host: String

    private static let format = "meshplan fleet plan 1"

    /// The SHA-256 of what the plans do, where and in which order, as 64 hexadecimal digits. Nil only if libcrypto has
    /// no memory.
    ///
    /// It contains the digests of the plans. So plans that are made again from the same definitions for the same
    /// databases have the same digest, wherever they are made.
    var digest: String? {
        let lines = [Self.format] + entries.map { JSONValue.object($0.members).line }
        return SHA256.hash(Array(lines.joined(separator: "\n").utf8)).map { Hexadecimal.encode($0) }
    }

    // MARK: As JSON

    /// The document that describes them.
    func document(_ digest: String) -> [UInt8] {
        JSONValue.object([
            "format": Self.format.json, "digest": digest.json, "made_at": madeAt.json, "user": user.json,
            "host": host.json, "meshplan": programVersion.json,
            "plans": .array(entries.map { .object($0.members + [JSONMember("file_sha256", $0.checksum.json)]) }),
            "up_to_date": .array(upToDate.map(\.json)), "left_out": .array(leftOut.map(\.json)),
        ]).document()
    }

    /// Whether octets are the beginning of such a document.
    static func isRecognized(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes.prefix(64), as: UTF8.self).contains(#""format": "meshplan fleet plan "#)
    }

    /// Reads a document.
    ///
    /// - Returns: nil unless this program could have written it. Then the digest in it need not be right.
    static func decoded(_ bytes: [UInt8]) -> (plans: FleetPlans, digest: String)? {
        guard let value = try? JSONParser.parse(bytes), value["format"]?.text == format,
            let digest = value["digest"]?.text, Hexadecimal.decode(digest)?.count == SHA256.length,
            let madeAt = value["made_at"]?.text, let user = value["user"]?.text, let host = value["host"]?.text,
            let plans = value["plans"]?.list, let upToDate = value["up_to_date"]?.texts,
            let leftOut = value["left_out"]?.texts
        else { return nil }
        let entries = plans.compactMap(Entry.init)
        guard entries.count == plans.count, Set(entries.map(\.network.name)).count == entries.count else { return nil }
        let found = FleetPlans(
            entries: entries,
            upToDate: upToDate,
            leftOut: leftOut,
            madeAt: madeAt,
            user: user,
            host: host
        )
        return (found, digest)
    }
}

extension FleetPlans.Entry {
    /// What the digest of all plans covers.
    fileprivate var members: [JSONMember] {
        func object(_ values: [String: String]) -> JSONValue? {
            values.isEmpty
                ? nil : .object(values.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value.json) })
        }
        let all: [(String, JSONValue?)] = [
            ("network", network.name.json), ("digest", digest.json), ("changes", changes.json),
            ("folder", network.folder.json),
            ("definition", network.definition.isEmpty ? nil : .array(network.definition.map(\.json))),
            ("tags", object(network.tags)), ("variables", object(network.variables)),
            ("via", network.via.isEmpty ? nil : .array(network.via.map(\.json))), ("state", network.state?.json),
            ("key_file", network.keyFile?.json),
        ]
        return all.compactMap { name, value in value.map { JSONMember(name, $0) } }
    }

    /// An entry of a document; nil if it cannot be one.
    fileprivate init?(_ value: JSONValue) {
        guard let name = value["network"]?.text, Name.isValid(name), name.utf8.count <= 64,
            let digest = value["digest"]?.text, Hexadecimal.decode(digest)?.count == SHA256.length,
            let checksum = value["file_sha256"]?.text, Hexadecimal.decode(checksum)?.count == SHA256.length,
            let changes = value["changes"]?.text, let folder = value["folder"]?.text,
            let definition = (value["definition"] ?? .array([])).texts, let via = (value["via"] ?? .array([])).texts,
            let tags = (value["tags"] ?? .object([])).namedTexts,
            let variables = (value["variables"] ?? .object([])).namedTexts
        else { return nil }
        network = FleetNetwork(
            name: name,
            folder: folder,
            definition: definition,
            tags: tags,
            variables: variables,
            via: via,
            state: value["state"]?.text,
            keyFile: value["key_file"]?.text
        )
        self.digest = digest
        self.changes = changes
        self.checksum = checksum
    }
}

extension JSONValue {
    /// The entries, if it is an array.
    fileprivate var list: [JSONValue]? { if case .array(let entries) = self { entries } else { nil } }

    /// The texts, if it is an array of texts.
    fileprivate var texts: [String]? {
        guard let list else { return nil }
        let texts = list.compactMap(\.text)
        return texts.count == list.count ? texts : nil
    }

    /// The texts by name, if it is an object of texts.
    fileprivate var namedTexts: [String: String]? {
        guard case .object(let members) = self else { return nil }
        let texts = members.compactMap { member in member.value.text.map { (member.name, $0) } }
        return texts.count == members.count ? Dictionary(texts) { first, _ in first } : nil
    }
}
