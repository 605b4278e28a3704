/// The addresses a model is subscribed to.
package protocol ModelSubscriptionList: ModelList where Entry == Address {}

extension ModelSubscriptionList {
    /// Reads addresses of two octets each; only groups and virtual addresses can be subscribed to.
    package static func readEntries(from reader: inout ByteReader) throws(DecodeError) -> [Address] {
        var addresses: [Address] = []
        addresses.reserveCapacity(reader.remaining / 2)
        while !reader.isAtEnd {
            let address = try Address(reading: &reader)
            guard address.kind == .group || address.kind == .virtual else {
                throw .prohibited(field: "subscription address", value: UInt64(address.rawValue))
            }
            addresses.append(address)
        }
        return addresses
    }

    /// Appends two octets an address.
    package static func write(_ entries: [Address], to writer: inout ByteWriter) {
        for address in entries { address.write(to: &writer) }
    }
}

/// Config SIG Model Subscription Get (Mesh Protocol 4.3.2.27).
package struct ConfigSIGModelSubscriptionGet: ModelListGet {
    /// The message that answers it.
    package typealias Status = ConfigSIGModelSubscriptionList
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8029
    /// The address of the element.
    package var elementAddress: UnicastAddress
    /// The model.
    package var listedModel: SIGModelIdentifier

    /// Asks for the Subscription List of the model.
    package init(elementAddress: UnicastAddress, listedModel: SIGModelIdentifier) {
        self.elementAddress = elementAddress
        self.listedModel = listedModel
    }
}

/// Config SIG Model Subscription List (Mesh Protocol 4.3.2.28).
package struct ConfigSIGModelSubscriptionList: ModelSubscriptionList {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x802A
    /// The outcome.
    package var status: ConfigStatusCode
    /// The address of the element.
    package var elementAddress: UnicastAddress
    /// The model.
    package var listedModel: SIGModelIdentifier
    /// Groups, and virtual addresses without their labels.
    package var entries: [Address]

    /// A list.
    package init(
        status: ConfigStatusCode,
        elementAddress: UnicastAddress,
        listedModel: SIGModelIdentifier,
        entries: [Address]
    ) {
        self.status = status
        self.elementAddress = elementAddress
        self.listedModel = listedModel
        self.entries = entries
    }
}

/// Config Vendor Model Subscription Get (Mesh Protocol 4.3.2.29).
package struct ConfigVendorModelSubscriptionGet: ModelListGet {
    /// The message that answers it.
    package typealias Status = ConfigVendorModelSubscriptionList
    /// In front of the parameters.
    package static let opcode: Opcode = 0x802B
    /// The address of the element.
    package var elementAddress: UnicastAddress
    /// The model.
    package var listedModel: VendorModelIdentifier

    /// Asks for the Subscription List of the model.
    package init(elementAddress: UnicastAddress, listedModel: VendorModelIdentifier) {
        self.elementAddress = elementAddress
        self.listedModel = listedModel
    }
}

/// Config Vendor Model Subscription List (Mesh Protocol 4.3.2.30).
package struct ConfigVendorModelSubscriptionList: ModelSubscriptionList {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x802C
    /// The outcome.
    package var status: ConfigStatusCode
    /// The address of the element.
    package var elementAddress: UnicastAddress
    /// The model.
    package var listedModel: VendorModelIdentifier
    /// Groups, and virtual addresses without their labels.
    package var entries: [Address]

    /// A list.
    package init(
        status: ConfigStatusCode,
        elementAddress: UnicastAddress,
        listedModel: VendorModelIdentifier,
        entries: [Address]
    ) {
        self.status = status
        self.elementAddress = elementAddress
        self.listedModel = listedModel
        self.entries = entries
    }
}
