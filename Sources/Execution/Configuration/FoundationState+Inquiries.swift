import MeshCore
import Planning

/// The messages about a state of the foundation models, for all states in the same way.
extension FoundationState {
    /// The Set of a state, whose status contains the value that holds afterwards.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` for a value that cannot be set.
    func setInquiry() throws(StepFailure) -> ConfigurationInquiry {
        guard let request = set else {
            throw .unmakeable("\(kind.title) cannot be set to what is known of it: \(text())")
        }
        return inquiry(request) { report in
            explains(report) ? .holds(.set(completed(by: report))) : .differs(words(of: report))
        }
    }

    /// The Get of a state, which tells whether it has the value.
    func readBackInquiry() -> ConfigurationInquiry {
        inquiry(kind.get) { report in
            explains(report) ? .holds(.set(completed(by: report))) : .doesNotHold
        }
    }

    private func inquiry(
        _ request: some FoundationStateRequest,
        _ verdict: @escaping (FoundationState) -> ConfigurationVerdict
    ) -> ConfigurationInquiry {
        ConfigurationInquiry(request) { status in
            let report = status.foundationState
            if report.isNotSupported || status.outcome == .featureNotSupported { return .featureNotSupported }
            return status.outcome == .success ? verdict(report) : .refused(status.outcome)
        }
    }

    private func words(of report: FoundationState) -> String {
        let words = "\(report.kind.title): \(report.text())"
        guard self == .privateGATTProxy(.enabled) else { return words }
        return words + " (it stays off while the GATT proxy is on)"
    }
}
