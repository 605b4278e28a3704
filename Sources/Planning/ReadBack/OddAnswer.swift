package import MeshCore

/// A status of a node that cannot be the answer to what it was asked, though it has the opcode of the answer.
package struct OddAnswer: Error, Hashable, Sendable {
    /// What is wrong with it.
    package enum Problem: Hashable, Sendable {
        /// It has not the form of its message.
        case malformed(DecodeError)
        /// It is in order, but about something else: another model, key, address or element.
        case aboutElse
        /// Its content cannot be; a clause after "the answer".
        case content(String)
    }

    /// What is wrong with it.
    package var problem: Problem
    /// The access payload as it came, opcode included. Statuses of the foundation models carry no keys.
    package var payload: [UInt8]
    /// Whom that is known of.
    package var habit: KnownHabit?

    /// An odd answer.
    package init(_ problem: Problem, payload: [UInt8] = [], habit: KnownHabit? = nil) {
        self.problem = problem
        self.payload = payload
        self.habit = habit
    }

    /// What is wrong, a clause after "the answer", with the octets.
    package var text: String {
        var text: String
        switch problem {
        case .malformed(let error): text = "cannot be read: \(error)"
        case .aboutElse: text = "is about something else"
        case .content(let words): text = words
        }
        if let habit { text += "; such a node \(habit.text)" }
        return payload.isEmpty ? text : "\(text) (\(octets))"
    }

    /// The payload in hexadecimal, the first 48 octets of it.
    package var octets: String {
        let most = 48
        let shown = Hexadecimal.encode(payload.prefix(most))
        return payload.count > most ? "\(shown)… \(payload.count) octets" : shown
    }
}

extension Node.UnreadRecord {
    /// What was asked; nil if it is nothing that this version knows.
    package var reading: NodeReading? {
        guard case .read(let reading)? = try? ConfigurationAction(decoding: request) else { return nil }
        return reading
    }
}

extension OddAnswer: CustomStringConvertible {
    /// A sentence without a full stop.
    package var description: String { "the answer \(text)" }
}

/// Something of a node that could not be read although the node answers.
package struct UnreadValue: Hashable, Sendable {
    /// What was asked.
    package var reading: NodeReading
    /// What the node answered; nil if it never answered that.
    package var answer: OddAnswer?

    /// A value that was not read.
    package init(_ reading: NodeReading, answer: OddAnswer?) {
        self.reading = reading
        self.answer = answer
    }

    /// As the record of a node keeps it.
    package var record: Node.UnreadRecord {
        Node.UnreadRecord(request: ConfigurationAction.read(reading).encoded, answer: answer?.payload)
    }

    /// Why, a sentence without a full stop.
    package var reason: String { answer?.description ?? "no answer, though the node answers other requests" }
}
