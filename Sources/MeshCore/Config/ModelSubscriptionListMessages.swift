/// The addresses that a model subscribes to.
package protocol ModelSubscriptionList: ModelList where Entry == Address {}

extension ModelSubscriptionList {
    /// Reads addresses of two octets each; only group and virtual addresses are allowed.
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

    /// Appends two octets for each address.
    package static func write(_ entries: [Address], to writer: inout ByteWriter) {
        for address in entries { address.write(to: &writer) }
    }
}

/// Config SIG Model Subscription Get (Mesh Protocol 4.3.2.27).
package struct ConfigSIGModelSubscriptionGet: ModelListGet {
    package typealias Status = ConfigSIGModelSubscriptionList
    package static let opcode: Opcode = 0x8029
    package var elementAddress: UnicastAddress
    package var listedModel: SIGModelIdentifier

    package init(elementAddress: UnicastAddress, listedModel: SIGModelIdentifier) {
        self.elementAddress = elementAddress
        self.listedModel = listedModel
    }
}

/// Config SIG Model Subscription List (Mesh Protocol 4.3.2.28).
package struct ConfigSIGModelSubscriptionList: ModelSubscriptionList {
    package static let opcode: Opcode = 0x802A
    package var status: ConfigStatusCode
    package var elementAddress: UnicastAddress
    package var listedModel: SIGModelIdentifier
    /// Groups, and virtual addresses without their labels.
    package var entries: [Address]

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
    package typealias Status = ConfigVendorModelSubscriptionList
    package static let opcode: Opcode = 0x802B
    package var elementAddress: UnicastAddress
    package var listedModel: VendorModelIdentifier

    package init(elementAddress: UnicastAddress, listedModel: VendorModelIdentifier) {
        self.elementAddress = elementAddress
        self.listedModel = listedModel
    }
}

/// Config Vendor Model Subscription List (Mesh Protocol 4.3.2.30).
package struct ConfigVendorModelSubscriptionList: ModelSubscriptionList {
    package static let opcode: Opcode = 0x802C
    package var status: ConfigStatusCode
    package var elementAddress: UnicastAddress
    package var listedModel: VendorModelIdentifier
    /// Groups, and virtual addresses without their labels.
    package var entries: [Address]

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
