import MeshCore

extension GATTClient {
    /// What a client may do with a characteristic's value (Core Vol 3 Part G 3.3.1.1).
    private struct Properties: OptionSet {
        let rawValue: UInt8

        static let writeWithoutResponse = Properties(rawValue: 0x04)
        static let notify = Properties(rawValue: 0x10)
    }

    /// Processes a response to the request under way; ignores a response that nobody waits for.
    mutating func responded(_ bytes: [UInt8], opcode: UInt8, at now: Instant) -> [Output] {
        guard case .opening(let step) = phase, let transaction else {
            ignored += 1
            return []
        }
        let pdu: ATTPDU
        do {
            pdu = try ATTPDU(decoding: bytes)
        } catch .unknownType {
            return fail(.mismatched(step, opcode: opcode))
        } catch {
            return fail(.malformed(step, error))
        }
        if case .errorResponse(let request, _, let code) = pdu {
            guard request == transaction.opcode else { return fail(.mismatched(step, opcode: request)) }
            self.transaction = nil
            return refused(step, code, request: request, at: now)
        }
        guard opcode == transaction.opcode + 1 else { return fail(.mismatched(step, opcode: opcode)) }
        self.transaction = nil
        do {
            return try proceed(pdu, step, transaction.range, at: now)
        } catch {
            return fail(error)
        }
    }

    private mutating func proceed(
        _ pdu: ATTPDU,
        _ step: GATTStep,
        _ range: HandleRange,
        at now: Instant
    ) throws(GATTFailure) -> [Output] {
        switch pdu {
        case .exchangeMTUResponse(let size):
            agree(on: size)
            return findService(at: now)
        case .findByTypeValueResponse(let ranges):
            guard let first = ranges.first else { throw .malformed(step, .length(1)) }
            layout.service = first
            return findCharacteristics(in: first, at: now)
        case .readByGroupTypeResponse(let groups):
            return try chooseService(among: groups, asked: range, at: now)
        case .readByTypeResponse(let declarations):
            return try takeCharacteristics(declarations, asked: range, at: now)
        case .findInformationResponse(let types): return try takeDescriptors(types, asked: range, at: now)
        case .writeResponse: return open(at: now)
        default: throw .mismatched(step, opcode: pdu.opcode)
        }
    }

    private mutating func refused(
        _ step: GATTStep,
        _ code: ATTErrorCode,
        request: UInt8,
        at now: Instant
    ) -> [Output] {
        let isEnd = code == .attributeNotFound
        switch step {
        case .exchangingMTU:
            // The packet size stays as it was, whatever the reason.
            return findService(at: now)
        case .findingService where request == 0x06 && (isEnd || code == .requestNotSupported):
            // No service begins with the UUID of 16 bits; the declaration may have the long form.
            return listServices(in: .all, at: now)
        case .findingService where isEnd: return fail(.noService(service, hasOther: layout.hasOther))
        case .findingCharacteristics where isEnd: return fail(lack)
        case .findingDescriptors where isEnd: return fail(.notNotifying(service))
        default: return fail(.refused(step, code))
        }
    }
}

extension GATTClient {
    private mutating func findService(at now: Instant) -> [Output] {
        stages.mtuExchanged = now
        return request(
            .findByTypeValueRequest(.all, type: 0x2800, value: service.uuid.attribute),
            for: .findingService,
            at: now
        )
    }

    private mutating func listServices(in range: HandleRange, at now: Instant) -> [Output] {
        request(.readByGroupTypeRequest(range, type: .primaryService), for: .findingService, about: range, at: now)
    }

    private mutating func chooseService(
        among groups: [AttributeGroup],
        asked range: HandleRange,
        at now: Instant
    ) throws(GATTFailure) -> [Output] {
        var rest: HandleRange? = range
        for group in groups {
            guard let left = rest, left.contains(group.handles.first) else { throw .astray(.findingService) }
            guard let uuid = BluetoothUUID(attribute: group.value) else {
                throw .malformed(.findingService, .length(4 + group.value.count))
            }
            if uuid == service.uuid {
                layout.service = group.handles
                return findCharacteristics(in: group.handles, at: now)
            }
            if uuid == service.other.uuid { layout.hasOther = true }
            rest = left.after(group.handles.last)
        }
        guard let rest else { throw .noService(service, hasOther: layout.hasOther) }
        return listServices(in: rest, at: now)
    }

    private mutating func findCharacteristics(in range: HandleRange, at now: Instant) -> [Output] {
        request(
            .readByTypeRequest(range, type: .characteristic),
            for: .findingCharacteristics,
            about: range,
            at: now
        )
    }

    /// Reads characteristic declarations. The value of each: properties (1), the handle of the characteristic's value
    /// (2), its UUID (2 or 16).
    ///
    /// - Throws: ``GATTFailure`` if a declaration is malformed or lies outside the range, or if it shows that the
    ///   service cannot be used.
    private mutating func takeCharacteristics(
        _ declarations: [AttributeValue],
        asked range: HandleRange,
        at now: Instant
    ) throws(GATTFailure) -> [Output] {
        var rest: HandleRange? = range
        for declaration in declarations {
            guard let left = rest, left.contains(declaration.handle) else { throw .astray(.findingCharacteristics) }
            rest = left.after(declaration.handle)
            var reader = ByteReader(declaration.value)
            guard let properties = try? reader.readUInt8(), let handle = try? reader.readUInt16LittleEndian(),
                let uuid = BluetoothUUID(attribute: reader.readRest())
            else { throw .malformed(.findingCharacteristics, .length(2 + declaration.value.count)) }
            guard let rest, rest.contains(handle) else { throw .astray(.findingCharacteristics) }
            try note(uuid, Properties(rawValue: properties), handle)
        }
        if layout.dataIn != 0, layout.dataOut != 0 {
            // The attributes after Data Out, up to the next declaration, are its descriptors.
            guard let rest = layout.service.after(layout.dataOut) else { throw .notNotifying(service) }
            return findDescriptors(in: rest, at: now)
        }
        guard let rest else { throw lack }
        return findCharacteristics(in: rest, at: now)
    }

    private mutating func note(
        _ uuid: BluetoothUUID,
        _ properties: Properties,
        _ handle: UInt16
    ) throws(GATTFailure) {
        if uuid == service.dataIn, layout.dataIn == 0 {
            guard properties.contains(.writeWithoutResponse) else { throw .notWritable(service) }
            layout.dataIn = handle
        } else if uuid == service.dataOut, layout.dataOut == 0 {
            guard properties.contains(.notify) else { throw .notNotifying(service) }
            layout.dataOut = handle
        }
    }

    /// What is missing although all characteristics are known.
    private var lack: GATTFailure {
        .noCharacteristic(service, layout.dataIn == 0 ? service.dataIn : service.dataOut)
    }

    private mutating func findDescriptors(in range: HandleRange, at now: Instant) -> [Output] {
        request(.findInformationRequest(range), for: .findingDescriptors, about: range, at: now)
    }

    private mutating func takeDescriptors(
        _ types: [AttributeValue],
        asked range: HandleRange,
        at now: Instant
    ) throws(GATTFailure) -> [Output] {
        var rest: HandleRange? = range
        for type in types {
            guard let left = rest, left.contains(type.handle) else { throw .astray(.findingDescriptors) }
            rest = left.after(type.handle)
            switch BluetoothUUID(attribute: type.value) {
            case BluetoothUUID.clientCharacteristicConfiguration:
                stages.discovered = now
                return request(.writeRequest(AttributeValue(type.handle, [0x01, 0x00])), for: .subscribing, at: now)
            case BluetoothUUID.characteristic, BluetoothUUID.primaryService, BluetoothUUID.secondaryService:
                throw .notNotifying(service)
            default: break
            }
        }
        guard let rest else { throw .notNotifying(service) }
        return findDescriptors(in: rest, at: now)
    }
}
