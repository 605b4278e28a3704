/// One structure of advertising data (Core Specification, Supplement). In messages: length of type and data (1), type
/// (1), data.
package struct AdvertisingStructure: Hashable, Sendable, AccessField {
    package static let notation = "length:u8 type:u8 data:data"
    /// The AD type, such as 0x09 for the complete local name.
    package var type: UInt8
    /// Its data, up to 254 octets.
    package var data: [UInt8]

    package init(type: UInt8, data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// Complete Local Name, UTF-8.
    package static let completeLocalName: UInt8 = 0x09
    /// URI: a code for the scheme in UTF-8, then the rest.
    package static let uri: UInt8 = 0x24

    /// Reads a structure; an empty one is prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let length = try reader.readUInt8()
        guard length > 0 else { throw .prohibited(field: "AdStructures length", value: 0) }
        type = try reader.readUInt8()
        data = Array(try reader.read(Int(length) - 1))
    }

    /// Appends the structure. Data longer than 254 octets are cut; no advertiser sends so much.
    package func write(to writer: inout ByteWriter) {
        let data = data.prefix(254)
        writer.write(UInt8(data.count + 1))
        writer.write(type)
        writer.write(data)
    }
}

/// Remote Provisioning Extended Scan Start (Mesh Protocol 1.1, 4.3.4.8): number of AD types (1), AD types (1 each),
/// optionally the Device UUID (16) and a timeout in seconds (1).
package struct RemoteProvisioningExtendedScanStart: ConfigurationRequest, FoundationMessage {
    /// The device to ask about, and how long the server listens for it.
    package struct Device: Hashable, Sendable, FieldStructure {
        package static let layout = Layout(
            Self.init,
            .field("uuid", \.uuid),
            .field("timeout", \.timeout, in: 1...Int(longestTimeout), error: "Timeout")
        )
        package var uuid: DeviceUUID
        /// How long the server listens, in seconds, 1...21.
        package var timeout: UInt8

        package init(uuid: DeviceUUID, timeout: UInt8) {
            self.uuid = uuid
            self.timeout = timeout
        }
    }

    /// The server answers when it has heard everything from the device, or at the timeout.
    package typealias Status = RemoteProvisioningExtendedScanReport
    package static let opcode: Opcode = 0x8056
    package static let layout = Layout(Self.init, typesField, .optional("", \.device))
    /// The most AD types in one request.
    package static let maximumTypes = 16
    /// The longest time that a server listens, in seconds. BlueZ accepts at most 5, Zephyr 21.
    package static let longestTimeout: UInt8 = 21
    /// AD types that cannot be requested. A request for a complete form also returns the incomplete or shortened one.
    package static let prohibitedTypes: Set<UInt8> = [0x02, 0x04, 0x06, 0x08]
    /// The AD types to report, 1...16, each once.
    package var types: [UInt8]
    /// The device to ask about; nil for the server's own node.
    package var device: Device?

    package init(types: [UInt8], device: Device?) {
        self.types = types
        self.device = device
    }

    /// Whether the server refuses, or reports the requested device.
    package func isAnswered(by status: Status) -> Bool {
        guard status.status == .success, let device else { return true }
        return status.uuid == device.uuid
    }

    /// Their number, then the types. Prohibited are: no types, too many, repeated or unrequestable ones. When written,
    /// types beyond ``maximumTypes`` are left out.
    private static let typesField = Field<Self, [UInt8]>(
        notation: "ad_types:counted",
        value: \.types,
        read: { (reader) throws(DecodeError) in
            let count = try reader.readUInt8()
            guard (1...maximumTypes).contains(Int(count)) else {
                throw .prohibited(field: "ADTypeFilterCount", value: UInt64(count))
            }
            let types = Array(try reader.read(Int(count)))
            var seen = prohibitedTypes
            for type in types where !seen.insert(type).inserted {
                throw .prohibited(field: "ADTypeFilter", value: UInt64(type))
            }
            return types
        },
        write: { types, writer in
            let types = types.prefix(maximumTypes)
            writer.write(UInt8(types.count))
            writer.write(types)
        }
    )
}

/// Remote Provisioning Extended Scan Report (Mesh Protocol 1.1, 4.3.4.9): status (1), Device UUID (16). If the device
/// was heard, OOB information (2, little-endian) and advertising structures follow.
package struct RemoteProvisioningExtendedScanReport: ConfigurationMessage, FoundationMessage {
    /// What the server heard from a device.
    package struct Findings: Hashable, Sendable, FieldStructure {
        package static let layout = Layout(
            Self.init,
            .field("oob_information", \.outOfBandInformation),
            .list("ad_structures", \.structures, as: "data")
        )
        /// Where to find out-of-band data.
        package var outOfBandInformation: OutOfBandInformation
        /// The requested structures that were heard.
        package var structures: [AdvertisingStructure]

        package init(outOfBandInformation: OutOfBandInformation, structures: [AdvertisingStructure]) {
            self.outOfBandInformation = outOfBandInformation
            self.structures = structures
        }
    }

    package static let opcode: Opcode = 0x8057
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("uuid", \.uuid),
        .optional("", \.findings)
    )
    package var status: RemoteProvisioningStatusCode
    package var uuid: DeviceUUID
    /// What the server heard from it; nil if it was not heard.
    package var findings: Findings?

    package init(status: RemoteProvisioningStatusCode, uuid: DeviceUUID, findings: Findings? = nil) {
        self.status = status
        self.uuid = uuid
        self.findings = findings
    }
}
