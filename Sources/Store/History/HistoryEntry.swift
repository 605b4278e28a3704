package import MeshCore

/// The SHA-256 of the files of a definition, paths included.
package struct DefinitionDigest: Hashable, Sendable, CustomStringConvertible {
    /// 32 octets.
    package let octets: [UInt8]

    /// The digest in 32 octets; nil for any other number.
    init?(_ octets: [UInt8]) {
        guard octets.count == 32 else { return nil }
        self.octets = octets
    }

    /// 64 lower-case hexadecimal digits.
    package var description: String { Hexadecimal.encode(octets) }

    /// The first 12 digits, which are enough for people to compare.
    package var short: String { String(description.prefix(12)) }
}

/// The text of a definition as it was applied. Definitions hold no secrets, only where to find them.
package struct DefinitionText: Hashable, Sendable {
    /// One file of it.
    package struct File: Hashable, Sendable {
        /// The path that it was named by.
        package var path: String
        package var bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// The files in the order in which they were read.
    package var files: [File]

    package init(files: [File]) {
        self.files = files
    }

    /// The digest that names the text.
    ///
    /// - Throws: ``StoreError/Code/cryptography`` if SHA-256 fails.
    package func digest() throws(StoreError) -> DefinitionDigest {
        guard let digest = SHA256.hash(encoded()).flatMap(DefinitionDigest.init) else {
            throw StoreError(.cryptography, "SHA-256 failed")
        }
        return digest
    }

    /// How many octets the text takes in the database.
    var size: Int { files.reduce(16) { $0 + $1.path.utf8.count + $1.bytes.count + 16 } }
}

/// What one command did to a database: an apply, an import, or a refresh that brought news.
package struct HistoryEntry: Hashable, Sendable {
    /// A plan that was carried out.
    package struct AppliedPlan: Hashable, Sendable {
        /// The run. The journal knows its outcome.
        package var run: RunIdentifier
        /// The digest of the plan, 64 hexadecimal digits; nil if none was given.
        package var digest: String?
    }

    /// The number of the entry, from 1 on.
    package var number: UInt64
    /// The serial of the database before the first change.
    package var serialBefore: UInt64
    /// The serial after the last change. For the last entry it is the present one.
    package var serialAfter: UInt64
    /// What was done: the name that the program has for the operation.
    package var operation: String
    package var user: String
    package var host: String
    /// When the command took the lock.
    package var began: Timestamp
    /// The definition that was applied; nil if the command applied none.
    package var definition: DefinitionDigest?
    /// The plans that were carried out, in their order.
    package var plans: [AppliedPlan]
    /// Their runs, as far as the journal still has them.
    package var runs: [Run]
    /// Whether the state before the entry is still known.
    package var isRestorable: Bool
    /// What the command went back to; nil if it did not go back.
    package var goal: ReturnGoal?
    /// Whether the command, or one that went on with it, has reached its goal.
    package var isGoalReached: Bool
}

/// What a command goes back to. The entry of the command keeps it, so that whoever goes on with a return that was cut
/// short has the same goal.
package enum ReturnGoal: Hashable, Sendable {
    /// The definition of the entry, which was in force before.
    case definition
    case state(UInt64)
    /// The state before changes that nobody has confirmed, which began with that entry.
    case unconfirmed(since: UInt64)
}

/// What a database remembers of what was done to it.
package struct History: Hashable, Sendable {
    package var created: Timestamp
    package var serial: UInt64
    /// Whether older entries were forgotten.
    package var isCut: Bool
    /// The entries, newest first.
    package var entries: [HistoryEntry]

    /// The serials whose states are known, ascending. The present one is last.
    package var serials: [UInt64] {
        var serials: [UInt64] = []
        for entry in entries.reversed() where entry.isRestorable && serials.last != entry.serialBefore {
            serials.append(entry.serialBefore)
        }
        if serials.last != serial { serials.append(serial) }
        return serials
    }

    /// The entry with the definition that was in force at a serial: the last one applied at or before it.
    package func definitionEntry(at serial: UInt64) -> HistoryEntry? {
        entries.first { $0.definition != nil && ($0.serialBefore < serial || $0.serialAfter == serial) }
    }

    /// The last entry in effect whose definition differs from the one applied last; nil if there is none.
    package var previousDefinitionEntry: HistoryEntry? {
        let applied = entriesInEffect.filter { $0.definition != nil }
        guard let last = applied.first else { return nil }
        return applied.first { $0.definition != last.definition }
    }

    /// The last command if it went back and was cut short before it reached its goal; nil otherwise. Commands that aim
    /// at nothing, such as reading back, do not count.
    package var unfinishedReturn: HistoryEntry? {
        let last = entriesInEffect.first { $0.definition != nil || $0.goal != nil }
        return last?.goal != nil && last?.isGoalReached == false ? last : nil
    }

    /// The entries without what was taken back because nobody confirmed it, newest first.
    private var entriesInEffect: [HistoryEntry] {
        var bound = UInt64.max
        return entries.filter { entry in
            guard entry.number < bound else { return false }
            guard case .unconfirmed(let first) = entry.goal else { return true }
            // An attempt that did not reach its goal has left the changes to be taken back or confirmed later.
            if entry.isGoalReached { bound = first }
            return false
        }
    }
}

/// A note that the last changes will be taken back unless somebody confirms them.
package struct PendingConfirmation: Hashable, Sendable {
    /// What became of changes that waited. It is noted: where there is no note, nobody has decided anything.
    package enum Decision: UInt8, Sendable {
        case confirmed = 1
        /// They were taken back.
        case takenBack = 2
    }

    /// When they will be taken back; nil while they are still being made.
    package var deadline: Timestamp?
    package var serial: UInt64
    /// The entry of the changes. The state before it is kept until the changes are confirmed or taken back.
    package internal(set) var entry: UInt64
    package var user: String
    package var host: String
    /// The process that waits.
    package var process: Int32
    package var began: Timestamp
    /// What became of them; nil while they wait.
    package var decision: Decision?
}
