/// A filter for pairs of subnets (Mesh Protocol 1.1), 2 octets: filter (2 bits), reserved (2), NetKey index (12).
package struct BridgedSubnetsFilter: Hashable, Sendable, AccessField {
    /// The place of the NetKey in a matching pair.
    package enum Position: UInt8, CaseIterable, Sendable {
        /// Any place or none: all pairs match.
        case any = 0
        /// The first place.
        case first = 1
        /// The second place.
        case second = 2
        /// Either place.
        case either = 3
    }

    /// The place of the NetKey in a matching pair.
    package var position: Position
    /// The index of the NetKey; without meaning for ``Position/any``.
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
    /// The pairs to list.
    package var filter: BridgedSubnetsFilter
    /// The index of the first pair to list.
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
    /// The filter of the request.
    package var filter: BridgedSubnetsFilter
    /// The index of the first pair in the list.
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

/// The addresses of an entry of a bridging table, 5 octets (Mesh Protocol 1.1): two addresses (2 each), directions (1).
package struct BridgedAddresses: Hashable, Sendable, AccessField {
    /// The address that sends in the first subnet.
    package var first: UnicastAddress
    /// The address that receives in the second subnet.
    package var second: Address
    /// The direction in which messages pass.
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
    /// The subnets whose entries to list.
    package var subnets: NetKeyIndexPair
    /// The index of the first entry to list.
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
    /// The subnets whose entries the message lists.
    package var subnets: NetKeyIndexPair
    /// The index of the first entry in the message.
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
    /// How many entries the node's bridging tables can hold in total.
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
