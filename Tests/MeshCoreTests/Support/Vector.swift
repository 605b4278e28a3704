import Foundation
import MeshCore
import TestSupport
import Testing

/// One vector of a JSON file in Resources: an object whose fields are read by name.
struct Vector: CustomTestStringConvertible, @unchecked Sendable {
    // JSONSerialization yields immutable Foundation values here, which are safe to share.
    private let fields: [String: Any]

    init(_ fields: [String: Any]) {
        self.fields = fields
    }

    /// The objects in a list of a file, such as `vectors`.
    static func list(_ file: String, _ key: String) -> [Vector] {
        (root(file)[key] as? [[String: Any]] ?? []).map(Vector.init)
    }

    /// An object of a file.
    static func object(_ file: String, _ key: String) -> Vector {
        Vector(root(file)[key] as? [String: Any] ?? [:])
    }

    private static func root(_ file: String) -> [String: Any] {
        guard let url = Bundle.module.url(forResource: file, withExtension: "json", subdirectory: "Resources"),
            let data = try? Data(contentsOf: url),
            let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { preconditionFailure("no vectors in \(file)") }
        return root
    }

    func has(_ name: String) -> Bool { fields[name] != nil }

    func text(_ name: String) -> String {
        guard let text = fields[name] as? String else { preconditionFailure("\(self) has no text \(name)") }
        return text
    }

    func octets(_ name: String) -> [UInt8] { hex(text(name)) }

    func octets16(_ name: String) -> Octets16 {
        guard let octets = Octets16(octets(name)) else { preconditionFailure("\(self): \(name) is not 16 octets") }
        return octets
    }

    func key(_ name: String) -> KeyMaterial { KeyMaterial(octets16(name)) }

    func list(_ name: String) -> [[UInt8]] {
        guard let list = fields[name] as? [String] else { preconditionFailure("\(self) has no list \(name)") }
        return list.map(hex)
    }

    func objects(_ name: String) -> [Vector] {
        guard let list = fields[name] as? [[String: Any]] else { preconditionFailure("\(self) has no objects \(name)") }
        return list.map(Vector.init)
    }

    func object(_ name: String) -> Vector {
        guard let object = fields[name] as? [String: Any] else { preconditionFailure("\(self) has no object \(name)") }
        return Vector(object)
    }

    /// A number in hexadecimal digits, or a JSON number.
    func number(_ name: String) -> UInt64 {
        if let number = fields[name] as? Int { return UInt64(number) }
        return octets(name).reduce(0) { $0 << 8 | UInt64($1) }
    }

    func flag(_ name: String) -> Bool { fields[name] as? Bool ?? (number(name) != 0) }

    func address(_ name: String) -> Address { Address(rawValue: UInt16(number(name))) }

    func unicast(_ name: String) -> UnicastAddress {
        guard let unicast = UnicastAddress(rawValue: UInt16(number(name))) else {
            preconditionFailure("\(self): \(name) is not unicast")
        }
        return unicast
    }

    var testDescription: String { fields["id"] as? String ?? "?" }
}
