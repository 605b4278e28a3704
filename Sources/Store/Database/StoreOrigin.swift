import MeshCore

/// Which server, and which history of its data, a shared store goes on with.
///
/// A standby that is promoted begins a new timeline. With asynchronous replication it may lack transactions that the
/// former primary had acknowledged. Nothing within the data shows that, but the number of the timeline does. A server
/// that was filled from a dump has another identifier.
struct StoreOrigin: Hashable, Sendable {
    /// The server's identifier, which all its standbys share.
    var system: UInt64
    /// Counts promotions, from 1 on.
    var timeline: UInt32

    /// Whether no server of this origin was ever promoted.
    var isFirst: Bool { timeline <= 1 }

    /// Whether this is what a promotion has left behind, seen from the other one.
    func isLeftBehind(by other: StoreOrigin) -> Bool { system == other.system && timeline < other.timeline }
}

extension StoreOrigin {
    /// The 12 octets of its stored form.
    func write(to writer: inout ByteWriter) {
        writer.write(system)
        writer.write(timeline)
    }

    init(_ reader: inout ByteReader) throws(DecodeError) {
        self.init(system: try reader.readUInt64(), timeline: try reader.readUInt32())
    }
}

/// What the writer of a shared store is told when the server was replaced by its standby.
package enum Promotion: Hashable, Sendable {
    /// It happened before the lock was taken: after this machine, or whoever sent last, used the database.
    case before
    /// It happened under the lock, and all of this lease's transactions are there.
    case during
    /// It happened under the lock. That many of this lease's transactions were missing, and were stored again.
    case repaired(Int)
}
