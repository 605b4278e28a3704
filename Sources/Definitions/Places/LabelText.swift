package import MeshCore

/// The text of a label or QR code on a device.
package enum LabelText {
    /// The UUID in a text: 32 hexadecimal digits, with or without hyphens or colons between them, that no further digit
    /// adjoins. Labels carry other things, too: `BT:…;UUID=…;SN=…`.
    ///
    /// - Returns: nil if the text holds none, or several different ones.
    package static func uuid(in text: String) -> DeviceUUID? {
        if let uuid = DeviceUUID(text) { return uuid }
        var found: Set<DeviceUUID> = []
        var digits: [UInt8] = []
        var previous: UInt8 = 0
        // How many digits have come since the last separator.
        var group = 0
        func end() {
            if digits.count == 32, let uuid = DeviceUUID(String(decoding: digits, as: UTF8.self)) { found.insert(uuid) }
            digits = []
        }
        for byte in text.utf8 {
            if isDigit(byte) {
                digits.append(byte)
                group += 1
            } else {
                // Colons stand between octets; the one of `uuid:` does not.
                let isInside = byte == UInt8(ascii: ":") ? group == 2 : isSeparator(byte)
                if !isInside || isSeparator(previous) { end() }
                group = 0
            }
            previous = byte
        }
        end()
        return found.count == 1 ? found.first : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":") }
}
