import Bearers
import MeshCore

/// A GATT server over a table of attributes that follows Core Vol 3 Part F to the letter and notes whatever a client
/// does against it.
struct ATTServer {
    struct Attribute {
        var handle: UInt16
        var type: BluetoothUUID
        var value: [UInt8] = []
        /// The last handle of the group that it begins.
        var groupEnd: UInt16?
        /// What a request to write it is refused with, nil if it can be written.
        var writeError: ATTErrorCode? = ATTErrorCode(rawValue: 0x03)
        var takesCommands = false
    }

    /// In order of their handles.
    var attributes: [Attribute] = []
    /// The largest PDU that it takes.
    var mtu: UInt16 = 517
    /// Requests that it does not know, by their opcodes.
    var unsupported: Set<UInt8> = []
    /// What it refuses all requests of an opcode with.
    var refusals: [UInt8: ATTErrorCode] = [:]
    /// What the client did wrong.
    private(set) var violations: [String] = []
    /// Requests so far.
    private(set) var requests: [ATTPDU] = []
    /// Values that commands have written.
    private(set) var written: [AttributeValue] = []
    /// What both sides take.
    private(set) var agreedMTU = 23

    /// Takes in one PDU of the client.
    ///
    /// - Returns: the response to a request, nil to what has none.
    mutating func receive(_ bytes: [UInt8]) -> [UInt8]? {
        if bytes.count > agreedMTU { violations.append("a PDU of \(bytes.count) octets, \(agreedMTU) are allowed") }
        let pdu: ATTPDU
        do {
            pdu = try ATTPDU(decoding: bytes)
        } catch {
            violations.append("\(bytes): \(error)")
            return nil
        }
        switch ATTPDU.kind(ofOpcode: pdu.opcode) {
        case .request: return respond(to: pdu).encoded
        case .command:
            guard case .writeCommand(let value) = pdu,
                let attribute = attributes.first(where: { $0.handle == value.handle }), attribute.takesCommands
            else {
                violations.append("a command to what takes none: \(pdu)")
                return nil
            }
            written.append(value)
            return nil
        case .confirmation: return nil
        case .response, .notification, .indication:
            violations.append("\(pdu) from a client")
            return nil
        }
    }

    private mutating func respond(to pdu: ATTPDU) -> ATTPDU {
        requests.append(pdu)
        func refuse(_ handle: UInt16, _ code: ATTErrorCode) -> ATTPDU {
            .errorResponse(request: pdu.opcode, handle: handle, code)
        }
        if unsupported.contains(pdu.opcode) { return refuse(0, .requestNotSupported) }
        if let code = refusals[pdu.opcode] { return refuse(0, code) }
        switch pdu {
        case .exchangeMTURequest(let size):
            if requests.count > 1 { violations.append("Exchange MTU is not the first request") }
            if size < 23 { violations.append("an MTU of \(size)") }
            agreedMTU = max(23, Int(min(size, mtu)))
            return .exchangeMTUResponse(mtu)
        case .findByTypeValueRequest(let range, let type, let value):
            let groups = attributes.filter {
                range.contains($0.handle) && $0.type == BluetoothUUID(type) && $0.value == value
            }
            let ranges = groups.compactMap { HandleRange($0.handle, $0.groupEnd ?? $0.handle) }
            guard !ranges.isEmpty else { return refuse(range.first, .attributeNotFound) }
            return .findByTypeValueResponse(Array(ranges.prefix((agreedMTU - 1) / 4)))
        case .readByGroupTypeRequest(let range, let type):
            guard type == .primaryService else { return refuse(range.first, ATTErrorCode(rawValue: 0x10)) }
            let found = attributes.filter { range.contains($0.handle) && $0.type == type }
            guard let size = found.first?.value.count else { return refuse(range.first, .attributeNotFound) }
            let groups = found.prefix { $0.value.count == size }.prefix((agreedMTU - 2) / (4 + size))
            return .readByGroupTypeResponse(
                groups.compactMap { group in
                    HandleRange(group.handle, group.groupEnd ?? group.handle).map { AttributeGroup($0, group.value) }
                }
            )
        case .readByTypeRequest(let range, let type):
            let found = attributes.filter { range.contains($0.handle) && $0.type == type }
            guard let size = found.first?.value.count else { return refuse(range.first, .attributeNotFound) }
            let values = found.prefix { $0.value.count == size }.prefix((agreedMTU - 2) / (2 + size))
            return .readByTypeResponse(values.map { AttributeValue($0.handle, $0.value) })
        case .findInformationRequest(let range):
            let found = attributes.filter { range.contains($0.handle) }
            guard let size = found.first?.type.attribute.count else { return refuse(range.first, .attributeNotFound) }
            let types = found.prefix { $0.type.attribute.count == size }.prefix((agreedMTU - 2) / (2 + size))
            return .findInformationResponse(types.map { AttributeValue($0.handle, $0.type.attribute) })
        case .writeRequest(let value):
            guard let place = attributes.firstIndex(where: { $0.handle == value.handle }) else {
                return refuse(value.handle, ATTErrorCode(rawValue: 0x01))
            }
            if let code = attributes[place].writeError { return refuse(value.handle, code) }
            guard value.value.count == attributes[place].value.count else {
                return refuse(value.handle, ATTErrorCode(rawValue: 0x0D))
            }
            attributes[place].value = value.value
            return .writeResponse
        default: return refuse(0, .requestNotSupported)
        }
    }

    /// Whether notifications of a characteristic are on.
    func isNotifying(_ uuid: BluetoothUUID) -> Bool {
        guard let value = valueHandle(of: uuid) else { return false }
        let descriptors = attributes.drop { $0.handle <= value }.prefix { $0.type != .characteristic }
        return descriptors.first { $0.type == .clientCharacteristicConfiguration }?.value == [1, 0]
    }

    /// The handle of a characteristic's value.
    func valueHandle(of uuid: BluetoothUUID) -> UInt16? { attributes.first { $0.type == uuid }?.handle }
}

/// A characteristic of a server that is built.
struct CharacteristicPlan {
    var uuid: BluetoothUUID
    var properties: UInt8
    /// Whether the declaration has all 128 bits of the UUID.
    var isLong = false
    /// Descriptors in their order.
    var descriptors: [BluetoothUUID] = []

    static func dataIn(_ service: MeshService) -> CharacteristicPlan {
        CharacteristicPlan(uuid: service.dataIn, properties: 0x04)
    }

    static func dataOut(_ service: MeshService) -> CharacteristicPlan {
        CharacteristicPlan(
            uuid: service.dataOut,
            properties: 0x10,
            descriptors: [.clientCharacteristicConfiguration]
        )
    }
}

/// A service of a server that is built.
struct ServicePlan {
    var uuid: BluetoothUUID
    var isLong = false
    /// How many handles are left out in front.
    var gap: UInt16 = 0
    /// The last handle, if it is not that of the last attribute.
    var end: UInt16?
    var characteristics: [CharacteristicPlan] = []

    /// A mesh service as most nodes have it.
    static func mesh(_ service: MeshService) -> ServicePlan {
        ServicePlan(uuid: service.uuid, characteristics: [.dataIn(service), .dataOut(service)])
    }

    /// What every device has in front: Generic Access with two characteristics, Generic Attribute with Service Changed.
    static let generic = [
        ServicePlan(
            uuid: BluetoothUUID(0x1800),
            characteristics: [
                CharacteristicPlan(uuid: BluetoothUUID(0x2A00), properties: 0x02),
                CharacteristicPlan(uuid: BluetoothUUID(0x2A01), properties: 0x02),
            ]
        ),
        ServicePlan(
            uuid: BluetoothUUID(0x1801),
            characteristics: [
                CharacteristicPlan(
                    uuid: BluetoothUUID(0x2A05),
                    properties: 0x20,
                    descriptors: [.clientCharacteristicConfiguration]
                )
            ]
        ),
    ]
}

extension ATTServer {
    init(_ services: [ServicePlan]) {
        var next: UInt16 = 1
        func take() -> UInt16 {
            defer { next += 1 }
            return next
        }
        for service in services {
            next += service.gap
            let place = attributes.count
            attributes.append(
                Attribute(
                    handle: take(),
                    type: .primaryService,
                    value: service.isLong ? service.uuid.longAttribute : service.uuid.attribute
                )
            )
            for plan in service.characteristics {
                let declaration = take()
                let value = take()
                let uuid = plan.isLong ? plan.uuid.longAttribute : plan.uuid.attribute
                attributes.append(
                    Attribute(
                        handle: declaration,
                        type: .characteristic,
                        value: [plan.properties, UInt8(value & 0xFF), UInt8(value >> 8)] + uuid
                    )
                )
                attributes.append(
                    Attribute(handle: value, type: plan.uuid, takesCommands: plan.properties & 0x04 != 0)
                )
                for descriptor in plan.descriptors {
                    let isConfiguration = descriptor == .clientCharacteristicConfiguration
                    attributes.append(
                        Attribute(
                            handle: take(),
                            type: descriptor,
                            value: isConfiguration ? [0, 0] : [1],
                            writeError: isConfiguration ? nil : ATTErrorCode(rawValue: 0x03)
                        )
                    )
                }
            }
            attributes[place].groupEnd = service.end ?? (next - 1)
            next = max(next, (service.end ?? 0) &+ 1)
        }
    }
}
