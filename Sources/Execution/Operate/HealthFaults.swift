import Catalogue
import MeshCore

/// Faults as a Health Server tells them (Mesh Protocol 4.2.15).
package struct HealthFaults: Hashable, Sendable {
    /// The identifier of the test that the node has run last; 0 is the standard test.
    package let test: UInt8
    /// The company that gives the faults from 0x80 on their meaning.
    package let company: UInt16
    /// The faults in the order of the node, without those that say that there is none.
    package let faults: [HealthFault]

    /// Reads the parameters of a Health Fault Status; nil if they are none.
    package init?(_ parameters: [UInt8]) {
        guard let values = try? MessageCatalogue.sig.message(HealthFault.status)?.decode(parameters[...]),
            let test = values.integer("test").flatMap(UInt8.init(exactly:)),
            let company = values.integer("company").flatMap(UInt16.init(exactly:))
        else { return nil }
        self.test = test
        self.company = company
        guard case .integers(let numbers)? = values["faults"] else {
            faults = []
            return
        }
        faults = numbers.compactMap { number in
            guard let number = UInt8(exactly: number), number != HealthFault.none else { return nil }
            return HealthFault(number: number, company: company)
        }
    }
}

/// A fault of a node (Mesh Protocol 4.2.15.1).
package struct HealthFault: Hashable, Sendable {
    package let number: UInt8
    /// The company that gives it its meaning, if it is one of a vendor.
    package let company: UInt16

    static let status: Opcode = 0x05
    /// The number that stands for no fault.
    static let none: UInt8 = 0
    private static let firstOfVendors: UInt8 = 0x80

    /// The name, the same for all companies: `overheat-error`; nil for faults of vendors and reserved ones.
    package var name: String? {
        MessageCatalogue.sig.message(Self.status)?.field(named: "faults")?.type.words[Int64(number)]
    }

    /// Whether its company gives it its meaning.
    package var isVendor: Bool { number >= Self.firstOfVendors }

    /// The fault for people: `overheat-error`, `fault 0x81 of company 0x0059`, `reserved fault 0x40`.
    package var text: String {
        if let name { return name }
        let digits = "0x" + number.hexadecimal
        return isVendor ? "fault \(digits) of company 0x\(company.hexadecimal)" : "reserved fault \(digits)"
    }
}
