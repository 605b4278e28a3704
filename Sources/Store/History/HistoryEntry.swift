package import MeshCore

/// The SHA-256 of the files of a definition, paths included.
package struct DefinitionDigest: Hashable, Sendable, CustomStringConvertible {
    /// 32 octets.
    package let octets: [UInt8]

    /// From 32 octets.
    init?(_ octets: [UInt8]) {
        guard octets.count == 32 else { return nil }
        self.octets = octets
    }

    /// 64 lower-case hexadecimal digits.
    package var description: String { Hexadecimal.encode(octets) }

    /// As many digits as people compare.
    package var short: String { String(description.prefix(12)) }
}

/// The text of a definition, as it was applied. Secrets do not stand in definitions, only where to find them.
package struct DefinitionText: Hashable, Sendable {
    /// One file of it.
    package struct File: Hashable, Sendable {
        /// The path by which it was named.
        package var path: String
        /// The octets.
        package var bytes: [UInt8]

        /// A file.
        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// The files in the order in which they were read.
    package var files: [File]

    /// Those files.
    package init(files: [File]) {
        self.files = files
    }

    /// Names the text.
    ///
    /// - Throws: ``StoreError/Code/cryptography``.
    package func digest() throws(StoreError) -> DefinitionDigest {
        guard let digest = SHA256.hash(encoded()).flatMap(DefinitionDigest.init) else {
            throw StoreError(.cryptography, "SHA-256 failed")
        }
        return digest
    }

    /// How many octets it takes in the database.
    var size: Int { files.reduce(16) { $0 + $1.path.utf8.count + $1.bytes.count + 16 } }
}

/// What one command did to a database: an apply, an import, a look at the nodes that brought news.
package struct HistoryEntry: Hashable, Sendable {
    /// A plan that was carried out.
    package struct AppliedPlan: Hashable, Sendable {
        /// The run, by which the journal knows what came of it.
        package var run: RunIdentifier
        /// The digest of the plan, 64 hexadecimal digits; nil if none was given.
        package var digest: String?
    }

    /// Counts from 1.
    package var number: UInt64
    /// The serial of the database before the first change.
    package var serialBefore: UInt64
    /// The serial after the last change; that of now for the last entry.
    package var serialAfter: UInt64
    /// What was done, like `apply`.
    package var operation: String
    /// Who did it.
    package var user: String
    /// On which host.
    package var host: String
    /// When the command took the lock.
    package var began: Timestamp
    /// The definition that was applied; nil if what was done was not made from one.
    package var definition: DefinitionDigest?
    /// The plans that were carried out, in their order.
    package var plans: [AppliedPlan]
    /// Their runs, as far as the journal remembers them.
    package var runs: [Run]
    /// Whether the state before is still known.
    package var isRestorable: Bool
}

/// What is remembered of what was done to a database.
package struct History: Hashable, Sendable {
    /// When the database was made.
    package var created: Timestamp
    /// The present serial.
    package var serial: UInt64
    /// Whether older entries are forgotten.
    package var isCut: Bool
    /// What was done, newest first.
    package var entries: [HistoryEntry]

    /// The serials whose states are known, ascending, the present one last.
    package var serials: [UInt64] {
        var serials: [UInt64] = []
        for entry in entries.reversed() where entry.isRestorable && serials.last != entry.serialBefore {
            serials.append(entry.serialBefore)
        }
        if serials.last != serial { serials.append(serial) }
        return serials
    }

    /// The entry with the definition that held at a serial: the last one applied at or before it.
    package func definitionEntry(at serial: UInt64) -> HistoryEntry? {
        entries.first { $0.definition != nil && ($0.serialBefore < serial || $0.serialAfter == serial) }
    }

    /// The last entry whose definition is another than the last applied one; nil if there is none.
    package var previousDefinitionEntry: HistoryEntry? {
        let applied = entries.filter { $0.definition != nil }
        guard let last = applied.first else { return nil }
        return applied.first { $0.definition != last.definition }
    }
}

/// That the last changes are to be taken back unless somebody confirms them.
package struct PendingConfirmation: Hashable, Sendable {
    /// When they are taken back; nil as long as they are being made.
    package var deadline: Timestamp?
    /// The serial to go back to.
    package var serial: UInt64
    /// The entry of the changes, whose state before is kept until this is settled.
    var entry: UInt64
    /// Who made them.
    package var user: String
    /// On which host.
    package var host: String
    /// The process that waits.
    package var process: Int32
    /// When they began.
    package var began: Timestamp
}
