/// One structure of advertising data (Core Specification, Supplement): in messages length (1, of what follows), type
/// (1), data.
package struct AdvertisingStructure: Hashable, Sendable {
    /// The AD type, such as 0x09 for the complete local name.
    package var type: UInt8
    /// What it says, up to 254 octets.
    package var data: [UInt8]

    package init(type: UInt8, data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// Complete Local Name, UTF-8.
    package static let completeLocalName: UInt8 = 0x09
    /// URI: a code for the scheme in UTF-8, then the rest.
    package static let uri: UInt8 = 0x24

    /// Reads structures to the end.
    ///
    /// - Throws: ``DecodeError`` for one of no octets, or one that reaches beyond the end.
    static func readAll(_ reader: inout ByteReader) throws(DecodeError) -> [AdvertisingStructure] {
        var structures: [AdvertisingStructure] = []
        while !reader.isAtEnd {
            let length = try reader.readUInt8()
            guard length > 0 else { throw .prohibited(field: "AdStructures length", value: 0) }
            let type = try reader.readUInt8()
            structures.append(AdvertisingStructure(type: type, data: Array(try reader.read(Int(length) - 1))))
        }
        return structures
    }

    /// Appends it; data beyond 254 octets is cut, which no advertiser sends.
    func write(to writer: inout ByteWriter) {
        let data = data.prefix(254)
        writer.write(UInt8(data.count + 1))
        writer.write(type)
        writer.write(data)
    }
}

/// Remote Provisioning Extended Scan Start (Mesh Protocol 1.1, 4.3.4.8): number of AD types (1), AD types (1 each), and
/// the Device UUID (16) with a timeout in seconds (1), or nothing.
package struct RemoteProvisioningExtendedScanStart: ConfigurationRequest, FieldMessage {
    /// The device that is asked about, and for how long the server listens.
    package struct Device: Hashable, Sendable {
        /// Which device.
        package var uuid: DeviceUUID
        /// Seconds, 1...21.
        package var timeout: UInt8

        package init(uuid: DeviceUUID, timeout: UInt8) {
            self.uuid = uuid
            self.timeout = timeout
        }
    }

    /// The message that answers it, when the device was heard with everything or the time is over.
    package typealias Status = RemoteProvisioningExtendedScanReport
    package static let opcode: Opcode = 0x8056
    /// The most AD types that can be asked for.
    package static let maximumTypes = 16
    /// The longest time a server listens, in seconds. BlueZ takes 5 at most, Zephyr 21.
    package static let longestTimeout: UInt8 = 21
    /// Types that cannot be asked for: what is incomplete or shortened comes in the place of the complete.
    package static let prohibitedTypes: Set<UInt8> = [0x02, 0x04, 0x06, 0x08]
    /// Which structures are wanted, 1...16 AD types, each once.
    package var types: [UInt8]
    /// The device that is asked about; nil for the server's own node.
    package var device: Device?

    package init(types: [UInt8], device: Device?) {
        self.types = types
        self.device = device
    }

    /// Reads 2 to 34 octets. No, too many or repeated types, types that cannot be asked for and timeouts out of range
    /// are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let count = try reader.readUInt8()
        guard (1...Self.maximumTypes).contains(Int(count)) else {
            throw .prohibited(field: "ADTypeFilterCount", value: UInt64(count))
        }
        types = Array(try reader.read(Int(count)))
        var seen = Self.prohibitedTypes
        for type in types where !seen.insert(type).inserted {
            throw .prohibited(field: "ADTypeFilter", value: UInt64(type))
        }
        guard !reader.isAtEnd else { return }
        let uuid = try DeviceUUID(reading: &reader)
        let timeout = try reader.readUInt8()
        guard (1...Self.longestTimeout).contains(timeout) else {
            throw .prohibited(field: "Timeout", value: UInt64(timeout))
        }
        device = Device(uuid: uuid, timeout: timeout)
    }

    /// Appends 2 to 34 octets; more types than ``maximumTypes`` are left out.
    package func write(to writer: inout ByteWriter) {
        let types = types.prefix(Self.maximumTypes)
        writer.write(UInt8(types.count))
        writer.write(types)
        guard let device else { return }
        device.uuid.write(to: &writer)
        writer.write(device.timeout)
    }

    /// Whether the server refuses, or reports the device that this asks about.
    package func isAnswered(by status: Status) -> Bool {
        guard status.status == .success, let device else { return true }
        return status.uuid == device.uuid
    }
}

/// Remote Provisioning Extended Scan Report (Mesh Protocol 1.1, 4.3.4.9): status (1), Device UUID (16), and nothing if
/// the device was not heard, else OOB information (2, little-endian) and advertising structures.
package struct RemoteProvisioningExtendedScanReport: ConfigurationMessage, FieldMessage {
    /// What was heard.
    package struct Findings: Hashable, Sendable {
        /// Where out-of-band data is to be found.
        package var outOfBandInformation: OutOfBandInformation
        /// What was asked for, as far as it was heard.
        package var structures: [AdvertisingStructure]

        package init(outOfBandInformation: OutOfBandInformation, structures: [AdvertisingStructure]) {
            self.outOfBandInformation = outOfBandInformation
            self.structures = structures
        }
    }

    package static let opcode: Opcode = 0x8057
    /// The outcome of the request.
    package var status: RemoteProvisioningStatusCode
    /// Which device.
    package var uuid: DeviceUUID
    /// What was heard of it; nil if it was not heard.
    package var findings: Findings?

    package init(status: RemoteProvisioningStatusCode, uuid: DeviceUUID, findings: Findings? = nil) {
        self.status = status
        self.uuid = uuid
        self.findings = findings
    }

    /// Reads 17 octets, or 19 and more.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try RemoteProvisioningStatusCode(reading: &reader)
        uuid = try DeviceUUID(reading: &reader)
        guard !reader.isAtEnd else { return }
        findings = Findings(
            outOfBandInformation: try OutOfBandInformation(reading: &reader),
            structures: try AdvertisingStructure.readAll(&reader)
        )
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        uuid.write(to: &writer)
        guard let findings else { return }
        findings.outOfBandInformation.write(to: &writer)
        for structure in findings.structures { structure.write(to: &writer) }
    }
}
