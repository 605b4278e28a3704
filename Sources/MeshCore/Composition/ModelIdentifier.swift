/// The identifier of a model: 16 bits for a SIG model, company and 16 bits for a vendor model (Mesh Protocol 3.7.4).
package struct ModelIdentifier: Hashable, Comparable, Sendable {
    /// The model in the low half, the company of a vendor model in the high half. Company 0x0000 is Ericsson's, so a
    /// separate flag tells SIG and vendor models apart.
    private let packed: UInt32
    package let isVendor: Bool

    package static func sig(_ model: UInt16) -> ModelIdentifier {
        ModelIdentifier(packed: UInt32(model), isVendor: false)
    }

    package static func vendor(company: UInt16, model: UInt16) -> ModelIdentifier {
        ModelIdentifier(packed: UInt32(company) << 16 | UInt32(model), isVendor: true)
    }

    private init(packed: UInt32, isVendor: Bool) {
        self.packed = packed
        self.isVendor = isVendor
    }

    /// The company identifier of a vendor model; nil for a SIG model.
    package var company: UInt16? { isVendor ? UInt16(packed >> 16) : nil }

    /// The 16 bits that identify the model within the SIG or the company.
    package var model: UInt16 { UInt16(truncatingIfNeeded: packed) }

    /// The number of octets in a message: 2 for a SIG model, 4 for a vendor model.
    package var encodedLength: Int { isVendor ? 4 : 2 }

    /// SIG models first, then vendor models by company.
    package static func < (left: ModelIdentifier, right: ModelIdentifier) -> Bool {
        (left.isVendor ? 1 : 0, left.packed) < (right.isVendor ? 1 : 0, right.packed)
    }

    /// The Configuration Server model, 0x0000.
    package static let configurationServer = sig(0x0000)
    /// The Configuration Client model, 0x0001.
    package static let configurationClient = sig(0x0001)
    /// The Health Server model, 0x0002.
    package static let healthServer = sig(0x0002)
}

extension ModelIdentifier: CustomStringConvertible {
    /// The identifier as definitions write it without the catalogue: `0x1000`, `0x0059:0x0001`.
    package var description: String {
        guard let company else { return "0x" + model.hexadecimal }
        return "0x\(company.hexadecimal):0x\(model.hexadecimal)"
    }
}
