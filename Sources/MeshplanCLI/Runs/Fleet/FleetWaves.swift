/// How the networks of a fleet are divided: `1%,10%,rest`, numbers of networks, or those with a tag.
struct FleetWaves {
    /// A part of the fleet.
    enum Part: Hashable {
        case share(Int)
        case number(Int)
        case tag(String, String)
        case rest
    }

    var parts: [Part] = [.rest]

    /// Parses parts with commas between them; nil for anything else.
    init?(_ text: String) {
        parts = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            if word == "rest" {
                parts.append(.rest)
            } else if word.hasSuffix("%"), let share = Int(word.dropLast()), (1...100).contains(share) {
                parts.append(.share(share))
            } else if let number = Int(word), number > 0 {
                parts.append(.number(number))
            } else if let equals = word.firstIndex(of: "="), equals > word.startIndex,
                word.index(after: equals) < word.endIndex
            {
                parts.append(.tag(String(word[..<equals]), String(word[word.index(after: equals)...])))
            } else {
                return nil
            }
        }
    }

    init() {}

    /// The waves of some networks. A share is one of all of them and at least one network. What no part takes is a last
    /// wave.
    ///
    /// - Parameter tags: the tags of a network.
    func divided(_ indexes: [Int], tags: (Int) -> [String: String] = { _ in [:] }) -> [[Int]] {
        var rest = indexes
        var waves: [[Int]] = []
        for part in parts where !rest.isEmpty {
            let wave: [Int] =
                switch part {
                case .share(let share): Array(rest.prefix(max((indexes.count * share + 99) / 100, 1)))
                case .number(let number): Array(rest.prefix(number))
                case .tag(let name, let value): rest.filter { tags($0)[name] == value }
                case .rest: rest
                }
            let taken = Set(wave)
            rest.removeAll { taken.contains($0) }
            if !wave.isEmpty { waves.append(wave) }
        }
        if !rest.isEmpty { waves.append(rest) }
        return waves
    }
}
