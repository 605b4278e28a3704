package import MeshCore

/// What was read from a configuration database in JSON.
package struct CDBDocument: Hashable, Sendable {
    /// One departure from the format that could be understood nevertheless.
    package struct Repair: Hashable, Sendable {
        /// Where it is, a JSON pointer (RFC 6901) into the document: `/nodes/3/security`.
        package var pointer: String
        /// What was there and how it was taken, one sentence without a full stop.
        package var reason: String
    }

    /// The network as the document has it. Its ``MeshCore/MeshNetwork/ownProvisioner`` is the document's first
    /// provisioner, whose address must not be used: ``joined(as:using:)`` gives the network to work with.
    package var network: MeshNetwork
    /// What the network does not model, to be stored with it and joined again at export.
    package var extras: CDBExtras
    /// Departures from the format in the order of their discovery.
    package var repairs: [Repair]

    /// The network with one more provisioner, as which meshplan acts, see
    /// ``MeshCore/MeshNetwork/addingProvisioner(to:name:using:)``.
    ///
    /// - Throws: ``StoreError/Code/noFreeAddresses``.
    package func joined(
        as name: String = "meshplan",
        using generator: inout some RandomNumberGenerator
    ) throws(StoreError) -> MeshNetwork {
        try MeshNetwork.addingProvisioner(to: network, name: name, using: &generator)
    }
}
