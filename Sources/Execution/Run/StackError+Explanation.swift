import MeshCore

extension StackError {
    /// A sentence without a full stop.
    var explanation: String {
        if case .sequenceNumbers(let reason) = self { reason.explanation } else { "\(self)" }
    }
}

extension SequenceNumberError {
    /// A sentence without a full stop.
    var explanation: String {
        switch self {
        case .exhausted(let source): "all sequence numbers of \(source) under this IV index are used"
        case .notDurable(let reason): "sequence numbers cannot be reserved: \(reason)"
        case .ivIndexWentBack(let source, let reached):
            "sequence numbers of \(source) were used under IV index \(reached) before; the database is an old copy"
        }
    }
}
