package import MeshCore

/// What a device is made as: the company and the product that its composition names (Mesh Protocol 4.2.2.1).
package struct ProductIdentifier: Hashable, Sendable {
    package var company: UInt16
    /// The product identifier, which the company assigns.
    package var product: UInt16

    package init(company: UInt16, product: UInt16) {
        self.company = company
        self.product = product
    }
}

/// A product as a file describes it that the definition names, so that much is known before there is a device of it.
package struct ProductDescription: Hashable, Sendable {
    package var name: Located<String>
    /// What its devices are made of.
    package var composition: Composition
    /// Whether models of it that extend each other share one subscription list; nil if the file does not say.
    package var sharesSubscriptionLists: Bool?
    /// Whether the file says that its devices know HMAC-SHA256; false as well if it does not say which algorithms.
    package var knowsHMAC: Bool

    package init(
        name: Located<String>,
        composition: Composition,
        sharesSubscriptionLists: Bool? = nil,
        knowsHMAC: Bool = false
    ) {
        self.name = name
        self.composition = composition
        self.sharesSubscriptionLists = sharesSubscriptionLists
        self.knowsHMAC = knowsHMAC
    }
}

extension ProductIdentifier: CustomStringConvertible {
    /// The text in definitions: `0x0059:0x0001`.
    package var description: String { "0x\(company.hexadecimal):0x\(product.hexadecimal)" }
}

extension DeviceUUID {
    /// The identity that a place has while no device is assigned to it. It follows from the name alone, so that the
    /// same definition always gives the same plan; no device has it except by a chance of 1 in 2 to the 128.
    package static func standIn(forPlace name: String) -> DeviceUUID {
        DeviceUUID(rawValue: KeyDerivation.s1(Array("meshplan place \(name)".utf8)))
    }
}

extension NodeDefinition {
    /// A place: a node that waits for its device.
    package init(place name: Located<String>) {
        self.init(name: name, uuid: Located(.standIn(forPlace: name.value), at: name.location))
        awaitsDevice = true
    }

    package mutating func assign(_ device: Located<DeviceUUID>) {
        uuid = device
        awaitsDevice = false
    }
}

extension Definition {
    /// The product of a node: its own, or else that of its profile; nil if neither says.
    ///
    /// - Parameter profiles: the positions of the profiles by name.
    package func product(of node: NodeDefinition, profiles: [String: Int]) -> ProductIdentifier? {
        product(own: node.product, profile: node.profile, profiles: profiles)
    }

    /// The product of the node at that index, which is not copied for it.
    ///
    /// - Parameter profiles: the positions of the profiles by name.
    package func product(ofNodeAt number: Int, profiles: [String: Int]) -> ProductIdentifier? {
        product(own: self.nodes[number].product, profile: self.nodes[number].profile, profiles: profiles)
    }

    private func product(
        own: Located<ProductIdentifier>?,
        profile: Located<String>?,
        profiles: [String: Int]
    ) -> ProductIdentifier? {
        own?.value ?? profile.flatMap { profiles[$0.value] }.flatMap { self.profiles[$0].product?.value }
    }

    /// How a file describes the product of a node; nil if none does.
    ///
    /// - Parameter profiles: the positions of the profiles by name.
    package func describedProduct(of node: NodeDefinition, profiles: [String: Int]) -> ProductDescription? {
        self.products.isEmpty ? nil : self.product(of: node, profiles: profiles).flatMap { self.products[$0] }
    }

    /// The positions of the profiles by name; the first counts.
    package var profilePlaces: [String: Int] {
        Dictionary(firstOf: self.profiles.enumerated().map { ($1.name.value, $0) })
    }
}
