/// What a Remote Provisioning Server scans for (Mesh Protocol 1.1, Remote Provisioning Scan state), one octet.
package enum RemoteProvisioningScanState: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    package static let notation = "$:scanning-state"
    case idle = 0x00
    case multipleDevices = 0x01
    case singleDevice = 0x02
}

/// The state of a Remote Provisioning Server's link (Mesh Protocol 1.1, Remote Provisioning Link state), one octet.
package enum RemoteProvisioningLinkState: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    package static let notation = "$:link-state"
    case idle = 0x00
    /// The device has not yet answered.
    case opening = 0x01
    case active = 0x02
    /// A PDU is being sent to the device.
    case outboundPacketTransfer = 0x03
    case closing = 0x04
}

/// Why a provisioner closes the link of a Remote Provisioning Server (Mesh Protocol 1.1), one octet.
package enum RemoteProvisioningCloseReason: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    /// The device became a node, or the reprovisioning of the node is complete.
    case success = 0x00
    case fail = 0x02
}

/// Why a provisioning bearer was closed, one octet, as in Link Close of PB-ADV (Mesh Protocol 5.3.1.4.3).
package struct ProvisioningBearerCloseReason: RawRepresentable, Hashable, Sendable, AccessField {
    package let rawValue: UInt8

    /// Every octet is valid; reserved ones are kept.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let success = ProvisioningBearerCloseReason(rawValue: 0x00)
    /// A PDU was not acknowledged in time.
    package static let timeout = ProvisioningBearerCloseReason(rawValue: 0x01)
    package static let fail = ProvisioningBearerCloseReason(rawValue: 0x02)

    /// For people: `success`, `timeout`, `fail`, else `reason 0x42`.
    package var name: String {
        switch self {
        case .success: "success"
        case .timeout: "timeout"
        case .fail: "fail"
        default: "reason 0x\(rawValue.hexadecimal)"
        }
    }
}

/// What the Node Provisioning Protocol Interface changes on a node (Mesh Protocol 1.1, 3.11.8), one octet.
package enum NodeProvisioningProcedure: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    /// The DeviceKey; the address stays.
    case deviceKeyRefresh = 0x00
    /// The DeviceKey and the address; the new range must not overlap the old one.
    case nodeAddressRefresh = 0x01
    /// The DeviceKey, and Composition Data page 128 becomes page 0; the address stays.
    case nodeCompositionRefresh = 0x02

    /// The specification's name in lower case, for use in sentences.
    package var name: String {
        switch self {
        case .deviceKeyRefresh: "device key refresh"
        case .nodeAddressRefresh: "node address refresh"
        case .nodeCompositionRefresh: "node composition refresh"
        }
    }
}

extension DeviceUUID: AccessField {
    package static let notation = "$:uuid"

    /// Reads 16 octets in their natural order.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try reader.readOctets16())
    }

    /// Appends 16 octets in their natural order.
    package func write(to writer: inout ByteWriter) {
        writer.write(rawValue.bytes)
    }
}

extension OutOfBandInformation: AccessField {
    package static let notation = "$:hex-16"

    /// Reads two octets, little-endian as in all access messages.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try reader.readUInt16LittleEndian())
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(rawValue)
    }
}
