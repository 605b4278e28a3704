import MeshCore

/// The octets of hexadecimal digits. A typing error in the digits ends the test run.
package func hex(_ digits: String) -> [UInt8] {
    guard let bytes = Hexadecimal.decode(digits.filter { !$0.isWhitespace }) else {
        preconditionFailure("not hexadecimal: \(digits)")
    }
    return bytes
}
