import MeshCore

/// A place of a configuration database that cannot be understood, or that can be understood in two ways.
package struct CDBRefusal: Error, Hashable, Sendable {
    /// Where it is, a JSON pointer (RFC 6901), empty for the whole document: `/nodes/3/unicastAddress`.
    package var pointer: String
    /// What is wrong there. Where a value has two readings, it names both. One sentence without a full stop, and no
    /// key.
    package var reason: String
    /// What to do instead of correcting the document, in words for a person; nil if nothing is better.
    package var advice: String?
    /// What its owner can say to have it read; nil if nothing helps but a correction.
    package var question: Question?

    /// What a document may leave open and its owner can answer.
    package enum Question: Hashable, Sendable {
        /// Whether intervals of network transmissions are steps of 10 ms or milliseconds.
        case intervalUnit
    }

    /// The refusal as an error of this module.
    var storeError: StoreError {
        StoreError(
            .invalidDocument,
            "\(pointer.isEmpty ? "the document" : pointer): \(reason)",
            hint: advice ?? "export the database again, or correct the file there"
        )
    }
}
