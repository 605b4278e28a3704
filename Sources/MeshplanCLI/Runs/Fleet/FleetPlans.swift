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
        var digest: String
        /// What the plan does, in a few words.
        var changes: String
        /// The SHA-256 of the file with the plan, as 64 hexadecimal digits.
        var checksum: String

        var file: String { network.name + ".mplan" }
    }

    /// The networks with changes, in the order of the fleet.
    var entries: [Entry]
    var upToDate: [String]
    /// The networks that could not be planned.
    var leftOut: [String]
    /// When they were made, as text.
    var madeAt: String
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
        guard let found = try? TypedJSON.decode(Document.self, from: bytes), found.format == format,
            Hexadecimal.decode(found.digest)?.count == SHA256.length,
            Set(found.plans.map(\.network.name)).count == found.plans.count
        else { return nil }
        let plans = FleetPlans(
            entries: found.plans,
            upToDate: found.upToDate,
            leftOut: found.leftOut,
            madeAt: found.madeAt,
            user: found.user,
            host: found.host
        )
        return (plans, found.digest)
    }

    private struct Document: Decodable {
        var format, digest, madeAt, user, host: String
        var plans: [Entry]
        var upToDate, leftOut: [String]
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
}

extension FleetPlans.Entry: Decodable {
    private enum CodingKeys: String, CodingKey {
        case network, digest, changes, folder, definition, tags, variables, via, state, keyFile
        case checksum = "fileSha256"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        network = FleetNetwork(
            name: try members.decode(String.self, forKey: .network),
            folder: try members.decode(String.self, forKey: .folder),
            definition: try members.value(.definition, or: []),
            tags: try members.value(.tags, or: [:]),
            variables: try members.value(.variables, or: [:]),
            via: try members.value(.via, or: []),
            state: try members.decodeIfPresent(String.self, forKey: .state),
            keyFile: try members.decodeIfPresent(String.self, forKey: .keyFile)
        )
        // The name is that of a file, too.
        guard Name.isValid(network.name), network.name.utf8.count <= 64 else { throw members.senseless(.network) }
        digest = try members.decode(String.self, forKey: .digest)
        changes = try members.decode(String.self, forKey: .changes)
        checksum = try members.decode(String.self, forKey: .checksum)
        for (key, hash) in [(CodingKeys.digest, digest), (.checksum, checksum)] {
            guard Hexadecimal.decode(hash)?.count == SHA256.length else { throw members.senseless(key) }
        }
    }
}
