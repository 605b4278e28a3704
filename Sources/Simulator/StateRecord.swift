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
    /// Who hears whom; the last one counts.
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

    /// The state in a file and how many of its octets are whole: what follows was being written when the writer
    /// died and must be cut off before more is appended. An empty file, or a piece of a header, holds no state and
    /// has no whole octets.
    ///
    /// - Throws: ``DecodeError/unknownType(_:)`` if the file is not a state file of this version, other cases if a
    ///   record with a right checksum makes no sense.
    package static func decode(_ bytes: [UInt8]) throws(DecodeError) -> (state: SimulatorState, wholeOctets: Int) {
        guard bytes.count >= header.count else {
            guard header.starts(with: bytes) else { throw .unknownType(0) }
            return (SimulatorState(), 0)
        }
        guard bytes.starts(with: header) else { throw .unknownType(UInt64(bytes[5])) }
        var state = SimulatorState()
        var reader = ByteReader(bytes[header.count...])
        var whole = header.count
        while let body = try? nextBody(&reader) {
            var bodyReader = ByteReader(body)
            let record = try bodyReader.readStateRecord()
            try bodyReader.expectEnd()
            state.apply(record)
            whole = header.count + reader.offset
        }
        return (state, whole)
    }

    private static func nextBody(_ reader: inout ByteReader) throws(DecodeError) -> ArraySlice<UInt8> {
        let length = Int(try reader.readUInt32())
        guard length <= longestBody else { throw .length(length) }
        let body = try reader.read(length)
        let checksum = try reader.readUInt32()
        guard Checksum.crc32(body) == checksum else { throw .prohibited(field: "CRC", value: UInt64(checksum)) }
        return body
    }
}
