/// Two subnets that a Subnet Bridge joins, 3 octets (Mesh Protocol 1.1); the first NetKey index in the low twelve bits.
package struct NetKeyIndexPair: Hashable, Sendable, AccessField {
    package static let notation = "net_key_index_1:packed-key-index net_key_index_2:packed-key-index"
    /// The subnet that messages come from; in both directions, either.
    package var first: NetKeyIndex
    /// The subnet that messages go to; in both directions, either.
    package var second: NetKeyIndex

    package init(first: NetKeyIndex, second: NetKeyIndex) {
        self.first = first
        self.second = second
    }

    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        (first, second) = try reader.readKeyIndexPair()
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeKeyIndexPair(first, second)
    }
}

/// The directions in which an entry of a bridging table lets messages pass (Mesh Protocol 1.1).
package enum BridgingDirections: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    package static let notation = "$:bridge-directions"
    /// From the first address to the second.
    case oneWay = 0x01
    /// In both directions.
    case bothWays = 0x02
}

/// Subnet Bridge Get (Mesh Protocol 1.1).
package struct SubnetBridgeGet: ParameterlessMessage, FoundationStateRequest {
    package typealias Status = SubnetBridgeStatus
    package static let opcode: Opcode = 0x80B1

    package init() {}
}

/// Subnet Bridge Set (Mesh Protocol 1.1).
package struct SubnetBridgeSet: FoundationStateRequest, FoundationMessage {
    package typealias Status = SubnetBridgeStatus
    package static let opcode: Opcode = 0x80B2
    package static let layout = Layout(Self.init, .field("subnet_bridge", \.isEnabled))
    /// Whether the node should pass messages between subnets.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Subnet Bridge Status (Mesh Protocol 1.1).
package struct SubnetBridgeStatus: FoundationStateStatus, FoundationMessage {
    package static let opcode: Opcode = 0x80B3
    package static let layout = Layout(Self.init, .field("subnet_bridge", \.isEnabled))
    /// Whether the node passes messages between subnets.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    package var foundationState: FoundationState { .subnetBridge(isEnabled) }
}

/// Bridging Table Add (Mesh Protocol 1.1): directions (1), subnets (3), two addresses (2 each). Any addresses are
/// accepted here, since nodes answer those that cannot be bridged with a status.
package struct BridgingTableAdd: ConfigurationRequest, FoundationMessage {
    package typealias Status = BridgingTableStatus
    package static let opcode: Opcode = 0x80B4
    package static let layout = Layout(
        Self.init,
        .field("directions", \.directions),
        .field("", \.subnets),
        .field("address1", \.firstAddress),
        .field("address2", \.secondAddress)
    )
    /// The directions in which messages pass.
    package var directions: BridgingDirections
    package var subnets: NetKeyIndexPair
    /// The address that sends in the first subnet; unicast.
    package var firstAddress: Address
    /// The address that receives in the second subnet; unicast if messages pass in both directions.
    package var secondAddress: Address

    /// Adds an entry, or changes the directions of an existing one.
    package init(
        directions: BridgingDirections,
        subnets: NetKeyIndexPair,
        firstAddress: Address,
        secondAddress: Address
    ) {
        self.directions = directions
        self.subnets = subnets
        self.firstAddress = firstAddress
        self.secondAddress = secondAddress
    }

    package func isAnswered(by status: Status) -> Bool {
        status.subnets == subnets && status.firstAddress == firstAddress && status.secondAddress == secondAddress
    }
}

/// Bridging Table Remove (Mesh Protocol 1.1): subnets (3), two addresses (2 each), 0x0000 for any.
package struct BridgingTableRemove: ConfigurationRequest, FoundationMessage {
    package typealias Status = BridgingTableStatus
    package static let opcode: Opcode = 0x80B5
    package static let layout = Layout(
        Self.init,
        .field("", \.subnets),
        .field("address1", \.firstAddress),
        .field("address2", \.secondAddress)
    )
    package var subnets: NetKeyIndexPair
    /// The sending address in the first subnet; unassigned for all.
    package var firstAddress: Address
    /// The receiving address in the second subnet; unassigned for all.
    package var secondAddress: Address

    package init(subnets: NetKeyIndexPair, firstAddress: Address, secondAddress: Address) {
        self.subnets = subnets
        self.firstAddress = firstAddress
        self.secondAddress = secondAddress
    }

    package func isAnswered(by status: Status) -> Bool {
        status.subnets == subnets && status.firstAddress == firstAddress && status.secondAddress == secondAddress
    }
}

/// Bridging Table Status (Mesh Protocol 1.1): status (1), remaining directions (1, 0 for none), subnets (3), addresses
/// (2 each).
package struct BridgingTableStatus: ConfigurationStatusMessage, FoundationMessage {
    package static let opcode: Opcode = 0x80B6
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        directionsField,
        .field("", \.subnets),
        .field("address1", \.firstAddress),
        .field("address2", \.secondAddress)
    )
    package var status: ConfigStatusCode
    /// The directions in which messages now pass; nil if the entry does not exist.
    package var directions: BridgingDirections?
    package var subnets: NetKeyIndexPair
    /// The address that sends in the first subnet.
    package var firstAddress: Address
    /// The address that receives in the second subnet.
    package var secondAddress: Address

    package init(
        status: ConfigStatusCode,
        directions: BridgingDirections?,
        subnets: NetKeyIndexPair,
        firstAddress: Address,
        secondAddress: Address
    ) {
        self.status = status
        self.directions = directions
        self.subnets = subnets
        self.firstAddress = firstAddress
        self.secondAddress = secondAddress
    }

    private static let directionsField = Field<Self, BridgingDirections?>(
        notation: BridgingDirections.notation(named: "current_directions"),
        value: \.directions,
        read: { (reader) throws(DecodeError) in
            let octet = try reader.readUInt8()
            let directions = BridgingDirections(rawValue: octet)
            guard octet == 0 || directions != nil else { throw .prohibited(field: "Directions", value: UInt64(octet)) }
            return directions
        },
        write: { $1.write($0?.rawValue ?? 0) }
    )
}
