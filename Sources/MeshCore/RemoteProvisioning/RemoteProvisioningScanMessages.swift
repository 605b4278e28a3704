/// Remote Provisioning Scan Capabilities Get (Mesh Protocol 1.1, 4.3.4.1). As all messages of Remote Provisioning it is
/// secured with the DeviceKey of the server's node.
package struct RemoteProvisioningScanCapabilitiesGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = RemoteProvisioningScanCapabilitiesStatus
    package static let opcode: Opcode = 0x804F

    package init() {}
}

/// Remote Provisioning Scan Capabilities Status (Mesh Protocol 1.1, 4.3.4.2): maximum of scanned items (1), active
/// scan (1).
package struct RemoteProvisioningScanCapabilitiesStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8050
    /// The fewest devices that every server can report in one scan.
    package static let leastMaximum: UInt8 = 4
    /// How many devices the server can report in one scan, at least ``leastMaximum``.
    package var maximumScannedItems: UInt8
    /// Whether the server can ask devices for scan responses.
    package var isActiveScanSupported: Bool

    package init(maximumScannedItems: UInt8, isActiveScanSupported: Bool) {
        self.maximumScannedItems = maximumScannedItems
        self.isActiveScanSupported = isActiveScanSupported
    }

    /// Reads two octets; fewer items than ``leastMaximum`` are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        maximumScannedItems = try reader.readUInt8()
        guard maximumScannedItems >= Self.leastMaximum else {
            throw .prohibited(field: "MaxScannedItems", value: UInt64(maximumScannedItems))
        }
        isActiveScanSupported = try Bool(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(maximumScannedItems)
        isActiveScanSupported.write(to: &writer)
    }
}

/// Remote Provisioning Scan Get (Mesh Protocol 1.1, 4.3.4.3).
package struct RemoteProvisioningScanGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = RemoteProvisioningScanStatus
    package static let opcode: Opcode = 0x8051

    package init() {}
}

/// Remote Provisioning Scan Start (Mesh Protocol 1.1, 4.3.4.4): limit of scanned items (1), timeout in seconds (1), and
/// the Device UUID (16) or nothing.
package struct RemoteProvisioningScanStart: ConfigurationRequest, FieldMessage {
    package typealias Status = RemoteProvisioningScanStatus
    package static let opcode: Opcode = 0x8052
    /// How many devices are to be reported at most; 0 for as many as the server can.
    package var scannedItemsLimit: UInt8
    /// For how many seconds to scan, 1...255.
    package var timeout: UInt8
    /// The only device that counts, nil for all.
    package var uuid: DeviceUUID?

    package init(scannedItemsLimit: UInt8, timeout: UInt8, uuid: DeviceUUID? = nil) {
        self.scannedItemsLimit = scannedItemsLimit
        self.timeout = timeout
        self.uuid = uuid
    }

    /// Reads two or 18 octets; a timeout of 0 is prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        scannedItemsLimit = try reader.readUInt8()
        timeout = try reader.readUInt8()
        guard timeout > 0 else { throw .prohibited(field: "Timeout", value: 0) }
        uuid = reader.isAtEnd ? nil : try DeviceUUID(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(scannedItemsLimit)
        writer.write(timeout)
        uuid?.write(to: &writer)
    }

    /// Whether the server refuses, or scans for as many devices as this asks for.
    package func isAnswered(by status: Status) -> Bool {
        status.status != .success || status.state == (uuid == nil ? .multipleDevices : .singleDevice)
    }
}

/// Remote Provisioning Scan Stop (Mesh Protocol 1.1, 4.3.4.5).
package struct RemoteProvisioningScanStop: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = RemoteProvisioningScanStatus
    package static let opcode: Opcode = 0x8053

    package init() {}

    /// Whether the server refuses, or does not scan.
    package func isAnswered(by status: Status) -> Bool { status.status != .success || status.state == .idle }
}

/// Remote Provisioning Scan Status (Mesh Protocol 1.1, 4.3.4.6): status (1), scan state (1), limit of scanned items
/// (1), seconds left (1).
package struct RemoteProvisioningScanStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8054
    /// The outcome of the request.
    package var status: RemoteProvisioningStatusCode
    /// Whether the server scans.
    package var state: RemoteProvisioningScanState
    /// How many devices it reports at most; 0 for as many as it can.
    package var scannedItemsLimit: UInt8
    /// For how many seconds more it scans.
    package var timeout: UInt8

    package init(
        status: RemoteProvisioningStatusCode,
        state: RemoteProvisioningScanState,
        scannedItemsLimit: UInt8,
        timeout: UInt8
    ) {
        self.status = status
        self.state = state
        self.scannedItemsLimit = scannedItemsLimit
        self.timeout = timeout
    }

    /// Reads four octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try RemoteProvisioningStatusCode(reading: &reader)
        state = try RemoteProvisioningScanState(reading: &reader)
        scannedItemsLimit = try reader.readUInt8()
        timeout = try reader.readUInt8()
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        state.write(to: &writer)
        writer.write(scannedItemsLimit)
        writer.write(timeout)
    }
}

/// Remote Provisioning Scan Report (Mesh Protocol 1.1, 4.3.4.7), unasked for while a scan goes on: RSSI (1), Device
/// UUID (16), OOB information (2, little-endian), and the URI hash (4) or nothing.
package struct RemoteProvisioningScanReport: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8055
    /// How strong the device's signal is at the server, in dBm.
    package var signal: Int8
    /// Which device.
    package var uuid: DeviceUUID
    /// Where its out-of-band data is to be found.
    package var outOfBandInformation: OutOfBandInformation
    /// The hash of the URI that it advertises, nil if it advertises none; the octets as they are in the beacon, the
    /// first one the most significant.
    package var uriHash: UInt32?

    package init(
        signal: Int8,
        uuid: DeviceUUID,
        outOfBandInformation: OutOfBandInformation,
        uriHash: UInt32? = nil
    ) {
        self.signal = signal
        self.uuid = uuid
        self.outOfBandInformation = outOfBandInformation
        self.uriHash = uriHash
    }

    /// Reads 19 or 23 octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        signal = Int8(bitPattern: try reader.readUInt8())
        uuid = try DeviceUUID(reading: &reader)
        outOfBandInformation = try OutOfBandInformation(reading: &reader)
        uriHash = reader.isAtEnd ? nil : try reader.readUInt32()
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(UInt8(bitPattern: signal))
        uuid.write(to: &writer)
        outOfBandInformation.write(to: &writer)
        if let uriHash { writer.write(uriHash) }
    }
}
