import MeshCore
import SystemLayer

/// Times. They are kept for other programs only, in a form that these can read.
extension CDBImport {
    /// Brings a time that stays with the object into the form of RFC 3339, or removes it if it says nothing.
    mutating func date(_ name: String, in object: inout CDBObject) {
        guard let value = object.peek(name) else { return }
        let pointer = object.pointer(to: name)
        guard case .string(let text) = value else {
            object.replace(name, with: nil)
            repair(pointer, "\(value.kind) where a time is expected; left out")
            return
        }
        guard let mended = CDBImport.mended(text) else {
            object.replace(name, with: nil)
            repair(pointer, "no time of RFC 3339; left out")
            return
        }
        if mended.hasPrefix("0001-") {
            object.replace(name, with: nil)
            repair(pointer, "the year 1 stands for a time that was not understood; left out")
        } else if mended != text {
            object.replace(name, with: .string(mended))
            repair(pointer, "\(CDBObject.shown(text)) taken as \(mended)")
        }
    }

    /// The time with a T in its middle and a colon in its offset. Nil if the text is no time, or has no offset.
    private static func mended(_ text: String) -> String? {
        // A time with nanoseconds and an offset has 35 characters.
        guard text.utf8.count <= 40 else { return nil }
        if Timestamp.isRFC3339(text) { return text }
        var text = text
        if let match = text.firstMatch(of: #/^\d{4}-\d\d-\d\d /#) {
            text.replaceSubrange(match.range, with: match.output.dropLast() + "T")
        }
        if let match = text.firstMatch(of: #/[+-]\d{4}$/#), text.contains("T") {
            text.insert(":", at: text.index(match.range.upperBound, offsetBy: -2))
        }
        return Timestamp.isRFC3339(text) ? text : nil
    }
}
