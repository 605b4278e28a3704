/// A message between Configuration Client and Configuration Server (Mesh Protocol 4.3.2). The node's DeviceKey secures
/// it, and it goes to the node's primary element or comes from it.
package protocol ConfigurationMessage: AccessMessage {
    /// What the message is about, as far as a request and its answer both name it.
    var subject: ConfigurationSubject { get }
}

extension ConfigurationMessage {
    /// The whole node.
    package var subject: ConfigurationSubject { ConfigurationSubject() }
}

/// What a request and its answer name on a node; nil for parts that they do not name.
package struct ConfigurationSubject: Hashable, Sendable {
    package var netKeyIndex: NetKeyIndex?
    package var appKeyIndex: AppKeyIndex?
    /// An element, or a Low Power node.
    package var elementAddress: UnicastAddress?
    package var model: ModelIdentifier?
}

/// A Configuration message that asks for an answer.
package protocol ConfigurationRequest: ConfigurationMessage, AcknowledgedMessage where Status: ConfigurationMessage {}

extension ConfigurationRequest {
    package func isAnswered(by status: Status) -> Bool {
        subject.matches(status.subject)
    }
}

extension ConfigurationSubject {
    /// Whether a status with that subject is about this one, even if it names company and model in the wrong order.
    package func matches(_ reported: ConfigurationSubject) -> Bool {
        reported == self || isExchanged(in: reported)
    }

    /// Whether a status names the same vendor model with company and model exchanged, as BTstack does in every status.
    package func isExchanged(in reported: ConfigurationSubject) -> Bool {
        guard reported != self, let model = reported.model?.exchanged else { return false }
        var exchanged = reported
        exchanged.model = model
        return exchanged == self
    }
}

extension ModelIdentifier {
    /// A vendor model with its two halves exchanged; nil for a SIG model.
    package var exchanged: ModelIdentifier? { company.map { .vendor(company: model, model: $0) } }
}

/// An answer that tells whether the node carried the request out.
package protocol ConfigurationStatusMessage: ConfigurationMessage {
    /// The outcome; the other fields are valid only on success.
    var status: ConfigStatusCode { get }
}
