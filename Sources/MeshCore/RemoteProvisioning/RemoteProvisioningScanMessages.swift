/// Remote Provisioning Scan Capabilities Get (Mesh Protocol 1.1, 4.3.4.1). The DeviceKey of the server's node secures
/// it, as it does all messages of Remote Provisioning.
package struct RemoteProvisioningScanCapabilitiesGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = RemoteProvisioningScanCapabilitiesStatus
    package static let opcode: Opcode = 0x804F

    package init() {}
}

/// Remote Provisioning Scan Capabilities Status (Mesh Protocol 1.1, 4.3.4.2): most scanned items (1), active scan (1).
package struct RemoteProvisioningScanCapabilitiesStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8050
    /// The number of devices that every server can report in one scan.
    package static let leastMaximum: UInt8 = 4
    /// The number of devices that the server can report in one scan, at least ``leastMaximum``.
    package var maximumScannedItems: UInt8
    /// Whether the server can request scan responses from devices.
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

/// Remote Provisioning Scan Start (Mesh Protocol 1.1, 4.3.4.4): limit of scanned items (1), timeout in seconds (1),
/// optionally the Device UUID (16).
package struct RemoteProvisioningScanStart: ConfigurationRequest, FieldMessage {
    package typealias Status = RemoteProvisioningScanStatus
    package static let opcode: Opcode = 0x8052
    /// The most devices to report; 0 for as many as the server can.
    package var scannedItemsLimit: UInt8
    /// How long to scan, in seconds, 1...255.
    package var timeout: UInt8
    /// The only device to report; nil for all.
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

    /// Whether the server refuses, or runs a scan of the requested kind.
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
/// (1), remaining seconds (1).
package struct RemoteProvisioningScanStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8054
    /// The outcome of the request.
    package var status: RemoteProvisioningStatusCode
    /// Whether the server scans.
    package var state: RemoteProvisioningScanState
    /// The most devices that it reports; 0 for as many as it can.
    package var scannedItemsLimit: UInt8
    /// The remaining time of the scan, in seconds.
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

/// Remote Provisioning Scan Report (Mesh Protocol 1.1, 4.3.4.7), sent without a request during a scan: RSSI (1), Device
/// UUID (16), OOB information (2, little-endian), optionally the URI hash (4).
package struct RemoteProvisioningScanReport: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8055
    /// The strength of the device's signal at the server, in dBm.
    package var signal: Int8
    /// The device's UUID.
    package var uuid: DeviceUUID
    /// Where to find its out-of-band data.
    package var outOfBandInformation: OutOfBandInformation
    /// The hash of the URI that it advertises; nil if it advertises none. The octets are those of the beacon, most
    /// significant first.
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
