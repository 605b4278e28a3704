package import MeshCore

/// What was read from a configuration database in JSON.
package struct CDBDocument: Hashable, Sendable {
    /// One departure from the format that could be understood nevertheless.
    package struct Repair: Hashable, Sendable {
        /// Where it is, a JSON pointer (RFC 6901) into the document: `/nodes/3/security`.
        package var pointer: String
        /// What was there and how it was taken, one sentence without a full stop.
        package var reason: String
        /// Whether it belongs to every list, however long: identities that were made and addresses that were taken.
        package var isImportant = false
    }

    /// Something of a document that is understood and taken as it is, but that its owner should know.
    package struct Remark: Hashable, Sendable {
        /// Where it is, a JSON pointer (RFC 6901) into the document.
        package var pointer: String
        /// What there is to say, one sentence without a full stop. Never a key.
        package var text: String
    }

    /// The network as the document has it. Its ``MeshCore/MeshNetwork/ownProvisioner`` is the document's first
    /// provisioner, whose address must not be used: ``joined(as:using:)`` gives the network to work with.
    package var network: MeshNetwork
    /// Who seems to have written it.
    package var dialect: CDBDialect
    /// What the network does not model, to be stored with it and joined again at export.
    package var extras: CDBExtras
    /// Departures from the format in the order of their discovery.
    package var repairs: [Repair]
    /// What may do harm without being a departure from the format, by the document's order.
    package var remarks: [Remark]
    /// Whether it says that it leaves out parts of the network.
    package var isPartial: Bool
    /// The pointer of the object that the network stands in, empty for the whole document.
    var root: String

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

    /// What ``joined(as:using:)`` adds to the document.
    package func additions(in joined: MeshNetwork) -> [Remark] {
        guard let own = joined.provisioners.first(where: { $0.uuid == joined.ownProvisioner }) else { return [] }
        func text(_ ranges: [ClosedRange<UInt16>]) -> String {
            ranges.map { "\($0.lowerBound.hexadecimal) to \($0.upperBound.hexadecimal)" }.joined(separator: ", ")
        }
        var parts = ["\(own.name) is added, with the addresses \(text(own.unicastRanges))"]
        if !own.groupRanges.isEmpty { parts.append("the groups \(text(own.groupRanges))") }
        let address = joined.nodes.first { $0.uuid == own.uuid }?.unicastAddress.rawValue.hexadecimal
        return [
            Remark(
                pointer: "\(root)/provisioners/\(network.provisioners.count)",
                text: parts.joined(separator: " and ") + (address.map { "; its node has the address \($0)" } ?? "")
            )
        ]
    }

    /// What ``joined(as:using:)`` had to take from provisioners of the document because they had all addresses among
    /// them: they are to be told, or else they give the same addresses out.
    package func concessions(in joined: MeshNetwork) -> [Repair] {
        let ranges = joined.provisioners.first { $0.uuid == joined.ownProvisioner }?.unicastRanges ?? []
        return network.provisioners.enumerated().compactMap { index, provisioner in
            let lost = ranges.filter { own in provisioner.unicastRanges.contains { $0.overlaps(own) } }
            guard !lost.isEmpty else { return nil }
            let text = lost.map { "\($0.lowerBound.hexadecimal) to \($0.upperBound.hexadecimal)" }
            return Repair(
                pointer: "\(root)/provisioners/\(index)/allocatedUnicastRange",
                reason:
                    "no address was left for a provisioner of our own; \(text.joined(separator: " and ")) taken out "
                    + "of the range, which \(provisioner.name) must not give out any more",
                isImportant: true
            )
        }
    }
}
