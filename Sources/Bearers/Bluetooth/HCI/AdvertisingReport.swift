package import MeshCore

/// One packet heard by legacy scanning (Core Vol 4 Part E 7.7.65.2).
package struct AdvertisingReport: Hashable, Sendable {
    /// The kind of packet: 0 connectable and scannable, 1 directed, 2 scannable, 3 neither, 4 a scan response.
    package var type: UInt8
    package var address: BluetoothAddress
    /// Advertising data. The specification allows at most 31 octets; controllers may break that limit.
    package var data: [UInt8]
    /// The signal strength in dBm; nil if unknown.
    package var signal: Int8?

    /// Reads the reports of one event: their number (1), then for each report type (1), address type (1), address (6),
    /// length (1), data, RSSI (1). Controllers send one report after the other like this, although the specification
    /// describes arrays.
    ///
    /// - Throws: ``DecodeError`` if a report is malformed. A report with an unknown kind of address is left out.
    static func reports(from reader: inout ByteReader) throws(DecodeError) -> [AdvertisingReport] {
        let count = try reader.readUInt8()
        guard (1...0x19).contains(count) else { throw .prohibited(field: "number of reports", value: UInt64(count)) }
        var reports: [AdvertisingReport] = []
        for _ in 0..<count {
            let type = try reader.readUInt8()
            let kind = try reader.readUInt8()
            let octets = try reader.read(6)
            let data = Array(try reader.read(Int(try reader.readUInt8())))
            let signal = try reader.readSignal()
            guard kind <= 3 else { continue }
            let address = try BluetoothAddress(kind & 1 == 0 ? .public : .random, littleEndian: octets)
            reports.append(AdvertisingReport(type: type, address: address, data: data, signal: signal))
        }
        try reader.expectEnd()
        return reports
    }
}

/// One packet, or a part of one, heard by extended scanning (Core Vol 4 Part E 7.7.65.13).
package struct ExtendedAdvertisingReport: Hashable, Sendable {
    /// How much of the data has arrived.
    package enum Completeness: UInt8, Hashable, Sendable {
        case complete = 0
        /// More data follows in further reports.
        case incomplete = 1
        /// The rest of the data was lost.
        case truncated = 2
        case reserved = 3
    }

    package var isScanResponse: Bool
    package var isLegacy: Bool
    /// How much of the data has arrived.
    package var completeness: Completeness
    /// The sender's address; nil for an anonymous sender.
    package var address: BluetoothAddress?
    /// The sender's advertising set, 0xFF for none.
    package var set: UInt8
    /// Advertising data, at most 229 octets in one report.
    package var data: [UInt8]
    /// The signal strength in dBm; nil if unknown.
    package var signal: Int8?

    /// Reads the reports of one event: their number (1), then for each report type (2), address type (1), address (6),
    /// PHYs (2), set (1), power (1), RSSI (1), interval (2), direct address type (1), direct address (6), length (1),
    /// data.
    static func reports(from reader: inout ByteReader) throws(DecodeError) -> [ExtendedAdvertisingReport] {
        let count = try reader.readUInt8()
        guard (1...0x0A).contains(count) else { throw .prohibited(field: "number of reports", value: UInt64(count)) }
        var reports: [ExtendedAdvertisingReport] = []
        for _ in 0..<count {
            let type = try reader.readUInt16LittleEndian()
            let kind = try reader.readUInt8()
            let octets = try reader.read(6)
            _ = try reader.read(2)
            let set = try reader.readUInt8()
            _ = try reader.readUInt8()
            let signal = try reader.readSignal()
            _ = try reader.read(2 + 1 + 6)
            let data = Array(try reader.read(Int(try reader.readUInt8())))
            let address = try BluetoothAddress(kind & 1 == 0 ? .public : .random, littleEndian: octets)
            reports.append(
                ExtendedAdvertisingReport(
                    isScanResponse: type & 0x08 != 0,
                    isLegacy: type & 0x10 != 0,
                    completeness: Completeness(rawValue: UInt8(type >> 5 & 3)) ?? .reserved,
                    address: kind <= 3 ? address : nil,
                    set: set,
                    data: data,
                    signal: signal
                )
            )
        }
        try reader.expectEnd()
        return reports
    }
}
