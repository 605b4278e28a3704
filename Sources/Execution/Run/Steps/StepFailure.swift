package import MeshCore
package import Planning

/// Why a step failed although its node answered, or before it could be tried.
package enum StepFailure: Error, Hashable, Sendable {
    /// The node answered with a status other than success.
    case refused(ConfigStatusCode)
    /// The node says that it does not have the feature.
    case featureNotSupported
    /// The node answered, and reports another value than the requested one.
    case differs(String)
    /// The node reports something about itself that cannot be; words for people, after "the node reports".
    case contradicts(String)
    /// The node's answer cannot be an answer, so that its state is unknown.
    case odd(OddAnswer)
    /// The request was sent several times, and each read-back says that it has not taken effect.
    case withoutEffect(rounds: Int)
    /// The node answers, but neither the request nor the question about its outcome.
    case notKnown
    /// The node has answered that it was reset, and still answers as the node that it was.
    case stillNode
    /// The node is in a key refresh of the subnet with a new NetKey other than ours.
    case otherNewKey
    /// The database lacks something that the message needs.
    case unmakeable(String)
    /// A key could not be read or made.
    case keyUnavailable(String)
    /// A device has not become a node.
    case provisioning(ProvisioningProblem)

    /// What happened, in one sentence.
    package var meaning: String {
        switch self {
        case .refused(let status): status.meaning
        case .featureNotSupported: ConfigStatusCode.featureNotSupported.meaning
        case .differs(let report), .contradicts(let report): "The node reports \(report)."
        case .odd(let answer): "It is not known what the node has: \(answer)."
        case .withoutEffect(let rounds): "The node was asked \(rounds) times and reads back the old value each time."
        case .notKnown:
            "The node answers, but not to this: whether it has taken effect is not known."
        case .stillNode: "The node says that it was reset, and goes on as a node of the network."
        case .otherNewKey: "The node has got another new key of the subnet, which another tool gave it."
        case .unmakeable(let missing), .keyUnavailable(let missing): "\(missing)."
        case .provisioning(let problem): "\(problem)."
        }
    }

    /// What helps, in one sentence.
    package var advice: Advice {
        switch self {
        case .refused(.keyIndexAlreadyStored):
            """
            Another key value is stored under that index; if the node came from another network or tool, delete the key \
            from the node or reset the node, then apply again.
            """
        case .refused(let status): Advice(status.advice)
        case .featureNotSupported: Advice(ConfigStatusCode.featureNotSupported.advice)
        case .differs: "Plan again; if the node keeps changing the value, leave the setting out of the definition."
        case .odd:
            "Apply again; if the answer stays the same, leave the setting out of the definition or ask the maker of the node."
        case .contradicts: "Reset the node by hand, then apply again: it is provisioned anew then."
        case .withoutEffect: "Move closer or use another proxy, then apply again; long messages get lost first."
        case .notKnown:
            """
            Apply again; if the node never answers to this, take it out of the definition and set it with the vendor's \
            tool.
            """
        case .stillNode:
            """
            Switch it off and on, then apply again; or reset it by hand, then tell it with: \(command: .recordReset()).
            """
        case .otherNewKey:
            """
            Have the tool that began that key refresh finish it and import its database, or reset the node, then refresh \
            again; \(command: .exclude()) goes on without the node.
            """
        case .unmakeable: "Plan again from the present database."
        case .provisioning(let problem): problem.advice.asSentence
        case .keyUnavailable: "Make the key's file or environment variable available, then apply again."
        }
    }
}

extension StepFailure: CustomStringConvertible {
    /// The name and number of the status if there is one, then the meaning.
    package var description: String {
        if case .refused(let status) = self { return "\(status): \(status.meaning)" }
        return meaning
    }
}
