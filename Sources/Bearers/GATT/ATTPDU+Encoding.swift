import MeshCore

extension ATTPDU {
    /// The first octet (Core Vol 3 Part F 3.4.8).
    package var opcode: UInt8 {
        switch self {
        case .errorResponse: 0x01
        case .exchangeMTURequest: 0x02
        case .exchangeMTUResponse: 0x03
        case .findInformationRequest: 0x04
        case .findInformationResponse: 0x05
        case .findByTypeValueRequest: 0x06
        case .findByTypeValueResponse: 0x07
        case .readByTypeRequest: 0x08
        case .readByTypeResponse: 0x09
        case .readRequest: 0x0A
        case .readResponse: 0x0B
        case .readBlobRequest: 0x0C
        case .readBlobResponse: 0x0D
        case .readByGroupTypeRequest: 0x10
        case .readByGroupTypeResponse: 0x11
        case .writeRequest: 0x12
        case .writeResponse: 0x13
        case .notification: 0x1B
        case .indication: 0x1D
        case .confirmation: 0x1E
        case .multipleNotification: 0x23
        case .writeCommand: 0x52
        }
    }

    /// The octets of the PDU. Where the PDU requires it, the values of a list must have the same length; each must fit
    /// one octet together with its handle.
    package var encoded: [UInt8] {
        switch self {
        case .errorResponse(let request, let handle, let code):
            make(4) {
                $0.write(request)
                $0.writeLittleEndian(handle)
                $0.write(code.rawValue)
            }
        case .exchangeMTURequest(let size): make(2) { $0.writeLittleEndian(size) }
        case .exchangeMTUResponse(let size): make(2) { $0.writeLittleEndian(size) }
        case .findInformationRequest(let range): make(4) { $0.write(range) }
        case .findInformationResponse(let types):
            make(1 + 18 * types.count) {
                $0.write(UInt8(types.first?.value.count == 2 ? 1 : 2))
                for type in types { $0.write(type) }
            }
        case .findByTypeValueRequest(let range, let type, let value):
            make(6 + value.count) {
                $0.write(range)
                $0.writeLittleEndian(type)
                $0.write(value)
            }
        case .findByTypeValueResponse(let ranges):
            make(4 * ranges.count) { for range in ranges { $0.write(range) } }
        case .readByTypeRequest(let range, let type): make(range, type)
        case .readByTypeResponse(let values):
            make(255) {
                $0.write(UInt8(truncatingIfNeeded: 2 + (values.first?.value.count ?? 0)))
                for value in values { $0.write(value) }
            }
        case .readRequest(let handle): make(2) { $0.writeLittleEndian(handle) }
        case .readResponse(let value): make(value.count) { $0.write(value) }
        case .readBlobRequest(let handle, let offset):
            make(4) {
                $0.writeLittleEndian(handle)
                $0.writeLittleEndian(offset)
            }
        case .readBlobResponse(let value): make(value.count) { $0.write(value) }
        case .readByGroupTypeRequest(let range, let type): make(range, type)
        case .readByGroupTypeResponse(let groups):
            make(255) {
                $0.write(UInt8(truncatingIfNeeded: 4 + (groups.first?.value.count ?? 0)))
                for group in groups {
                    $0.write(group.handles)
                    $0.write(group.value)
                }
            }
        case .writeRequest(let value): make(2 + value.value.count) { $0.write(value) }
        case .writeResponse, .confirmation: [opcode]
        case .writeCommand(let value): make(2 + value.value.count) { $0.write(value) }
        case .notification(let value): make(2 + value.value.count) { $0.write(value) }
        case .multipleNotification(let values):
            make(64) {
                for value in values {
                    $0.writeLittleEndian(value.handle)
                    $0.writeLittleEndian(UInt16(truncatingIfNeeded: value.value.count))
                    $0.write(value.value)
                }
            }
        case .indication(let value): make(2 + value.value.count) { $0.write(value) }
        }
    }

    /// The opcode, then about `size` octets of parameters.
    private func make(_ size: Int, _ parameters: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter(capacity: 1 + size)
        writer.write(opcode)
        parameters(&writer)
        return writer.bytes
    }

    private func make(_ range: HandleRange, _ type: BluetoothUUID) -> [UInt8] {
        make(20) {
            $0.write(range)
            $0.write(type.attribute)
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ range: HandleRange) {
        writeLittleEndian(range.first)
        writeLittleEndian(range.last)
    }

    fileprivate mutating func write(_ value: AttributeValue) {
        writeLittleEndian(value.handle)
        write(value.value)
    }
}
