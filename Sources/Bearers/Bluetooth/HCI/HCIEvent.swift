package import MeshCore

/// An event of the controller (Core Vol 4 Part E 5.4.4): code (1), length (1), parameters, all integers least
/// significant octet first.
package enum HCIEvent: Hashable, Sendable {
    /// A command has completed (0x0E); its return parameters, which begin with a status if there are any.
    case commandComplete(HCIOpcode, [UInt8])
    /// A command has started or was refused (0x0F).
    case commandStatus(HCIOpcode, HCIErrorCode)
    /// A connection has ended (0x05), or could not be ended if the status is an error.
    case disconnectionComplete(HCIErrorCode, handle: UInt16, reason: HCIErrorCode)
    /// A connection was made or has failed (LE 0x01 and 0x0A); `isCentral` if this side made it.
    case connectionComplete(HCIErrorCode, handle: UInt16, BluetoothAddress?, isCentral: Bool)
    /// Reports of legacy scanning (LE 0x02).
    case advertisingReports([AdvertisingReport])
    /// Reports of extended scanning (LE 0x0D).
    case extendedAdvertisingReports([ExtendedAdvertisingReport])
    /// An event that does not matter here.
    case other(code: UInt8)

    /// Reads an event without its packet type.
    init(decoding bytes: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let code = try reader.readUInt8()
        let length = try reader.readUInt8()
        guard reader.remaining == Int(length) else { throw .length(reader.remaining) }
        switch code {
        case 0x05:
            let status = HCIErrorCode(rawValue: try reader.readUInt8())
            let handle = try reader.readConnectionHandle()
            self = .disconnectionComplete(
                status,
                handle: handle,
                reason: HCIErrorCode(rawValue: try reader.readUInt8())
            )
        case 0x0E:
            _ = try reader.readUInt8()
            let opcode = HCIOpcode(rawValue: try reader.readUInt16LittleEndian())
            self = .commandComplete(opcode, Array(reader.readRest()))
        case 0x0F:
            let status = HCIErrorCode(rawValue: try reader.readUInt8())
            _ = try reader.readUInt8()
            self = .commandStatus(HCIOpcode(rawValue: try reader.readUInt16LittleEndian()), status)
        case 0x3E: self = try HCIEvent(decodingLE: &reader)
        default: self = .other(code: code)
        }
    }

    /// Reads the rest of an LE Meta event (7.7.65): subevent (1), parameters.
    private init(decodingLE reader: inout ByteReader) throws(DecodeError) {
        switch try reader.readUInt8() {
        case 0x01, 0x0A:
            let status = HCIErrorCode(rawValue: try reader.readUInt8())
            let handle = try reader.readConnectionHandle()
            let role = try reader.readUInt8()
            let kind = try reader.readUInt8()
            let octets = try reader.read(6)
            // Types 2 and 3 are public and random identities that the controller has resolved.
            let address = try BluetoothAddress(kind & 1 == 0 ? .public : .random, littleEndian: octets)
            self = .connectionComplete(status, handle: handle, kind <= 3 ? address : nil, isCentral: role == 0)
        case 0x02: self = .advertisingReports(try AdvertisingReport.reports(from: &reader))
        case 0x0D: self = .extendedAdvertisingReports(try ExtendedAdvertisingReport.reports(from: &reader))
        default: self = .other(code: 0x3E)
        }
    }
}

extension HCIEvent {
    /// The first octet of a command's return parameters: the status, for all commands used here.
    static func status(_ parameters: [UInt8]) -> HCIErrorCode {
        HCIErrorCode(rawValue: parameters.first ?? HCIErrorCode.unspecified.rawValue)
    }
}

extension HCIErrorCode {
    /// The controller does not support the command.
    static let unknownCommand = HCIErrorCode(rawValue: 0x01)
    /// An error without a code of its own.
    static let unspecified = HCIErrorCode(rawValue: 0x1F)
}

extension ByteReader {
    /// The handle of a connection, 12 bits.
    fileprivate mutating func readConnectionHandle() throws(DecodeError) -> UInt16 {
        try readUInt16LittleEndian() & 0x0FFF
    }

    /// The signal strength in dBm; nil for 127, which means unknown.
    mutating func readSignal() throws(DecodeError) -> Int8? {
        let value = Int8(bitPattern: try readUInt8())
        return value == 127 ? nil : value
    }
}
