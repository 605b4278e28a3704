package import MeshCore

/// One entry of the simulator's state file: what changed since the entries before it.
package enum StateRecord: Hashable, Sendable {
    /// All of a node's configuration; the last one of a node counts.
    case node(NodeConfigurationState)
    /// The IV index that a node is at.
    case ivIndex(DeviceUUID, IVIndex)
    /// A node accepted a PDU: it takes no older one from that stream's source any more.
    case replay(DeviceUUID, SequenceStream, UInt32)
    /// A node may have used all its sequence numbers below the given one.
    case reservation(SequenceStream, end: UInt32)
    /// Somebody was heard with these sequence numbers.
    case used(SequenceStream, ClosedRange<UInt32>)
    /// Who hears whom, as files of version 0.1 have it; of no use any more.
    case links([WorldSettings.RadioLink])
    /// The node that hops are counted from; the last one counts.
    case root(DeviceUUID)
    /// A device accepted provisioning data and is a node with that configuration, at that IV index: what it was before
    /// is over. From then on this file, and no database, says what the device is.
    case provisioned(NodeConfigurationState, IVIndex)
    /// A node was refreshed over its Node Provisioning Protocol Interface and goes on with that configuration, at that IV
    /// index: what it heard before still counts. The candidate takes over as its DeviceKey with the first message under
    /// it. From then on this file, and no database, says what the node is.
    case refreshed(NodeConfigurationState, IVIndex, candidate: KeyMaterial?)
    /// What a device does otherwise than others; the last one of a device counts.
    case habits(DeviceUUID, Set<DeviceHabit>)
    /// Where a node or device stands; the last one of a device counts.
    case place(DeviceUUID, RadioPlace)
    /// The hops that nodes are spread over; the last one counts.
    case hops(UInt8)
}

/// The simulator's state file: "MSIM" and a version, then records that are only ever appended.
///
/// A record is the length of its body (32 bits, big-endian), the body, and the CRC-32 of the body (32 bits,
/// big-endian). A body starts with the kind of the record. Kinds are added and never changed, so every file of the
/// version can be read; a program that does not know a kind refuses the file. The file holds keys: 0600.
package enum StateFile {
    /// What every file starts with.
    package static let header: [UInt8] = Array("MSIM".utf8) + [0, 1]
    static let longestBody = 1 << 24

    /// A record as it is appended.
    package static func encode(_ record: StateRecord) -> [UInt8] {
        var body = ByteWriter(capacity: 64)
        body.write(record)
        var writer = ByteWriter(capacity: body.bytes.count + 8)
        writer.write(UInt32(truncatingIfNeeded: body.bytes.count))
        writer.write(body.bytes)
        writer.write(Checksum.crc32(body.bytes))
        return writer.bytes
    }

    /// Why a file holds no state.
    package enum ReadError: Error, Hashable, Sendable {
        /// It is something else, or of another version.
        case notAStateFile
        /// From that octet on it is damaged, though more follows.
        case damaged(Int)
        /// The record at that octet is whole and makes no sense.
        case record(Int, DecodeError)
    }

    /// The state in a file and how many of its octets are whole: what follows was being written when the writer
    /// died and must be cut off before more is appended. An empty file, or a piece of a header, holds no state and
    /// has no whole octets.
    package static func decode(_ bytes: [UInt8]) throws(ReadError) -> (state: SimulatorState, wholeOctets: Int) {
        guard bytes.count >= header.count else {
            guard header.starts(with: bytes) else { throw .notAStateFile }
            return (SimulatorState(), 0)
        }
        guard bytes.starts(with: header) else { throw .notAStateFile }
        var state = SimulatorState()
        var reader = ByteReader(bytes[header.count...])
        var whole = header.count
        // Nothing but zeros, as some file systems leave behind after a crash, is no record.
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

    /// Whether octets can be the beginning of a record whose writer died: there is no more of them than of one record, and
    /// no whole record among them.
    private static func isUnfinished(_ rest: ArraySlice<UInt8>) -> Bool {
        guard rest.count <= longestUnfinished else { return false }
        var work = 0
        for start in rest.indices {
            var reader = ByteReader(rest[start...])
            guard let length = try? reader.readUInt32(), length > 0, Int(length) <= rest.endIndex - start - 8 else {
                continue
            }
            // Hardly ever that many places look like a record; if they do, the file is taken for what it mostly is.
            work += Int(length)
            guard work <= 1 << 24 else { return true }
            reader = ByteReader(rest[start...])
            if (try? nextBody(&reader)) != nil { return false }
        }
        return true
    }

    /// More than any record that a simulator writes.
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
