/// What reading a configuration database has found, whether or not it can be imported.
package struct CDBInspection: Sendable {
    /// Who seems to have written it.
    package var dialect: CDBDialect
    /// By what the dialect was told, in the order of the document's parts; empty where nothing tells.
    package var marks: [CDBDialect.Mark]
    /// Departures from the format that were understood.
    package var repairs: [CDBDocument.Repair]
    /// What was not understood. Objects with a refusal are left out while the rest is read, so that one reading finds
    /// what there is to correct. What refers to them, and contradictions between objects, are looked for only where
    /// nothing was refused before.
    package var refusals: [CDBRefusal]
    /// The document, if nothing was refused.
    package var document: CDBDocument?

    /// The document.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` with the JSON pointer of the first refusal.
    package func accepted() throws(StoreError) -> CDBDocument {
        if let first = refusals.first { throw first.storeError }
        guard let document else { throw CDBObject.invalid("", "nothing was read").storeError }
        return document
    }
}
