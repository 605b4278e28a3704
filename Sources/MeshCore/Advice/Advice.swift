/// What to do next, as a value: words, and among them what the user can do with the program. Modules say what helps;
/// only the command line knows how that is typed, and words it.
///
/// Advice is written as an interpolated text: `"make them with: \(command: .createStore(address))"`.
package struct Advice: Hashable, Sendable {
    /// A part of an advice.
    package enum Part: Hashable, Sendable {
        /// Words, which are shown as they are.
        case words(String)
        /// What the user can do, which the command line words as a command or an option.
        case remedy(UserAction)
    }

    /// The parts, in order. No two neighbours are words, and no words are empty.
    package private(set) var parts: [Part] = []

    /// Advice of words alone.
    package init(_ words: String) {
        append(words)
    }

    /// The whole advice as text.
    ///
    /// - Parameter words: how a remedy is called.
    package func text(_ words: (UserAction) -> String) -> String {
        parts.map { part in
            switch part {
            case .words(let text): text
            case .remedy(let remedy): words(remedy)
            }
        }.joined()
    }

    /// The whole advice as text that names no command: for other programs, and for descriptions of errors.
    package var text: String { text(\.description) }

    /// Everything that it advises to do with the program, in order.
    package var remedies: [UserAction] {
        parts.compactMap { part in
            if case .remedy(let remedy) = part { remedy } else { nil }
        }
    }

    package var isEmpty: Bool { parts.isEmpty }

    /// This advice with other words; what it advises to do stays.
    package func changingWords(_ change: (String) -> String) -> Advice {
        var changed = Advice("")
        for part in parts {
            switch part {
            case .words(let words): changed.append(change(words))
            case .remedy: changed.append(part)
            }
        }
        return changed
    }

    package func followed(by next: Advice) -> Advice {
        var joined = self
        for part in next.parts { joined.append(part) }
        return joined
    }

    /// The advice as a sentence: with a capital and a full stop, unless it begins with a remedy or ends with a mark.
    package var asSentence: Advice {
        var sentence = self
        if case .words(let words)? = parts.first {
            sentence.parts[0] = .words(words.prefix(1).uppercased() + words.dropFirst())
        }
        if case .words(let words)? = sentence.parts.last, [".", "!", "?"].contains(words.suffix(1)) { return sentence }
        if !isEmpty { sentence.append(".") }
        return sentence
    }

    private mutating func append(_ words: String) {
        guard !words.isEmpty else { return }
        if case .words(let before)? = parts.last {
            parts[parts.count - 1] = .words(before + words)
        } else {
            parts.append(.words(words))
        }
    }

    fileprivate mutating func append(_ part: Part) {
        switch part {
        case .words(let words): append(words)
        case .remedy: parts.append(part)
        }
    }
}

extension Advice: CustomStringConvertible {
    package var description: String { text }
}

extension Advice: ExpressibleByStringInterpolation {
    /// Collects the parts of an advice that is written as a text.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var advice = Advice("")

        /// An advice without parts yet. The sizes do not matter.
        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds words.
        package mutating func appendLiteral(_ literal: String) {
            advice.append(.words(literal))
        }

        /// Adds a value as words.
        package mutating func appendInterpolation(_ value: some Any) {
            advice.append(.words("\(value)"))
        }

        /// Adds the parts of another advice.
        package mutating func appendInterpolation(_ other: Advice) {
            for part in other.parts { advice.append(part) }
        }

        package mutating func appendInterpolation(command remedy: UserAction) {
            advice.append(.remedy(remedy))
        }
    }

    /// Advice of words alone, as a literal.
    package init(stringLiteral words: String) {
        self.init(words)
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.advice
    }
}
