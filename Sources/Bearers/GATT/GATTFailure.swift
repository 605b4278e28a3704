package import MeshCore

/// A step of a ``GATTClient``, in which something may go wrong.
package enum GATTStep: Hashable, Sendable, CaseIterable {
    case exchangingMTU
    /// Looking for the service by its UUID, or among all primary services.
    case findingService
    /// Looking for Data In and Data Out.
    case findingCharacteristics
    /// Looking for the descriptor that turns notifications of Data Out on.
    case findingDescriptors
    /// Turning the notifications on.
    case subscribing

    /// The step, as the subject of a sentence.
    var text: String {
        switch self {
        case .exchangingMTU: "the exchange of packet sizes (MTU)"
        case .findingService: "the search for the mesh service"
        case .findingCharacteristics: "the search for Data In and Data Out"
        case .findingDescriptors: "the search for the descriptor that turns notifications on"
        case .subscribing: "turning notifications on"
        }
    }
}

/// Why a connection cannot serve a mesh, or cannot any more. It must be closed then.
package enum GATTFailure: Error, Hashable, Sendable {
    /// The device did not answer a request in time. The connection may carry no further requests (Core Vol 3 Part F
    /// 3.3.3).
    case unanswered(GATTStep, after: Duration)
    /// The device answers, but setting up took too long.
    case tooSlow(GATTStep, after: Duration)
    /// The device refused a request.
    case refused(GATTStep, ATTErrorCode)
    case malformed(GATTStep, DecodeError)
    /// A PDU with that opcode came instead of the expected response, or an error about another request came.
    case mismatched(GATTStep, opcode: UInt8)
    /// A response names handles that were not asked for or that do not increase. The search would not end.
    case astray(GATTStep)
    /// The search took more requests than any reasonable device needs.
    case endless(GATTStep)
    /// The device does not have the service; `hasOther` if it has the other mesh service instead.
    case noService(MeshService, hasOther: Bool)
    case noCharacteristic(MeshService, BluetoothUUID)
    /// Data In does not allow writing without response.
    case notWritable(MeshService)
    /// Data Out does not notify: the property or the descriptor is missing.
    case notNotifying(MeshService)
    /// The device announced that its service has changed (Core Vol 3 Part G 7.1).
    case servicesChanged
}

extension GATTFailure {
    /// What went wrong, as a sentence without a full stop.
    package var message: String {
        switch self {
        case .unanswered(let step, let time):
            "the device has not answered within \(time.components.seconds) s during \(step.text)"
        case .tooSlow(let step, let time):
            "the device is too slow: after \(time.components.seconds) s it is still at \(step.text)"
        case .refused(let step, let code): "the device refuses \(step.text): \(code)"
        case .malformed(let step, let error):
            "the device sends an answer that violates the attribute protocol during \(step.text): \(error)"
        case .mismatched(let step, let opcode):
            "the device sends a different answer than expected (opcode 0x\(opcode.hexadecimal)) during \(step.text)"
        case .astray(let step): "the device answers with handles that were not asked for during \(step.text)"
        case .endless(let step): "the device's answers never end during \(step.text)"
        case .noService(let service, hasOther: true):
            "the device does not have \(service.name), but \(service.other.name)"
        case .noService(let service, hasOther: false): "the device does not have \(service.name)"
        case .noCharacteristic(let service, let uuid):
            "\(service.name) lacks the characteristic \(uuid == service.dataIn ? "Data In" : "Data Out") (\(uuid))"
        case .notWritable(let service):
            "the characteristic Data In (\(service.dataIn)) of \(service.name) cannot be written to without response"
        case .notNotifying(let service):
            "the characteristic Data Out (\(service.dataOut)) of \(service.name) does not notify"
        case .servicesChanged: "the device has changed its services"
        }
    }

    /// How to mend it; nil if nothing is known.
    package var hint: String? {
        switch self {
        case .unanswered, .tooSlow: "move closer, or restart the device"
        case .refused(_, let code): code.hint
        case .noService(.proxy, hasOther: true): "it is not in a network: it has been reset, or was never provisioned"
        case .noService(.provisioning, hasOther: true): "it is in a network already; reset it to provision it again"
        case .noService(_, hasOther: false): "it may advertise another device's data, or its firmware is at fault"
        case .malformed, .mismatched, .astray, .endless, .noCharacteristic, .notWritable, .notNotifying:
            "the firmware is at fault; look for a newer one"
        case .servicesChanged: "connect again"
        }
    }
}

extension BearerError {
    package init(_ failure: GATTFailure) {
        self.init(failure.message, hint: failure.hint)
    }
}
