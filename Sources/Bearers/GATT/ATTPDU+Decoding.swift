package import MeshCore

extension ATTPDU {
    /// Reads a PDU.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let opcode = try reader.readUInt8()
        switch opcode {
        case 0x01:
            self = .errorResponse(
                request: try reader.readUInt8(),
                handle: try reader.readUInt16LittleEndian(),
                ATTErrorCode(rawValue: try reader.readUInt8())
            )
        case 0x02: self = .exchangeMTURequest(try reader.readUInt16LittleEndian())
        case 0x03: self = .exchangeMTUResponse(try reader.readUInt16LittleEndian())
        case 0x04: self = .findInformationRequest(try reader.readHandleRange())
        case 0x05: self = .findInformationResponse(try ATTPDU.types(&reader))
        case 0x06:
            self = .findByTypeValueRequest(
                try reader.readHandleRange(),
                type: try reader.readUInt16LittleEndian(),
                value: Array(reader.readRest())
            )
        case 0x07: self = .findByTypeValueResponse(try ATTPDU.ranges(&reader))
        case 0x08: self = .readByTypeRequest(try reader.readHandleRange(), type: try reader.readUUID())
        case 0x09: self = .readByTypeResponse(try ATTPDU.values(&reader))
        case 0x0A: self = .readRequest(try reader.readHandle())
        case 0x0B: self = .readResponse(Array(reader.readRest()))
        case 0x0C:
            self = .readBlobRequest(try reader.readHandle(), offset: try reader.readUInt16LittleEndian())
        case 0x0D: self = .readBlobResponse(Array(reader.readRest()))
        case 0x10: self = .readByGroupTypeRequest(try reader.readHandleRange(), type: try reader.readUUID())
        case 0x11: self = .readByGroupTypeResponse(try ATTPDU.groups(&reader))
        case 0x12: self = .writeRequest(try reader.readAttributeValue())
        case 0x13: self = .writeResponse
        case 0x52: self = .writeCommand(try reader.readAttributeValue())
        case 0x1B: self = .notification(try reader.readAttributeValue())
        case 0x1D: self = .indication(try reader.readAttributeValue())
        case 0x1E: self = .confirmation
        case 0x23: self = .multipleNotification(try ATTPDU.notifications(&reader))
        default: throw .unknownType(UInt64(opcode))
        }
        try reader.expectEnd()
    }

    private static func types(_ reader: inout ByteReader) throws(DecodeError) -> [AttributeValue] {
        let format = try reader.readUInt8()
        guard format == 1 || format == 2 else { throw .prohibited(field: "Format", value: UInt64(format)) }
        return try list(&reader, of: format == 1 ? 4 : 18)
    }

    private static func values(_ reader: inout ByteReader) throws(DecodeError) -> [AttributeValue] {
        let length = Int(try reader.readUInt8())
        guard length >= 2 else { throw .prohibited(field: "Length", value: UInt64(length)) }
        return try list(&reader, of: length)
    }

    /// The rest as handles with values; a handle and its value take `length` octets together.
    private static func list(_ reader: inout ByteReader, of length: Int) throws(DecodeError) -> [AttributeValue] {
        guard reader.remaining > 0, reader.remaining % length == 0 else {
            throw .length(reader.offset + reader.remaining)
        }
        var values: [AttributeValue] = []
        while !reader.isAtEnd {
            values.append(AttributeValue(try reader.readHandle(), Array(try reader.read(length - 2))))
        }
        return values
    }

    private static func ranges(_ reader: inout ByteReader) throws(DecodeError) -> [HandleRange] {
        guard reader.remaining > 0 else { throw .length(1) }
        var ranges: [HandleRange] = []
        while !reader.isAtEnd { ranges.append(try reader.readHandleRange()) }
        return ranges
    }

    private static func groups(_ reader: inout ByteReader) throws(DecodeError) -> [AttributeGroup] {
        let length = Int(try reader.readUInt8())
        guard length >= 4 else { throw .prohibited(field: "Length", value: UInt64(length)) }
        guard reader.remaining > 0, reader.remaining % length == 0 else { throw .length(2 + reader.remaining) }
        var groups: [AttributeGroup] = []
        while !reader.isAtEnd {
            groups.append(AttributeGroup(try reader.readHandleRange(), Array(try reader.read(length - 4))))
        }
        return groups
    }

    private static func notifications(_ reader: inout ByteReader) throws(DecodeError) -> [AttributeValue] {
        var values: [AttributeValue] = []
        while !reader.isAtEnd {
            let handle = try reader.readHandle()
            let length = Int(try reader.readUInt16LittleEndian())
            values.append(AttributeValue(handle, Array(try reader.read(length))))
        }
        guard values.count >= 2 else { throw .length(reader.offset) }
        return values
    }
}

extension ByteReader {
    /// A handle, which is never 0 (Core Vol 3 Part F 3.2.2).
    fileprivate mutating func readHandle() throws(DecodeError) -> UInt16 {
        let handle = try readUInt16LittleEndian()
        guard handle > 0 else { throw .prohibited(field: "Attribute Handle", value: 0) }
        return handle
    }

    fileprivate mutating func readHandleRange() throws(DecodeError) -> HandleRange {
        let first = try readUInt16LittleEndian()
        let last = try readUInt16LittleEndian()
        guard let range = HandleRange(first, last) else {
            throw .prohibited(field: "Starting Handle", value: UInt64(first))
        }
        return range
    }

    /// A handle, and the rest as its value.
    fileprivate mutating func readAttributeValue() throws(DecodeError) -> AttributeValue {
        AttributeValue(try readHandle(), Array(readRest()))
    }

    /// The rest as a UUID.
    fileprivate mutating func readUUID() throws(DecodeError) -> BluetoothUUID {
        let octets = readRest()
        guard let uuid = BluetoothUUID(attribute: octets) else { throw .length(offset) }
        return uuid
    }
}
