/// Config SIG Model App Get (Mesh Protocol 4.3.2.49).
package struct ConfigSIGModelAppGet: ModelListGet {
    package typealias Status = ConfigSIGModelAppList
    package static let opcode: Opcode = 0x804B
    package var elementAddress: UnicastAddress
    package var listedModel: SIGModelIdentifier

    package init(elementAddress: UnicastAddress, listedModel: SIGModelIdentifier) {
        self.elementAddress = elementAddress
        self.listedModel = listedModel
    }
}

/// Config SIG Model App List (Mesh Protocol 4.3.2.50).
package struct ConfigSIGModelAppList: ModelAppList {
    package static let opcode: Opcode = 0x804C
    package var status: ConfigStatusCode
    package var elementAddress: UnicastAddress
    package var listedModel: SIGModelIdentifier
    /// The AppKeys bound to the model.
    package var entries: [AppKeyIndex]

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
    package typealias Status = ConfigVendorModelAppList
    package static let opcode: Opcode = 0x804D
    package var elementAddress: UnicastAddress
    package var listedModel: VendorModelIdentifier

    package init(elementAddress: UnicastAddress, listedModel: VendorModelIdentifier) {
        self.elementAddress = elementAddress
        self.listedModel = listedModel
    }
}

/// Config Vendor Model App List (Mesh Protocol 4.3.2.52).
package struct ConfigVendorModelAppList: ModelAppList {
    package static let opcode: Opcode = 0x804E
    package var status: ConfigStatusCode
    package var elementAddress: UnicastAddress
    package var listedModel: VendorModelIdentifier
    /// The AppKeys bound to the model.
    package var entries: [AppKeyIndex]

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
