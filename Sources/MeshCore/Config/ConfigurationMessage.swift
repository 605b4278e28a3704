/// A message between Configuration Client and Configuration Server (Mesh Protocol 4.3.2), always secured with the
/// node's DeviceKey and addressed to its primary element.
package protocol ConfigurationMessage: AccessMessage {
    /// What the message is about, as far as requests and their answers both say so.
    var subject: ConfigurationSubject { get }
}

extension ConfigurationMessage {
    /// The node as a whole.
    package var subject: ConfigurationSubject { ConfigurationSubject() }
}

/// The thing on a node that a request and its answer name; parts that the messages do not name are nil.
package struct ConfigurationSubject: Hashable, Sendable {
    /// A NetKey.
    package var netKeyIndex: NetKeyIndex?
    /// An AppKey.
    package var appKeyIndex: AppKeyIndex?
    /// An element, or a Low Power node.
    package var elementAddress: UnicastAddress?
    /// A model on the element.
    package var model: ModelIdentifier?

    package init(
        netKeyIndex: NetKeyIndex? = nil,
        appKeyIndex: AppKeyIndex? = nil,
        elementAddress: UnicastAddress? = nil,
        model: ModelIdentifier? = nil
    ) {
        self.netKeyIndex = netKeyIndex
        self.appKeyIndex = appKeyIndex
        self.elementAddress = elementAddress
        self.model = model
    }
}

/// A Configuration message that asks for an answer.
package protocol ConfigurationRequest: ConfigurationMessage, AcknowledgedMessage where Status: ConfigurationMessage {}

extension ConfigurationRequest {
    package func isAnswered(by status: Status) -> Bool {
        subject.isMeant(by: status.subject)
    }
}

extension ConfigurationSubject {
    /// Whether a status with that subject is about this one, in order or with company and model exchanged.
    package func isMeant(by reported: ConfigurationSubject) -> Bool {
        reported == self || isExchanged(in: reported)
    }

    /// Whether a status names the same vendor model with company and model exchanged, as BTstack does in all that it
    /// says.
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

/// An answer that says whether the request was carried out.
package protocol ConfigurationStatusMessage: ConfigurationMessage {
    /// The outcome; other fields mean something only on success.
    var status: ConfigStatusCode { get }
}

/// A request that is about a NetKey and has no other field.
package protocol NetKeyIndexMessage: ConfigurationMessage, FieldMessage {
    /// Which NetKey.
    var netKeyIndex: NetKeyIndex { get }

    /// The message about that NetKey.
    init(netKeyIndex: NetKeyIndex)
}

extension NetKeyIndexMessage {
    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(netKeyIndex: try NetKeyIndex(reading: &reader))
    }

    package func write(to writer: inout ByteWriter) {
        netKeyIndex.write(to: &writer)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}
