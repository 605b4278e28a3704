import DefinitionModel
import MeshCore
import Planning

/// The messages about the state of a model, for all states in the same way: only octets are compared.
extension ModelStateSet {
    /// The Set, whose status shows the value that holds afterwards.
    func setInquiry() -> ConfigurationInquiry {
        if let number = state.form.register { return registerInquiry(state.setPayload, number, under: key) }
        return inquiry(payload ?? state.setPayload, under: key) { status in
            var answered = self
            answered.status = status
            let report = "`\(state.form.name)` \(state.form.text(of: status))"
            // What was to be removed is still there, as recorded.
            return .differs(report, told: state.isRemoval ? nil : .setModelState(answered))
        }
    }

    /// The Get, which tells whether the state has the value.
    func readBackInquiry() -> ConfigurationInquiry {
        if let number = state.form.register {
            // What was stored last is current, as long as nothing has changed since.
            return registerInquiry(state.form.getPayload, number, under: readingKey, mustBeCurrent: !state.isRemoval)
        }
        return inquiry(state.form.getPayload, under: readingKey) { _ in .doesNotHold }
    }

    func briefInquiry() -> ConfigurationInquiry {
        ConfigurationInquiry(payload ?? state.setPayload, about: state.form, on: model.element, under: key) { status in
            guard state.isShown(by: status) else {
                return .differs("`\(state.form.name)` \(state.form.text(of: status))")
            }
            return .holds(.setBriefly(self))
        }
    }

    /// The Get, which tells whether the value holds at present.
    func briefReadBackInquiry() -> ConfigurationInquiry {
        ConfigurationInquiry(state.form.getPayload, about: state.form, on: model.element, under: readingKey) { status in
            state.isShown(by: status) ? .holds(.setBriefly(self)) : .doesNotHold
        }
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

    /// A message about an entry of a register, such as a scene. Its status shows which numbers there are, and nothing
    /// of what they stand for.
    private func registerInquiry(
        _ payload: [UInt8],
        _ number: UInt16,
        under key: AppKeyIndex,
        mustBeCurrent: Bool = false
    ) -> ConfigurationInquiry {
        let isSet = payload == state.setPayload
        return ConfigurationInquiry(payload, about: state.form, on: model.element, under: key) { status in
            guard let report = RegisterReport(status) else { return .odd(OddAnswer(.content("is no register"))) }
            let isThere = report.numbers.contains(number)
            let holds = isThere != state.isRemoval && (!mustBeCurrent || report.current == number)
            if holds, report.status == 0 {
                var answered = self
                answered.status = state.expected.octets
                return .holds(.setModelState(answered))
            }
            guard isSet else { return .doesNotHold }
            return .differs(
                report.status == 1
                    ? "that its register of scenes is full: it holds \(report.numbers.count)"
                    : "that scene \(number) \(isThere ? "is" : "is not") in its register"
            )
        }
    }
}

/// The messages about a value that is restored after a change for a moment.
extension HeldStateRequest {
    /// The Get, whose status is the value to restore.
    func readingInquiry() -> ConfigurationInquiry {
        ConfigurationInquiry(
            state.form.getPayload,
            about: state.form,
            on: state.model.element,
            under: readingKey
        ) { status in
            var answered = self
            answered.state.status = status
            return .holds(.holdState(answered))
        }
    }

    /// The Set of the value. Any status is an answer: what the node makes of the value is up to it, as it was before.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if the value is not known.
    func restoringInquiry() throws(StepFailure) -> ConfigurationInquiry {
        guard let payload = setPayload else {
            throw .unmakeable("the value of `\(state.form.name)` from before is not known")
        }
        return ConfigurationInquiry(payload, about: state.form, on: state.model.element, under: key) { _ in
            .holds(.restoreState(self))
        }
    }

    /// The Get, which tells whether the state has the value again.
    func restorationInquiry() -> ConfigurationInquiry {
        ConfigurationInquiry(
            state.form.getPayload,
            about: state.form,
            on: state.model.element,
            under: readingKey
        ) { status in
            isRestored(in: status) ? .holds(.restoreState(self)) : .doesNotHold
        }
    }
}

extension ConfigurationAction {
    /// The action with what is known only when it begins: the value to restore, the transaction, and the time.
    ///
    /// - Parameters:
    ///   - node: the node as recorded.
    ///   - step: the position of the step, which tells messages of one run apart.
    ///   - run: the number of the run, which together with the time tells messages of different runs apart.
    func begun(on node: Node, step: Int, of run: UInt64, at now: Timestamp) -> ConfigurationAction {
        // Messages with one transaction count as one for six seconds (Mesh Model 3.4.1.2), also those of another run.
        let transaction =
            UInt8(truncatingIfNeeded: step) &+ UInt8(truncatingIfNeeded: run) &* 101
            &+ UInt8(truncatingIfNeeded: now.rawValue) &* 37
        switch self {
        case .restoreState(var request):
            if let held = node.held(like: request.state) { request.state = held }
            request.transaction = transaction
            return .restoreState(request)
        case .setBriefly(var set):
            set.payload = set.payload(at: now, transaction: transaction)
            return .setBriefly(set)
        case .setModelState(var set) where set.state.form.register == nil:
            set.payload = set.payload(at: now, transaction: transaction)
            return .setModelState(set)
        default: return self
        }
    }
}
