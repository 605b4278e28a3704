/// The faults of the Health Server by their names (Assigned Numbers 4.8).
package enum FaultNames {
    private static let words: [Int64: String] =
        MessageCatalogue.sig.message(named: "health-fault-status")?.field(named: "faults")?.type.words ?? [:]

    /// The names of all faults, sorted.
    package static let all: [String] = words.filter { $0.key != 0 }.values.sorted()

    /// The number of a fault; nil if there is none.
    ///
    /// - Parameter text: its number, or its name with or without `-warning` or `-error`; without, the error is meant.
    package static func number(named text: String) -> UInt8? {
        let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
        if let number = UInt8(digits, radix: text.hasPrefix("0x") ? 16 : 10) { return number == 0 ? nil : number }
        let found = words.first { $0.value == text } ?? words.first { $0.value == "\(text)-error" }
        return found.flatMap { $0.key == 0 ? nil : UInt8(exactly: $0.key) }
    }

    /// The name of a fault, or its number if it has none.
    package static func name(_ number: UInt8) -> String { words[Int64(number)] ?? "\(number)" }
}
