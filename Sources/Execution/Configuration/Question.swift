import MeshCore
import Planning

/// A question to a node that belongs to no action, and the type of its answer.
struct Question<Answer> {
    let inquiry: ConfigurationInquiry
    private let read: (ArraySlice<UInt8>) -> Answer?

    /// A question to the Configuration Server or another server under the DeviceKey.
    ///
    /// - Parameters:
    ///   - answerSize: octets of the longest usual answer, opcode included.
    ///   - answer: reads a status that concerns the same thing as the request. If it throws, the answer is odd.
    init<Request: ConfigurationRequest>(
        _ request: Request,
        answerSize: Int = 11,
        _ answer: @escaping (Request.Status) throws(DecodeError) -> Answer
    ) {
        inquiry = ConfigurationInquiry(asking: request, answerSize: answerSize) { status throws(DecodeError) in
            _ = try answer(status)
        }
        read = { try? answer(Request.Status(parameters: $0)) }
    }

    /// A question to another model. It and its answer fit one PDU each, and an AppKey secures them.
    init<Request: AcknowledgedMessage>(
        _ request: Request,
        under key: AppKeyIndex,
        _ answer: @escaping (Request.Status) -> Answer
    ) {
        inquiry = ConfigurationInquiry(asking: request, under: key)
        read = { (try? Request.Status(parameters: $0)).map(answer) }
    }

    /// The node's answer; nil if what the node said cannot be the answer.
    func answer(_ verdict: ConfigurationVerdict) -> Answer? {
        guard case .told(let parameters) = verdict else { return nil }
        return read(parameters[...])
    }

    /// The same request for an action.
    func inquiry(_ verdict: @escaping (Answer) -> ConfigurationVerdict) -> ConfigurationInquiry {
        inquiry.mapped { told in answer(told).map(verdict) ?? told }
    }
}

extension Question where Answer == Void {
    /// A question that only asks for any answer.
    init(_ request: some ConfigurationRequest) {
        self.init(request) { _ in }
    }

    /// Asks whether a node answers anything at all: any status is an answer. The request differs from the one that
    /// reads back the action.
    init(whetherThere action: ConfigurationAction) {
        var inquiry =
            if case .setDefaultTTL = action {
                ConfigurationInquiry(asking: ConfigBeaconGet()) { _ in }
            } else {
                ConfigurationInquiry(asking: ConfigDefaultTTLGet()) { _ in }
            }
        inquiry.otherAnswer = .told([])
        self.inquiry = inquiry
        read = { _ in () }
    }
}
