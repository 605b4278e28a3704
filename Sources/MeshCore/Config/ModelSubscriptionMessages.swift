/// What a request does to the subscriptions of a model.
package protocol SubscriptionChange: Hashable, Sendable {
    /// The opcode of the request with an address and of that with the label of a virtual address.
    static var opcodes: (address: Opcode, label: Opcode) { get }
}

/// Adds an address to the list (Mesh Protocol 4.3.2.19 and 4.3.2.20).
package enum SubscriptionAdd: SubscriptionChange {
    package static let opcodes: (address: Opcode, label: Opcode) = (0x801B, 0x8020)
}

/// Deletes an address from the list (Mesh Protocol 4.3.2.21 and 4.3.2.22).
package enum SubscriptionDelete: SubscriptionChange {
    package static let opcodes: (address: Opcode, label: Opcode) = (0x801C, 0x8021)
}

/// Replaces the whole list by an address (Mesh Protocol 4.3.2.23 and 4.3.2.24).
package enum SubscriptionOverwrite: SubscriptionChange {
    package static let opcodes: (address: Opcode, label: Opcode) = (0x801E, 0x8022)
}

/// Changes the subscriptions of a model: ElementAddress (2), Address (2), ModelIdentifier (2 or 4).
package struct ModelSubscriptionRequest<Change: SubscriptionChange>: ModelMessage, ConfigurationRequest, FieldMessage {
    package typealias Status = ConfigModelSubscriptionStatus
    package static var opcode: Opcode { Change.opcodes.address }
    package static var notation: String { "element:address address:address model:model" }
    package var elementAddress: UnicastAddress
    /// A group other than all-nodes. Other addresses are accepted here, since nodes answer them with
    /// ``ConfigStatusCode/invalidAddress``.
    package var address: Address
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, address: Address, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.address = address
        self.model = model
    }

    /// Reads six or eight octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        elementAddress = try UnicastAddress(reading: &reader)
        address = try Address(reading: &reader)
        model = try ModelIdentifier(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        elementAddress.write(to: &writer)
        address.write(to: &writer)
        model.write(to: &writer)
    }

    /// Whether the status is about the same model and address. Some nodes leave the address out of a refusal.
    package func isAnswered(by status: ConfigModelSubscriptionStatus) -> Bool {
        subject.matches(status.subject) && status.concerns(address)
    }
}

/// A request to change the subscriptions of a model that names a virtual address by its label.
package protocol ModelSubscriptionVirtualAddressRequest: ModelMessage, ConfigurationRequest
where Status == ConfigModelSubscriptionStatus {
    var label: LabelUUID { get }
}

/// Changes the subscriptions of a model: ElementAddress (2), Label (16), ModelIdentifier (2 or 4).
package struct LabelledSubscriptionRequest<Change: SubscriptionChange>: ModelSubscriptionVirtualAddressRequest,
    FieldMessage
{
    package typealias Status = ConfigModelSubscriptionStatus
    package static var opcode: Opcode { Change.opcodes.label }
    package static var notation: String { "element:address label:uuid model:model" }
    package var elementAddress: UnicastAddress
    package var label: LabelUUID
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, label: LabelUUID, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.label = label
        self.model = model
    }

    /// Reads 20 or 22 octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        elementAddress = try UnicastAddress(reading: &reader)
        label = try LabelUUID(reading: &reader)
        model = try ModelIdentifier(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        elementAddress.write(to: &writer)
        label.write(to: &writer)
        model.write(to: &writer)
    }

    /// Whether the status is about the same model and the label's virtual address. Some nodes leave the address out of
    /// a refusal.
    package func isAnswered(by status: ConfigModelSubscriptionStatus) -> Bool {
        subject.matches(status.subject) && status.concerns(label.virtualAddress)
    }
}

/// Config Model Subscription Add (Mesh Protocol 4.3.2.19).
package typealias ConfigModelSubscriptionAdd = ModelSubscriptionRequest<SubscriptionAdd>
/// Config Model Subscription Virtual Address Add (Mesh Protocol 4.3.2.20).
package typealias ConfigModelSubscriptionVirtualAddressAdd = LabelledSubscriptionRequest<SubscriptionAdd>
/// Config Model Subscription Delete (Mesh Protocol 4.3.2.21).
package typealias ConfigModelSubscriptionDelete = ModelSubscriptionRequest<SubscriptionDelete>
/// Config Model Subscription Virtual Address Delete (Mesh Protocol 4.3.2.22).
package typealias ConfigModelSubscriptionVirtualAddressDelete = LabelledSubscriptionRequest<SubscriptionDelete>
/// Config Model Subscription Overwrite (Mesh Protocol 4.3.2.23).
package typealias ConfigModelSubscriptionOverwrite = ModelSubscriptionRequest<SubscriptionOverwrite>
/// Config Model Subscription Virtual Address Overwrite (Mesh Protocol 4.3.2.24).
package typealias ConfigModelSubscriptionVirtualAddressOverwrite = LabelledSubscriptionRequest<SubscriptionOverwrite>

/// Config Model Subscription Delete All (Mesh Protocol 4.3.2.25): also ends subscriptions to virtual addresses.
package struct ConfigModelSubscriptionDeleteAll: ModelMessage, ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigModelSubscriptionStatus
    package static let opcode: Opcode = 0x801D
    package static let layout = Layout(Self.init, .field("element", \.elementAddress), .field("model", \.model))
    package var elementAddress: UnicastAddress
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.model = model
    }

    /// Whether the status is about the same model and names no address.
    package func isAnswered(by status: ConfigModelSubscriptionStatus) -> Bool {
        subject.matches(status.subject) && status.address == .unassigned
    }
}

/// Config Model Subscription Status (Mesh Protocol 4.3.2.26).
package struct ConfigModelSubscriptionStatus: ModelMessage, ConfigurationStatusMessage, FoundationMessage {
    package static let opcode: Opcode = 0x801F
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("element", \.elementAddress),
        .field("address", \.address),
        .field("model", \.model)
    )
    package var status: ConfigStatusCode
    package var elementAddress: UnicastAddress
    /// The address of the request; for a label its virtual address, unassigned after Delete All.
    package var address: Address
    package var model: ModelIdentifier

    package init(
        status: ConfigStatusCode,
        elementAddress: UnicastAddress,
        address: Address,
        model: ModelIdentifier
    ) {
        self.status = status
        self.elementAddress = elementAddress
        self.address = address
        self.model = model
    }

    fileprivate func concerns(_ requested: Address) -> Bool {
        address == requested || status != .success && address == .unassigned
    }
}
