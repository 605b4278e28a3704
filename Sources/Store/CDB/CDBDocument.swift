package import MeshCore

/// The result of reading a configuration database in JSON.
package struct CDBDocument: Hashable, Sendable {
    /// One departure from the format that could still be understood.
    package struct Repair: Hashable, Sendable {
        /// Where it is, a JSON pointer (RFC 6901) into the document: `/nodes/3/security`.
        package var pointer: String
        /// What was there and how it was understood. One sentence without a full stop.
        package var reason: String
        /// Whether every list names it, however long: identities that were made, and addresses that were taken away.
        package var isImportant = false
    }

    /// Something that is understood and taken as it is, but that the owner of the document should know.
    package struct Remark: Hashable, Sendable {
        /// Where it is, a JSON pointer (RFC 6901) into the document.
        package var pointer: String
        /// One sentence without a full stop. Never a key.
        package var text: String
    }

    /// The network as the document has it. Its ``MeshCore/MeshNetwork/ownProvisioner`` is the document's first
    /// provisioner, whose address must not be used; ``joined(as:using:)`` returns the network to work with.
    package var network: MeshNetwork
    /// The program that seems to have written it.
    package var dialect: CDBDialect
    /// What the network does not model. It is stored with the network and written out again at export.
    package var extras: CDBExtras
    /// Departures from the format in the order of their discovery.
    package var repairs: [Repair]
    /// How many more departures there were.
    package var furtherRepairs = 0
    /// What may do harm without being a departure from the format, in the order of the document.
    package var remarks: [Remark]
    /// Whether the document says that it leaves out parts of the network.
    package var isPartial: Bool
    /// The JSON pointer of the object that holds the network; empty for the whole document.
    var root: String

    /// The network with one more provisioner, the one meshplan acts as; see
    /// ``MeshCore/MeshNetwork/addingProvisioner(to:name:using:)``.
    ///
    /// - Throws: ``StoreError/Code/noFreeAddresses`` if no address is left for it.
    package func joined(
        as name: String = provisionerName,
        using generator: inout some RandomNumberGenerator
    ) throws(StoreError) -> MeshNetwork {
        let taken = Set(network.provisioners.map(\.name) + network.nodes.map(\.name))
        var candidate = name
        var number = 1
        while taken.contains(candidate) {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return try MeshNetwork.addingProvisioner(to: network, name: candidate, using: &generator)
    }

    /// What our provisioner is called, unless something in the network is already.
    package static let provisionerName = "meshplan"

    /// Whether a provisioner of the document is one of meshplan, so that another database of the network exists.
    package var hasOurProvisioner: Bool {
        dialect == .meshplan && network.provisioners.contains { $0.name.hasPrefix(Self.provisionerName) }
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

    /// What ``joined(as:using:)`` had to take from the document's provisioners, because they shared all addresses among
    /// themselves. Their users must be told; otherwise they give out the same addresses.
    package func concessions(in joined: MeshNetwork) -> [Repair] {
        let ranges = joined.provisioners.first { $0.uuid == joined.ownProvisioner }?.unicastRanges ?? []
        return network.provisioners.enumerated().compactMap { index, provisioner in
            let lost = ranges.filter { own in provisioner.unicastRanges.contains { $0.overlaps(own) } }
            guard !lost.isEmpty else { return nil }
            let text = lost.map { "\($0.lowerBound.hexadecimal) to \($0.upperBound.hexadecimal)" }
            return Repair(
                pointer: "\(root)/provisioners/\(index)/allocatedUnicastRange",
                reason:
                    "no address was left for meshplan's own provisioner, so \(text.joined(separator: " and ")) was taken "
                    + "out of the range; \(provisioner.name) must no longer give these out",
                isImportant: true
            )
        }
    }
}
