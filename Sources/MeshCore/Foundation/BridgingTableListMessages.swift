/// A filter for pairs of subnets (Mesh Protocol 1.1), 2 octets: filter (2 bits), reserved (2), NetKey index (12).
package struct BridgedSubnetsFilter: Hashable, Sendable, AccessField {
    package static let notation = "filter:u2 _2 net_key_index:packed-key-index"

    /// The place of the NetKey in a matching pair.
    package enum Position: UInt8, CaseIterable, Sendable {
        /// Any place or none: all pairs match.
        case any = 0
        case first = 1
        case second = 2
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
package struct BridgedSubnetsGet: ConfigurationRequest, FoundationMessage {
    package typealias Status = BridgedSubnetsList
    package static let opcode: Opcode = 0x80B7
    package static let layout = Layout(Self.init, .field("", \.filter), .field("start_index", \.startIndex))
    /// The pairs to list.
    package var filter: BridgedSubnetsFilter
    /// The index of the first pair to list.
    package var startIndex: UInt8

    package init(filter: BridgedSubnetsFilter, startIndex: UInt8) {
        self.filter = filter
        self.startIndex = startIndex
    }

    package func isAnswered(by status: Status) -> Bool {
        status.filter == filter && status.startIndex == startIndex
    }
}

/// Bridged Subnets List (Mesh Protocol 1.1): filter (2), index of the first pair (1), pairs (3 each).
package struct BridgedSubnetsList: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x80B8
    package static let layout = Layout(
        Self.init,
        .field("", \.filter),
        .field("start_index", \.startIndex),
        .list("pairs", \.pairs)
    )
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
}

/// The addresses of an entry of a bridging table, 5 octets (Mesh Protocol 1.1): two addresses (2 each), directions (1).
package struct BridgedAddresses: Hashable, Sendable, FieldStructure {
    package static let layout = Layout(
        Self.init,
        .field("address1", \.first),
        .field("address2", \.second),
        .field("directions", \.directions)
    )
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
}

/// Bridging Table Get (Mesh Protocol 1.1): subnets (3), index of the first entry (2).
package struct BridgingTableGet: ConfigurationRequest, FoundationMessage {
    package typealias Status = BridgingTableList
    package static let opcode: Opcode = 0x80B9
    package static let layout = Layout(Self.init, .field("", \.subnets), .field("start_index", \.startIndex))
    /// The subnets whose entries to list.
    package var subnets: NetKeyIndexPair
    /// The index of the first entry to list.
    package var startIndex: UInt16

    package init(subnets: NetKeyIndexPair, startIndex: UInt16) {
        self.subnets = subnets
        self.startIndex = startIndex
    }

    package func isAnswered(by status: Status) -> Bool {
        status.subnets == subnets && status.startIndex == startIndex
    }
}

/// Bridging Table List (Mesh Protocol 1.1): status (1), subnets (3), index of the first entry (2), entries (5 each).
package struct BridgingTableList: ConfigurationStatusMessage, FoundationMessage {
    package static let opcode: Opcode = 0x80BA
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("", \.subnets),
        .field("start_index", \.startIndex),
        .list("entries", \.entries)
    )
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
}

/// Bridging Table Size Get (Mesh Protocol 1.1).
package struct BridgingTableSizeGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = BridgingTableSizeStatus
    package static let opcode: Opcode = 0x80BB

    package init() {}
}

/// Bridging Table Size Status (Mesh Protocol 1.1): entries (2).
package struct BridgingTableSizeStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x80BC
    package static let layout = Layout(Self.init, .field("bridging_table_size", \.entries))
    /// How many entries the node's bridging tables can hold in total.
    package var entries: UInt16

    package init(entries: UInt16) {
        self.entries = entries
    }
}
