/// The layout of Subscription Add, Delete and Overwrite: ElementAddress (2), Address (2), ModelIdentifier (2 or 4).
package protocol ModelSubscriptionRequest: ModelMessage, ConfigurationRequest, FieldMessage
where Status == ConfigModelSubscriptionStatus {
    /// A group other than all-nodes. Other addresses are accepted here, since nodes answer them with
    /// ``ConfigStatusCode/invalidAddress``.
    var address: Address { get }

    /// The request with those fields.
    init(elementAddress: UnicastAddress, address: Address, model: ModelIdentifier)
}

extension ModelSubscriptionRequest {
    /// Reads six or eight octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(
            elementAddress: try UnicastAddress(reading: &reader),
            address: try Address(reading: &reader),
            model: try ModelIdentifier(reading: &reader)
        )
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

/// The layout of Subscription Virtual Address Add, Delete and Overwrite: ElementAddress (2), Label (16),
/// ModelIdentifier (2 or 4).
package protocol ModelSubscriptionVirtualAddressRequest: ModelMessage, ConfigurationRequest, FieldMessage
where Status == ConfigModelSubscriptionStatus {
    /// The label of the virtual address.
    var label: LabelUUID { get }

    /// The request with those fields.
    init(elementAddress: UnicastAddress, label: LabelUUID, model: ModelIdentifier)
}

extension ModelSubscriptionVirtualAddressRequest {
    /// Reads 20 or 22 octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(
            elementAddress: try UnicastAddress(reading: &reader),
            label: try LabelUUID(reading: &reader),
            model: try ModelIdentifier(reading: &reader)
        )
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
package struct ConfigModelSubscriptionAdd: ModelSubscriptionRequest {
    package static let opcode: Opcode = 0x801B
    package var elementAddress: UnicastAddress
    /// A group other than all-nodes.
    package var address: Address
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, address: Address, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.address = address
        self.model = model
    }
}

/// Config Model Subscription Virtual Address Add (Mesh Protocol 4.3.2.20).
package struct ConfigModelSubscriptionVirtualAddressAdd: ModelSubscriptionVirtualAddressRequest {
    package static let opcode: Opcode = 0x8020
    package var elementAddress: UnicastAddress
    /// The label of the virtual address.
    package var label: LabelUUID
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, label: LabelUUID, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.label = label
        self.model = model
    }
}

/// Config Model Subscription Delete (Mesh Protocol 4.3.2.21).
package struct ConfigModelSubscriptionDelete: ModelSubscriptionRequest {
    package static let opcode: Opcode = 0x801C
    package var elementAddress: UnicastAddress
    /// A group other than all-nodes.
    package var address: Address
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, address: Address, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.address = address
        self.model = model
    }
}

/// Config Model Subscription Virtual Address Delete (Mesh Protocol 4.3.2.22).
package struct ConfigModelSubscriptionVirtualAddressDelete: ModelSubscriptionVirtualAddressRequest {
    package static let opcode: Opcode = 0x8021
    package var elementAddress: UnicastAddress
    /// The label of the virtual address.
    package var label: LabelUUID
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, label: LabelUUID, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.label = label
        self.model = model
    }
}

/// Config Model Subscription Overwrite (Mesh Protocol 4.3.2.23): the address replaces the whole list.
package struct ConfigModelSubscriptionOverwrite: ModelSubscriptionRequest {
    package static let opcode: Opcode = 0x801E
    package var elementAddress: UnicastAddress
    /// A group other than all-nodes.
    package var address: Address
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, address: Address, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.address = address
        self.model = model
    }
}

/// Config Model Subscription Virtual Address Overwrite (Mesh Protocol 4.3.2.24): the label replaces the whole list.
package struct ConfigModelSubscriptionVirtualAddressOverwrite: ModelSubscriptionVirtualAddressRequest {
    package static let opcode: Opcode = 0x8022
    package var elementAddress: UnicastAddress
    /// The label of the virtual address.
    package var label: LabelUUID
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, label: LabelUUID, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.label = label
        self.model = model
    }
}

/// Config Model Subscription Delete All (Mesh Protocol 4.3.2.25): also ends subscriptions to virtual addresses.
package struct ConfigModelSubscriptionDeleteAll: ModelMessage, ConfigurationRequest, FieldMessage {
    package typealias Status = ConfigModelSubscriptionStatus
    package static let opcode: Opcode = 0x801D
    package var elementAddress: UnicastAddress
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.model = model
    }

    /// Reads four or six octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        elementAddress = try UnicastAddress(reading: &reader)
        model = try ModelIdentifier(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        elementAddress.write(to: &writer)
        model.write(to: &writer)
    }

    /// Whether the status is about the same model and names no address.
    package func isAnswered(by status: ConfigModelSubscriptionStatus) -> Bool {
        subject.matches(status.subject) && status.address == .unassigned
    }
}

/// Config Model Subscription Status (Mesh Protocol 4.3.2.26).
package struct ConfigModelSubscriptionStatus: ModelMessage, ConfigurationStatusMessage, FieldMessage {
    package static let opcode: Opcode = 0x801F
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

    /// Reads seven or nine octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        elementAddress = try UnicastAddress(reading: &reader)
        address = try Address(reading: &reader)
        model = try ModelIdentifier(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        elementAddress.write(to: &writer)
        address.write(to: &writer)
        model.write(to: &writer)
    }

    fileprivate func concerns(_ requested: Address) -> Bool {
        address == requested || status != .success && address == .unassigned
    }
}
