/// Remote Provisioning Scan Capabilities Get (Mesh Protocol 1.1, 4.3.4.1). The DeviceKey of the server's node secures
/// it, as it does all messages of Remote Provisioning.
package struct RemoteProvisioningScanCapabilitiesGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = RemoteProvisioningScanCapabilitiesStatus
    package static let opcode: Opcode = 0x804F

    package init() {}
}

/// Remote Provisioning Scan Capabilities Status (Mesh Protocol 1.1, 4.3.4.2): most scanned items (1), active scan (1).
package struct RemoteProvisioningScanCapabilitiesStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8050
    package static let layout = Layout(
        Self.init,
        .field("max_scanned_items", \.maximumScannedItems, in: Int(leastMaximum)...0xFF, error: "MaxScannedItems"),
        .field("active_scan", \.isActiveScanSupported, as: "u8")
    )
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
}

/// Remote Provisioning Scan Get (Mesh Protocol 1.1, 4.3.4.3).
package struct RemoteProvisioningScanGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = RemoteProvisioningScanStatus
    package static let opcode: Opcode = 0x8051

    package init() {}
}

/// Remote Provisioning Scan Start (Mesh Protocol 1.1, 4.3.4.4): limit of scanned items (1), timeout in seconds (1),
/// optionally the Device UUID (16).
package struct RemoteProvisioningScanStart: ConfigurationRequest, FoundationMessage {
    package typealias Status = RemoteProvisioningScanStatus
    package static let opcode: Opcode = 0x8052
    package static let layout = Layout(
        Self.init,
        .field("scanned_items_limit", \.scannedItemsLimit),
        .field("timeout", \.timeout, in: 1...0xFF, error: "Timeout"),
        .optional("uuid", \.uuid)
    )
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
package struct RemoteProvisioningScanStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8054
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("scanning_state", \.state),
        .field("scanned_items_limit", \.scannedItemsLimit),
        .field("timeout", \.timeout)
    )
    package var status: RemoteProvisioningStatusCode
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
}

/// Remote Provisioning Scan Report (Mesh Protocol 1.1, 4.3.4.7), sent without a request during a scan: RSSI (1), Device
/// UUID (16), OOB information (2, little-endian), optionally the URI hash (4).
package struct RemoteProvisioningScanReport: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8055
    package static let layout = Layout(
        Self.init,
        .field("rssi", \.signal),
        .field("uuid", \.uuid),
        .field("oob_information", \.outOfBandInformation),
        uriHashField
    )
    /// The strength of the device's signal at the server, in dBm.
    package var signal: Int8
    package var uuid: DeviceUUID
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
    private static let uriHashField = Field<Self, UInt32?>(
        notation: "[ uri_hash:octets4 ]",
        value: \.uriHash,
        read: { (reader) throws(DecodeError) in reader.isAtEnd ? nil : try reader.readUInt32() },
        write: { if let hash = $0 { $1.write(hash) } }
    )
}

extension Int8: AccessField {
    package static let notation = "$:signed"

    /// Reads one octet, two's complement.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(bitPattern: try reader.readUInt8())
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(UInt8(bitPattern: self))
    }
}
