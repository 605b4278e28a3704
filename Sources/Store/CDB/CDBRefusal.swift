import MeshCore

/// A place of a configuration database that cannot be understood, or that can be understood in two ways.
package struct CDBRefusal: Error, Hashable, Sendable {
    /// Where it is, a JSON pointer (RFC 6901), empty for the whole document: `/nodes/3/unicastAddress`.
    package var pointer: String
    /// What is wrong there. Where a value has two readings, it names both. One sentence without a full stop, and no
    /// key.
    package var reason: String

    /// The refusal as an error of this module.
    var storeError: StoreError {
        StoreError(
            .invalidDocument,
            "\(pointer.isEmpty ? "the document" : pointer): \(reason)",
            hint: "export the database again, or correct the file there"
        )
    }
}
