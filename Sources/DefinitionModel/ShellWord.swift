import MeshCore

extension String {
    /// The text as one word for a POSIX shell, for commands that people type: in single quotes, unless it has only
    /// letters, digits, hyphens and other characters without meaning to the shell.
    package var shellWord: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "@"),
                UInt8(ascii: "%"), UInt8(ascii: "+"):
                true
            default: false
            }
        }
        guard !isPlain || isEmpty else { return self }
        var quoted = "'"
        for scalar in unicodeScalars { quoted += scalar == "'" ? "'\\''" : String(scalar) }
        return quoted + "'"
    }
}
