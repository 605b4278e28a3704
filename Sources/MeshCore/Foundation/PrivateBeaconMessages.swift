/// Private Beacon Get (Mesh Protocol 1.1).
package struct PrivateBeaconGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = PrivateBeaconStatus
    package static let opcode: Opcode = 0x8060

    package init() {}
}

/// Private Beacon Set (Mesh Protocol 1.1): beacon on or off (1), optionally how often its random changes (1).
package struct PrivateBeaconSet: ConfigurationRequest, FieldMessage {
    package typealias Status = PrivateBeaconStatus
    package static let opcode: Opcode = 0x8061
    /// Whether the node should send Mesh Private beacons.
    package var isEnabled: Bool
    /// The time after which the random in the beacon changes, in steps of 10 s; 0 for every beacon, nil to leave it
    /// unchanged.
    package var randomUpdateIntervalSteps: UInt8?

    package init(isEnabled: Bool, randomUpdateIntervalSteps: UInt8? = nil) {
        self.isEnabled = isEnabled
        self.randomUpdateIntervalSteps = randomUpdateIntervalSteps
    }

    /// Reads one or two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        isEnabled = try Bool(reading: &reader)
        randomUpdateIntervalSteps = reader.isAtEnd ? nil : try reader.readUInt8()
    }

    package func write(to writer: inout ByteWriter) {
        isEnabled.write(to: &writer)
        if let randomUpdateIntervalSteps { writer.write(randomUpdateIntervalSteps) }
    }
}

/// Private Beacon Status (Mesh Protocol 1.1).
package struct PrivateBeaconStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8062
    /// Whether the node sends Mesh Private beacons.
    package var isEnabled: Bool
    /// The time after which the random in the beacon changes, in steps of 10 s; 0 for every beacon.
    package var randomUpdateIntervalSteps: UInt8

    package init(isEnabled: Bool, randomUpdateIntervalSteps: UInt8) {
        self.isEnabled = isEnabled
        self.randomUpdateIntervalSteps = randomUpdateIntervalSteps
    }

    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        isEnabled = try Bool(reading: &reader)
        randomUpdateIntervalSteps = try reader.readUInt8()
    }

    package func write(to writer: inout ByteWriter) {
        isEnabled.write(to: &writer)
        writer.write(randomUpdateIntervalSteps)
    }
}
