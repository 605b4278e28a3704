import MeshCore
import SystemLayer

/// What happened to changes that an earlier run could not store and left in a file.
package enum SpillOutcome: Hashable, Sendable {
    case stored
    /// The server had stored them; only its answer was lost.
    case wasStored
    /// The database has changed without them. The file was kept under that path. The next apply finds out what the
    /// changes would have told, because the journal says what is in doubt.
    case outdated(String)
    /// The file is damaged, or sealed with another key. It was kept under that path.
    case unreadable(String)
}

/// A transaction that did not reach the server, as it is written to `<localPath>.spill`. The lineage is in clear,
/// so that files of other databases are left alone. The rows and the state they were made for follow, sealed once more
/// as a whole.
struct Spill {
    static let firstLine = "meshplan spill 1 "
    static let purpose = "spill"
    static let hint: Advice =
        "run the same command again on this machine once the database can be reached; it stores the changes first"

    /// The state that the transaction was made for.
    var expected: StoreHeader
    /// The revision after it.
    var revision: UInt64
    var changes: RowChanges

    func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 4096)
        writer.write(UInt8(1))
        writer.write(expected.lineage)
        writer.write(expected.revision)
        writer.write(revision)
        writer.writeList(changes.puts) { row, writer in
            writer.write(row.name.kind.rawValue)
            writer.writeOctets(row.name.key)
            writer.write(row.revision)
            writer.writeOctets(row.body)
        }
        writer.writeList(changes.deletes) { name, writer in
            writer.write(name.kind.rawValue)
            writer.writeOctets(name.key)
        }
        return writer.bytes
    }
}

extension Spill {
    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try reader.expectVersion(1)
        let lineage = try reader.readOctets16()
        expected = StoreHeader(lineage: lineage, revision: try reader.readUInt64())
        revision = try reader.readUInt64()
        changes = RowChanges(puts: [], deletes: [])
        for _ in 0..<(try reader.readCount(size: 11)) {
            let name = try Spill.name(&reader)
            let revision = try reader.readUInt64()
            changes.puts.append(StoredRow(name: name, revision: revision, body: try reader.readOctets()))
        }
        for _ in 0..<(try reader.readCount(size: 2)) { changes.deletes.append(try Spill.name(&reader)) }
        try reader.expectEnd()
    }

    private static func name(_ reader: inout ByteReader) throws(DecodeError) -> RowName {
        let kind = try reader.readUInt8()
        guard let kind = RowKind(rawValue: kind) else { throw .unknownType(UInt64(kind)) }
        return RowName(kind, key: try reader.readOctets())
    }
}

extension MeshDatabase {
    /// The file for changes that could not be stored.
    private var spillPath: String { location.localPath + ".spill" }

    /// Keeps in a file what a shared store could not take.
    ///
    /// - Returns: the error to throw, which says where the file is, or that there is none.
    func keep(_ spill: Spill, after error: StoreError) -> StoreError {
        var error = error
        do throws(StoreError) {
            if try isSpillThere() {
                // What an earlier run left may just have failed once more; it stays where it is.
                let bytes = try storing { () throws(FileError) in
                    try Files.readRegular(spillPath, limit: 256 << 20, isSecret: false)
                }
                if case .readable(let kept) = readSpill(bytes), kept.expected == spill.expected,
                    kept.revision == spill.revision, kept.changes.puts.last?.body == spill.changes.puts.last?.body
                {
                    error.message += "; the unsaved changes are still in \(spillPath)"
                    error.hint = Spill.hint
                    return error
                }
                _ = try setSpillAside(as: "other")
            }
            let line = Array((Spill.firstLine + spill.expected.lineage.hexadecimal + "\n").utf8)
            let sealed = try seal(spill.encoded(), purpose: Spill.purpose)
            try storing { () throws(FileError) in try AtomicFile.write(spillPath, line + sealed) }
            error.message += "; the unsaved changes are in \(spillPath)"
            error.hint = Spill.hint
        } catch let other {
            error.message += "; the unsaved changes could not be written to \(spillPath) either: \(other.message)"
            error.hint =
                "run the same command again when both can be reached: it asks the nodes for everything that is in doubt"
        }
        return error
    }

    private func isSpillThere() throws(StoreError) -> Bool {
        try storing { () throws(FileError) in try FileStatus.of(spillPath) } != nil
    }

    private enum ReadSpill {
        case readable(Spill)
        case unreadable
        case foreign
    }

    private func readSpill(_ bytes: [UInt8]) -> ReadSpill {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        let start = Array(Spill.firstLine.utf8)
        let lineage = Octets16(hexadecimal: String(decoding: line.dropFirst(start.count), as: UTF8.self))
        guard line.starts(with: start), line.count < bytes.count, let lineage else { return .unreadable }
        guard lineage == cipher.lineage else { return .foreign }
        guard let opened = try? unseal(Array(bytes[(line.count + 1)...]), purpose: Spill.purpose),
            let spill = try? Spill(decoding: opened), spill.expected.lineage == lineage,
            spill.changes.puts.last?.name == Manifest.name
        else { return .unreadable }
        return .readable(spill)
    }

    /// Stores what an earlier run left behind, if the database is still in the state that the run knew.
    func settleSpill(with lease: WriteLease) throws(StoreError) {
        guard location.isShared, try isSpillThere() else { return }
        let spill: Spill
        let bytes = try storing { () throws(FileError) in
            try Files.readRegular(spillPath, limit: 256 << 20, isSecret: false)
        }
        switch readSpill(bytes) {
        case .readable(let found): spill = found
        case .unreadable:
            lease.spill = .unreadable(try setSpillAside(as: "unreadable"))
            return
        // It belongs to another database with a network of that name, and will be needed there.
        case .foreign: return
        }
        guard let last = spill.changes.puts.last else { return }
        if spill.expected == lease.header {
            let header = StoreHeader(lineage: lease.lineage, revision: spill.revision)
            let manifest = try manifest(last, header: header)
            try store(spill.changes, revision: spill.revision, with: lease)
            lease.manifest = manifest
            try? Files.remove(spillPath)
            lease.spill = .stored
        } else if spill.revision == lease.header.revision,
            try store.rows(named: [Manifest.name]).rows.first?.body == last.body
        {
            try? Files.remove(spillPath)
            lease.spill = .wasStored
        } else {
            lease.spill = .outdated(try setSpillAside(as: "outdated"))
        }
    }

    /// Gives the file a name that nobody reads.
    private func setSpillAside(as word: String) throws(StoreError) -> String {
        var path = "\(spillPath)-\(word)"
        var number = 1
        while try storing({ () throws(FileError) in try FileStatus.of(path) }) != nil {
            number += 1
            path = "\(spillPath)-\(word)-\(number)"
        }
        try storing { () throws(FileError) in try Files.rename(spillPath, to: path) }
        return path
    }
}
