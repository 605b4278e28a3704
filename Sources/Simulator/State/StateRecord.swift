package import MeshCore

/// One entry of the simulator's state file: a change since the entries before it.
package enum StateRecord: Hashable, Sendable {
    /// A node's whole configuration; the last record of a node counts.
    case node(NodeConfigurationState)
    case ivIndex(DeviceUUID, IVIndex)
    /// A node accepted a PDU. It accepts no older one from the stream's source any more.
    case replay(DeviceUUID, SequenceStream, UInt32)
    /// A node may have used all its sequence numbers below the given one.
    case reservation(SequenceStream, end: UInt32)
    /// Sequence numbers that were heard on a stream.
    case used(SequenceStream, ClosedRange<UInt32>)
    /// The node that hops are counted from; the last record counts.
    case root(DeviceUUID)
    /// A device accepted provisioning data, and is a node with that configuration and IV index. Its earlier life is
    /// over. From then on, this file decides what the device is, not a database.
    case provisioned(NodeConfigurationState, IVIndex)
    /// A node was reprovisioned over its Node Provisioning Protocol Interface, and continues with that configuration
    /// and IV index. Its replay protection stays. The candidate becomes its DeviceKey with the first message under it.
    /// From then on, this file decides what the node is, not a database.
    case reprovisioned(NodeConfigurationState, IVIndex, candidate: KeyMaterial?)
    /// How a device deviates from others; the last record of a device counts.
    case quirks(DeviceUUID, Set<DeviceQuirk>)
    /// The place of a node or device; the last record of a device counts.
    case place(DeviceUUID, RadioPlace)
    /// The number of hops that the nodes are spread over; the last record counts.
    case hops(UInt8)
    /// What the application models of a node hold; the last record of a node counts.
    case models(DeviceUUID, StoredModels)
}

/// The simulator's state file: "MSIM" and a version, then records, which are only ever appended.
///
/// A record is the length of its body (32 bits, big-endian), the body, and the CRC-32 of the body (32 bits,
/// big-endian). A body starts with the kind of the record. Kinds are added and never changed, so every file of the
/// version can be read. A program that does not know a kind refuses the file. The file holds keys, so its mode is 0600.
package enum StateFile {
    package static let header: [UInt8] = Array("MSIM".utf8) + [0, 1]
    static let longestBody = 1 << 24

    /// The octets to append for a record.
    package static func encode(_ record: StateRecord) -> [UInt8] {
        var body = ByteWriter(capacity: 64)
        body.write(record)
        var writer = ByteWriter(capacity: body.bytes.count + 8)
        writer.write(UInt32(truncatingIfNeeded: body.bytes.count))
        writer.write(body.bytes)
        writer.write(Checksum.crc32(body.bytes))
        return writer.bytes
    }

    /// Why a file holds no valid state.
    package enum ReadError: Error, Hashable, Sendable {
        /// It is not a state file, or it has another version.
        case notAStateFile
        /// It is damaged from that octet on, although more follows.
        case damaged(Int)
        /// The record at that octet is complete but malformed.
        case record(Int, DecodeError)
    }

    /// The state in a file, and how many of its octets are complete records. The writer may have died while it wrote
    /// the rest. Cut the rest off before you append. An empty file, or a part of a header, holds no state and no
    /// complete octets.
    package static func decode(_ bytes: [UInt8]) throws(ReadError) -> (state: SimulatorState, wholeOctets: Int) {
        guard bytes.count >= header.count else {
            guard header.starts(with: bytes) else { throw .notAStateFile }
            return (SimulatorState(), 0)
        }
        guard bytes.starts(with: header) else { throw .notAStateFile }
        var state = SimulatorState()
        var reader = ByteReader(bytes[header.count...])
        var whole = header.count
        // Zeros, which some file systems leave behind after a crash, are not a record.
        while let body = try? nextBody(&reader), !body.isEmpty {
            do throws(DecodeError) {
                var bodyReader = ByteReader(body)
                let record = try bodyReader.readStateRecord()
                try bodyReader.expectEnd()
                state.apply(record)
            } catch { throw .record(whole, error) }
            whole = header.count + reader.offset
        }
        guard isUnfinished(bytes[whole...]) else { throw .damaged(whole) }
        return (state, whole)
    }

    /// Whether octets can be the beginning of a record whose writer died: they are no longer than one record and
    /// contain no complete record.
    private static func isUnfinished(_ rest: ArraySlice<UInt8>) -> Bool {
        guard rest.count <= longestUnfinished else { return false }
        var work = 0
        for start in rest.indices {
            var reader = ByteReader(rest[start...])
            guard let length = try? reader.readUInt32(), length > 0, Int(length) <= rest.endIndex - start - 8 else {
                continue
            }
            // So many places that look like a record are very unlikely. If there are, the file counts as unfinished,
            // which is the usual case.
            work += Int(length)
            guard work <= 1 << 24 else { return true }
            reader = ByteReader(rest[start...])
            if (try? nextBody(&reader)) != nil { return false }
        }
        return true
    }

    /// Larger than any record that a simulator writes.
    private static let longestUnfinished = 1 << 18

    private static func nextBody(_ reader: inout ByteReader) throws(DecodeError) -> ArraySlice<UInt8> {
        let length = Int(try reader.readUInt32())
        guard length <= longestBody else { throw .length(length) }
        let body = try reader.read(length)
        let checksum = try reader.readUInt32()
        guard Checksum.crc32(body) == checksum else { throw .prohibited(field: "CRC", value: UInt64(checksum)) }
        return body
    }
}
