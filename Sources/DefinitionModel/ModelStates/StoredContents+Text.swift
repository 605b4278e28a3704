import Catalogue
package import MeshCore

extension StoredContents {
    /// The values for people: `lightness 20%`; `lightness 20%, element 1: lc-mode off` if not all are on one element.
    package var text: String {
        var element = parts.first?.element
        return parts.map { part in
            let start = part.element == element ? "" : "element \(part.element): "
            element = part.element
            return start + part.text
        }
        .joined(separator: ", ")
    }
}

extension StoredContents.Part {
    /// The name of the state and its value; the octets if no state of the catalogue is set by this message.
    fileprivate var text: String {
        var reader = ByteReader(setPayload)
        guard let opcode = try? Opcode(decoding: &reader), let message = MessageCatalogue.sig.message(opcode),
            let state = StateCatalogue.states.first(where: { $0.setMessage == message && $0.isInScenes }),
            let values = try? message.decode(Array(reader.readRest())),
            let setting = try? DeclarableState(inScenes: state).setting(values)
        else { return "0x" + Hexadecimal.encode(setPayload) }
        return "\(state.name) \(setting.text)"
    }
}

extension ElementState {
    /// Values that a scene holds, for people.
    package static func text(of contents: [ElementState]) -> String {
        (try? StoredContents(contents.storedOctets).text) ?? ""
    }
}
