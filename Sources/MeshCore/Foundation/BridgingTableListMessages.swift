/// Which pairs of subnets are asked for (Mesh Protocol 1.1), 2 octets: filter (2 bits), reserved (2), NetKey index
/// (12).
package struct BridgedSubnetsFilter: Hashable, Sendable, AccessField {
    /// Where the NetKey has to stand in a pair.
    package enum Position: UInt8, CaseIterable, Sendable {
        /// Anywhere or nowhere: all pairs.
        case any = 0
        /// First.
        case first = 1
        /// Second.
        case second = 2
        /// First or second.
        case either = 3
    }

    /// Where the NetKey has to stand.
    package var position: Position
    /// Which NetKey; says nothing for ``Position/any``.
    package var netKeyIndex: NetKeyIndex

    package init(position: Position, netKeyIndex: NetKeyIndex) {
        self.position = position
        self.netKeyIndex = netKeyIndex
    }

    /// Reads two octets; the reserved bits are ignored.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let bits = try reader.readUInt16LittleEndian()
        netKeyIndex = try NetKeyIndex(bits: bits >> 4)
        let position = UInt8(truncatingIfNeeded: bits & 0x3)
        guard let position = Position(rawValue: position) else {
            throw .prohibited(field: "Filter", value: UInt64(position))
        }
        self.position = position
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(netKeyIndex.rawValue << 4 | UInt16(position.rawValue))
    }
}

/// Bridged Subnets Get (Mesh Protocol 1.1): filter (2), index of the first pair (1).
package struct BridgedSubnetsGet: ConfigurationRequest, FieldMessage {
    package typealias Status = BridgedSubnetsList
    package static let opcode: Opcode = 0x80B7
    /// Which pairs.
    package var filter: BridgedSubnetsFilter
    /// From which of them on.
    package var startIndex: UInt8

    package init(filter: BridgedSubnetsFilter, startIndex: UInt8) {
        self.filter = filter
        self.startIndex = startIndex
    }

    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        filter = try BridgedSubnetsFilter(reading: &reader)
        startIndex = try reader.readUInt8()
    }

    package func write(to writer: inout ByteWriter) {
        filter.write(to: &writer)
        writer.write(startIndex)
    }

    package func isAnswered(by status: Status) -> Bool {
        status.filter == filter && status.startIndex == startIndex
    }
}

/// Bridged Subnets List (Mesh Protocol 1.1): filter (2), index of the first pair (1), pairs (3 each).
package struct BridgedSubnetsList: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x80B8
    /// Which pairs.
    package var filter: BridgedSubnetsFilter
    /// From which of them on.
    package var startIndex: UInt8
    /// The pairs, as many as fit into the message.
    package var pairs: [NetKeyIndexPair]

    package init(filter: BridgedSubnetsFilter, startIndex: UInt8, pairs: [NetKeyIndexPair]) {
        self.filter = filter
        self.startIndex = startIndex
        self.pairs = pairs
    }

    /// Reads to the end.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        filter = try BridgedSubnetsFilter(reading: &reader)
        startIndex = try reader.readUInt8()
        pairs = []
        while !reader.isAtEnd { pairs.append(try NetKeyIndexPair(reading: &reader)) }
    }

    package func write(to writer: inout ByteWriter) {
        filter.write(to: &writer)
        writer.write(startIndex)
        for pair in pairs { pair.write(to: &writer) }
    }
}

/// What an entry of a bridging table joins, 5 octets (Mesh Protocol 1.1): two addresses (2 each), directions (1).
package struct BridgedAddresses: Hashable, Sendable, AccessField {
    /// Who sends in the first subnet.
    package var first: UnicastAddress
    /// Who receives in the second subnet.
    package var second: Address
    /// Which way messages pass.
    package var directions: BridgingDirections

    package init(first: UnicastAddress, second: Address, directions: BridgingDirections) {
        self.first = first
        self.second = second
        self.directions = directions
    }

    /// Reads five octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        first = try UnicastAddress(reading: &reader)
        second = try Address(reading: &reader)
        directions = try BridgingDirections(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        first.write(to: &writer)
        second.write(to: &writer)
        directions.write(to: &writer)
    }
}

/// Bridging Table Get (Mesh Protocol 1.1): subnets (3), index of the first entry (2).
package struct BridgingTableGet: ConfigurationRequest, FieldMessage {
    package typealias Status = BridgingTableList
    package static let opcode: Opcode = 0x80B9
    /// Between which subnets.
    package var subnets: NetKeyIndexPair
    /// From which entry on.
    package var startIndex: UInt16

    package init(subnets: NetKeyIndexPair, startIndex: UInt16) {
        self.subnets = subnets
        self.startIndex = startIndex
    }

    /// Reads five octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        subnets = try NetKeyIndexPair(reading: &reader)
        startIndex = try reader.readUInt16LittleEndian()
    }

    package func write(to writer: inout ByteWriter) {
        subnets.write(to: &writer)
        writer.writeLittleEndian(startIndex)
    }

    package func isAnswered(by status: Status) -> Bool {
        status.subnets == subnets && status.startIndex == startIndex
    }
}

/// Bridging Table List (Mesh Protocol 1.1): status (1), subnets (3), index of the first entry (2), entries (5 each).
package struct BridgingTableList: ConfigurationStatusMessage, FieldMessage {
    package static let opcode: Opcode = 0x80BA
    package var status: ConfigStatusCode
    /// Between which subnets.
    package var subnets: NetKeyIndexPair
    /// From which entry on.
    package var startIndex: UInt16
    /// The entries, as many as fit into the message.
    package var entries: [BridgedAddresses]

    package init(
        status: ConfigStatusCode,
        subnets: NetKeyIndexPair,
        startIndex: UInt16,
        entries: [BridgedAddresses]
    ) {
        self.status = status
        self.subnets = subnets
        self.startIndex = startIndex
        self.entries = entries
    }

    /// Reads to the end.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        subnets = try NetKeyIndexPair(reading: &reader)
        startIndex = try reader.readUInt16LittleEndian()
        entries = []
        while !reader.isAtEnd { entries.append(try BridgedAddresses(reading: &reader)) }
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        subnets.write(to: &writer)
        writer.writeLittleEndian(startIndex)
        for entry in entries { entry.write(to: &writer) }
    }
}

/// Bridging Table Size Get (Mesh Protocol 1.1).
package struct BridgingTableSizeGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = BridgingTableSizeStatus
    package static let opcode: Opcode = 0x80BB

    package init() {}
}

/// Bridging Table Size Status (Mesh Protocol 1.1): entries (2).
package struct BridgingTableSizeStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x80BC
    /// How many entries all bridging tables of the node can hold together.
    package var entries: UInt16

    package init(entries: UInt16) {
        self.entries = entries
    }

    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        entries = try reader.readUInt16LittleEndian()
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(entries)
    }
}
