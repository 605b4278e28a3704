package import MeshCore

/// A status that has the opcode of the expected answer but cannot be the answer.
package struct OddAnswer: Error, Hashable, Sendable {
    /// What is wrong with it.
    package enum Problem: Hashable, Sendable {
        case malformed(DecodeError)
        /// It is well-formed, but about another model, key, address or element.
        case aboutElse
        /// Its content is impossible; the text is a clause after "the answer".
        case content(String)
    }

    package var problem: Problem
    /// The received access payload, opcode included. Statuses of the foundation models contain no keys.
    package var payload: [UInt8]
    package var quirk: KnownQuirk?

    package init(_ problem: Problem, payload: [UInt8] = [], quirk: KnownQuirk? = nil) {
        self.problem = problem
        self.payload = payload
        self.quirk = quirk
    }

    /// What is wrong, as a clause after "the answer", with the octets.
    package var text: String {
        var text: String
        switch problem {
        case .malformed(let error): text = "cannot be read: \(error)"
        case .aboutElse: text = "is about something else"
        case .content(let words): text = words
        }
        if let quirk { text += "; such a node \(quirk.text)" }
        return payload.isEmpty ? text : "\(text) (\(octets))"
    }

    /// The first 48 octets of the payload in hexadecimal.
    package var octets: String {
        let most = 48
        let shown = Hexadecimal.encode(payload.prefix(most))
        return payload.count > most ? "\(shown)… \(payload.count) octets" : shown
    }
}

extension Node.UnreadRecord {
    /// What was asked; nil if this version does not know it.
    package var reading: NodeReading? {
        guard case .read(let reading)? = try? ConfigurationAction(decoding: request) else { return nil }
        return reading
    }
}

extension OddAnswer: CustomStringConvertible {
    /// A sentence without a full stop.
    package var description: String { "the answer \(text)" }
}

/// Something that could not be read from a node, although the node answers.
package struct UnreadValue: Hashable, Sendable {
    package var reading: NodeReading
    /// The node's answer; nil if it never answered.
    package var answer: OddAnswer?

    package init(_ reading: NodeReading, answer: OddAnswer?) {
        self.reading = reading
        self.answer = answer
    }

    /// The form in which a node's record keeps it.
    package var record: Node.UnreadRecord {
        Node.UnreadRecord(request: ConfigurationAction.read(reading).encoded, answer: answer?.payload)
    }

    /// The reason, as a sentence without a full stop.
    package var reason: String { answer?.description ?? "no answer, though the node answers other requests" }
}
