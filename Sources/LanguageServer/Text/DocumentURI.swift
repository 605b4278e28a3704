import SystemLayer

/// The addresses of documents: `file:///path/to/file`.
enum DocumentURI {
    /// The path of a file on this machine, without `.` and `..`; nil for anything else.
    static func path(_ uri: String) -> String? {
        let scheme = "file://"
        guard uri.lowercased().hasPrefix(scheme) else { return nil }
        var rest = uri.dropFirst(scheme.count)
        if rest.lowercased().hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
        guard rest.hasPrefix("/"), let path = decoded(rest.prefix { $0 != "?" && $0 != "#" }) else { return nil }
        return normalized(path)
    }

    /// The address of a file at an absolute path.
    static func uri(ofPath path: String) -> String {
        var text = "file://"
        for byte in path.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || "/-._~".unicodeScalars.contains(scalar)
            if isPlain { text.unicodeScalars.append(scalar) } else { text += "%" + hexadecimal(byte) }
        }
        return text
    }

    /// An absolute path without `.`, `..` and empty parts.
    static func normalized(_ path: String) -> String { Files.withoutDots(path) }

    static func folder(of path: String) -> String { Files.folder(of: path) }

    /// The name of a file, without its folder.
    static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// The path of a file that another file names, from the folder of that one.
    static func path(of name: String, namedIn path: String) -> String {
        normalized(name.hasPrefix("/") ? name : folder(of: path) + "/" + name)
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(), let high = digit(high), let low = digit(low),
                high | low != 0
            else { return nil }
            let value = high << 4 | low
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
}
