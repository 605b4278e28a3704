/// Config Model Publication Get (Mesh Protocol 4.3.2.15).
package struct ConfigModelPublicationGet: ModelMessage, ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigModelPublicationStatus
    package static let opcode: Opcode = 0x8018
    package static let layout = Layout(Self.init, .field("element", \.elementAddress), .field("model", \.model))
    package var elementAddress: UnicastAddress
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.model = model
    }
}

/// Config Model Publication Set (Mesh Protocol 4.3.2.16).
package struct ConfigModelPublicationSet: ModelMessage, ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigModelPublicationStatus
    package static let opcode: Opcode = 0x03
    package static let layout = Layout(
        Self.init(elementAddress:publishAddress:settings:model:),
        .field("element", \.elementAddress),
        .field("publish_address", \.publishAddress),
        .field("publish", \.settings),
        .field("model", \.model)
    )
    package var elementAddress: UnicastAddress
    /// A unicast or group address, or unassigned to stop publishing. Virtual addresses have a message of their own;
    /// they are accepted here, since nodes answer them with ``ConfigStatusCode/invalidAddress``.
    package var publishAddress: Address
    /// How the model publishes; without meaning for the unassigned address.
    package var settings: PublicationSettings
    package var model: ModelIdentifier

    package init(
        elementAddress: UnicastAddress,
        publishAddress: Address,
        settings: PublicationSettings,
        model: ModelIdentifier
    ) {
        self.elementAddress = elementAddress
        self.publishAddress = publishAddress
        self.settings = settings
        self.model = model
    }

    package init(disabling model: ModelIdentifier, elementAddress: UnicastAddress) {
        self.init(
            elementAddress: elementAddress,
            publishAddress: .unassigned,
            settings: .disabled,
            model: model
        )
    }

    /// Whether the status is about the same model and, on success, the address.
    package func isAnswered(by status: ConfigModelPublicationStatus) -> Bool {
        subject.matches(status.subject) && (status.status != .success || status.publishAddress == publishAddress)
    }
}

/// Config Model Publication Virtual Address Set (Mesh Protocol 4.3.2.17).
package struct ConfigModelPublicationVirtualAddressSet: ModelMessage, ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigModelPublicationStatus
    package static let opcode: Opcode = 0x801A
    package static let layout = Layout(
        Self.init,
        .field("element", \.elementAddress),
        .field("label", \.label),
        .field("publish", \.settings),
        .field("model", \.model)
    )
    package var elementAddress: UnicastAddress
    package var label: LabelUUID
    package var settings: PublicationSettings
    package var model: ModelIdentifier

    package init(
        elementAddress: UnicastAddress,
        label: LabelUUID,
        settings: PublicationSettings,
        model: ModelIdentifier
    ) {
        self.elementAddress = elementAddress
        self.label = label
        self.settings = settings
        self.model = model
    }

    /// Whether the status is about the same model and, on success, the label's virtual address.
    package func isAnswered(by status: ConfigModelPublicationStatus) -> Bool {
        subject.matches(status.subject)
            && (status.status != .success || status.publishAddress == label.virtualAddress)
    }
}

/// Config Model Publication Status (Mesh Protocol 4.3.2.18).
package struct ConfigModelPublicationStatus: ModelMessage, ConfigurationStatusMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8019
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("element", \.elementAddress),
        .field("publish_address", \.publishAddress),
        .field("publish", \.settings),
        .field("model", \.model)
    )
    package var status: ConfigStatusCode
    package var elementAddress: UnicastAddress
    /// Where the model publishes to; for a label its virtual address, unassigned if the model does not publish.
    package var publishAddress: Address
    package var settings: PublicationSettings
    package var model: ModelIdentifier

    package init(
        status: ConfigStatusCode,
        elementAddress: UnicastAddress,
        publishAddress: Address,
        settings: PublicationSettings,
        model: ModelIdentifier
    ) {
        self.status = status
        self.elementAddress = elementAddress
        self.publishAddress = publishAddress
        self.settings = settings
        self.model = model
    }
}
