/// Config SIG Model App Get (Mesh Protocol 4.3.2.49).
package struct ConfigSIGModelAppGet: ModelListGet {
    /// The message that answers it.
    package typealias Status = ConfigSIGModelAppList
    /// In front of the parameters.
    package static let opcode: Opcode = 0x804B
    /// The address of the element.
    package var elementAddress: UnicastAddress
    /// The model.
    package var listedModel: SIGModelIdentifier

    /// Asks for the bindings of the model.
    package init(elementAddress: UnicastAddress, listedModel: SIGModelIdentifier) {
        self.elementAddress = elementAddress
        self.listedModel = listedModel
    }
}

/// Config SIG Model App List (Mesh Protocol 4.3.2.50).
package struct ConfigSIGModelAppList: ModelAppList {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x804C
    /// The outcome.
    package var status: ConfigStatusCode
    /// The address of the element.
    package var elementAddress: UnicastAddress
    /// The model.
    package var listedModel: SIGModelIdentifier
    /// The AppKeys bound to the model.
    package var entries: [AppKeyIndex]

    /// A list.
    package init(
        status: ConfigStatusCode,
        elementAddress: UnicastAddress,
        listedModel: SIGModelIdentifier,
        entries: [AppKeyIndex]
    ) {
        self.status = status
        self.elementAddress = elementAddress
        self.listedModel = listedModel
        self.entries = entries
    }
}

/// Config Vendor Model App Get (Mesh Protocol 4.3.2.51).
package struct ConfigVendorModelAppGet: ModelListGet {
    /// The message that answers it.
    package typealias Status = ConfigVendorModelAppList
    /// In front of the parameters.
    package static let opcode: Opcode = 0x804D
    /// The address of the element.
    package var elementAddress: UnicastAddress
    /// The model.
    package var listedModel: VendorModelIdentifier

    /// Asks for the bindings of the model.
    package init(elementAddress: UnicastAddress, listedModel: VendorModelIdentifier) {
        self.elementAddress = elementAddress
        self.listedModel = listedModel
    }
}

/// Config Vendor Model App List (Mesh Protocol 4.3.2.52).
package struct ConfigVendorModelAppList: ModelAppList {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x804E
    /// The outcome.
    package var status: ConfigStatusCode
    /// The address of the element.
    package var elementAddress: UnicastAddress
    /// The model.
    package var listedModel: VendorModelIdentifier
    /// The AppKeys bound to the model.
    package var entries: [AppKeyIndex]

    /// A list.
    package init(
        status: ConfigStatusCode,
        elementAddress: UnicastAddress,
        listedModel: VendorModelIdentifier,
        entries: [AppKeyIndex]
    ) {
        self.status = status
        self.elementAddress = elementAddress
        self.listedModel = listedModel
        self.entries = entries
    }
}
