import DefinitionModel

/// The parts of a definition whose names share a number: the nodes of a room, its group, and what they tell each other.
struct RepeatedUnit {
    /// The number as the names have it.
    let number: String
    /// The parts, as positions in the definition, ascending.
    var groups: [Int] = []
    var nodes: [Int] = []
    var subscriptions: [Int] = []
    var publications: [Int] = []

    var count: Int { groups.count + nodes.count + subscriptions.count + publications.count }
}

/// Equal units, which differ only in their number.
struct RepeatedUnits {
    /// The units, by number.
    let units: [RepeatedUnit]
    /// Their parts with a mark in the place of the number. Its nodes are places.
    let template: Definition
    /// The titles in which the units differ in more than their number: the mark of each, and that of each unit.
    var titles: [(mark: String, values: [String])] = []

    /// How many lines a module saves at least. Units with titles of their own are used one by one.
    var savedLines: Int {
        (units.count - 1) * units[0].count - Self.overhead - (titles.isEmpty ? 0 : units.count)
    }

    /// A module has lines that its parts alone do not have.
    private static let overhead = 8

    /// The numbers as the values of `for`: ranges, and lists of what is in no range.
    var repetitions: [DefinitionValue] {
        var repetitions: [DefinitionValue] = []
        var single: [String] = []
        for run in runs {
            if run.count >= Self.shortestRange {
                repetitions.append(.word("\(run[0])..\(run[run.count - 1])"))
            } else {
                single += run
            }
        }
        if !single.isEmpty { repetitions.append(.list(single.map { .word($0) })) }
        return repetitions
    }

    private static let shortestRange = 3

    /// The numbers, in runs of consecutive ones with the same digits.
    private var runs: [[String]] {
        var runs: [[String]] = []
        for number in units.map(\.number) {
            let last = runs.last?.last
            if let last, let before = Int(last), Int(number) == before + 1,
                Self.isWritten(number, like: runs[runs.count - 1][0])
            {
                runs[runs.count - 1].append(number)
            } else {
                runs.append([number])
            }
        }
        return runs
    }

    /// Whether a range that begins with the first number writes the other one in this way.
    private static func isWritten(_ number: String, like first: String) -> Bool {
        first.hasPrefix("0") && first.utf8.count > 1
            ? number.utf8.count == first.utf8.count : !number.hasPrefix("0")
    }
}
