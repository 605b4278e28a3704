import MeshCore
import Planning

/// What a node is asked that belongs to no action, and what its answer is to whoever asks.
struct Question<Answer> {
    /// The request.
    let inquiry: ConfigurationInquiry
    private let read: (ArraySlice<UInt8>) -> Answer?

    /// A question to the Configuration Server or another server under the DeviceKey.
    ///
    /// - Parameters:
    ///   - answerSize: octets of the longest usual answer, opcode included.
    ///   - answer: what a status says that is about the same thing as the request; what it throws makes it an odd answer.
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

    /// A question to another model: it and its answer fit one PDU each and are secured with an AppKey.
    init<Request: AcknowledgedMessage>(
        _ request: Request,
        under key: AppKeyIndex,
        _ answer: @escaping (Request.Status) -> Answer
    ) {
        inquiry = ConfigurationInquiry(asking: request, under: key)
        read = { (try? Request.Status(parameters: $0)).map(answer) }
    }

    /// What the node said; nil if that cannot be the answer.
    func answer(_ verdict: ConfigurationVerdict) -> Answer? {
        guard case .told(let parameters) = verdict else { return nil }
        return read(parameters[...])
    }

    /// The same request as one that belongs to an action.
    func inquiry(_ verdict: @escaping (Answer) -> ConfigurationVerdict) -> ConfigurationInquiry {
        inquiry.mapped { told in answer(told).map(verdict) ?? told }
    }
}

extension Question where Answer == Void {
    /// A question of which matters only whether it is answered.
    init(_ request: some ConfigurationRequest) {
        self.init(request) { _ in }
    }

    /// Asks whether a node answers anything at all: any status of it is an answer, and the request is another one than
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
