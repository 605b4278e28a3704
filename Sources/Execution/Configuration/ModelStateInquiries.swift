import DefinitionModel
import MeshCore
import Planning

/// The messages about the state of a model, for all states in the same way: only octets are compared.
extension ModelStateSet {
    /// The Set, whose status shows the value that holds afterwards.
    func setInquiry() -> ConfigurationInquiry {
        inquiry(state.setPayload, under: key) { status in
            var answered = self
            answered.status = status
            let report = "`\(state.form.name)` \(state.form.text(of: status))"
            return .differs(report, told: .setModelState(answered))
        }
    }

    /// The Get, which tells whether the state has the value.
    func readBackInquiry() -> ConfigurationInquiry {
        inquiry(state.form.getPayload, under: readingKey) { _ in .doesNotHold }
    }

    private func inquiry(
        _ payload: [UInt8],
        under key: AppKeyIndex,
        otherwise: @escaping ([UInt8]) -> ConfigurationVerdict
    ) -> ConfigurationInquiry {
        ConfigurationInquiry(payload, about: state.form, on: model.element, under: key) { status in
            guard state.isShown(by: status) else { return otherwise(status) }
            var answered = self
            answered.status = status
            return .holds(.setModelState(answered))
        }
    }
}
