/// The result of reading a configuration database, whether or not it can be imported.
package struct CDBInspection: Sendable {
    /// The program that seems to have written it.
    package var dialect: CDBDialect
    /// The marks that revealed the dialect, in the order of the document's parts; empty where nothing reveals one.
    package var marks: [CDBDialect.Mark]
    /// Departures from the format that were understood.
    package var repairs: [CDBDocument.Repair]
    /// How many more departures there were. A list of all of them could be larger than the document.
    package var furtherRepairs = 0
    /// What was not understood. An object with a refusal is left out and the rest is read, so one reading finds
    /// everything to correct. References to left-out objects, and contradictions between objects, are checked only if
    /// nothing was refused before.
    package var refusals: [CDBRefusal]
    /// How much more was not understood. A file that is none of these has no end of it.
    package var furtherRefusals = 0
    /// The document, if nothing was refused.
    package var document: CDBDocument?

    /// Has everything point to where `pointer` says that a pointer of the document leads.
    mutating func relocate(_ pointer: (String) -> String) {
        for index in repairs.indices { repairs[index].pointer = pointer(repairs[index].pointer) }
        for index in refusals.indices { refusals[index].pointer = pointer(refusals[index].pointer) }
        guard var moved = document else { return }
        moved.repairs = repairs
        for index in moved.remarks.indices { moved.remarks[index].pointer = pointer(moved.remarks[index].pointer) }
        document = moved
    }

    /// The document, for an import.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` with the JSON pointer of the first refusal, if anything was
    ///   refused.
    package func accepted() throws(StoreError) -> CDBDocument {
        if let first = refusals.first { throw first.storeError }
        guard let document else { throw CDBObject.invalid("", "nothing was read").storeError }
        return document
    }
}
