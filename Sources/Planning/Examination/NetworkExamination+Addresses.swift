import MeshCore

// Addresses: who has which one, and who may assign which ones.

extension NetworkExamination {
    mutating func examineProvisioners() {
        let own = network.provisioners.first { $0.uuid == network.ownProvisioner }
        if own == nil {
            add(
                .error,
                "no-own-provisioner",
                "meshplan is not among the provisioners, so it has no addresses to give out",
                advice:
                    "Export the network with \(command: .exportNetwork) and import it again: an import makes a provisioner."
            )
        }
        if nodesByUUID[network.ownProvisioner] == nil {
            add(
                .error,
                "no-own-node",
                "meshplan has no node, and so no address to send from",
                advice:
                    "Export the network with \(command: .exportNetwork) and import it again: an import makes a node."
            )
        }
        let ranges = network.provisioners.flatMap { provisioner in
            provisioner.unicastRanges.map { (range: $0, name: provisioner.name) }
        }.sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
        for (first, second) in zip(ranges, ranges.dropFirst())
        where first.range.upperBound >= second.range.lowerBound && first.name != second.name {
            add(
                .error,
                "ranges-overlap",
                "the provisioners \(first.name) and \(second.name) both give out addresses from \(hex(second.range.lowerBound)) on",
                advice:
                    "Change the range of one of them with its own tool: two nodes with one address lose each other's messages."
            )
        }
        guard let own else { return }
        let total = own.unicastRanges.reduce(0) { $0 + $1.count }
        let free = UnicastAddressPool(network).freeCount
        if total > 0, free * 20 < total {
            add(
                free == 0 ? .error : .warning,
                "addresses-run-out",
                "of \(total) addresses that meshplan may give out \(free) are free",
                advice:
                    "Addresses of removed nodes come back two IV indexes later; other provisioners may give up ranges."
            )
        }
    }

    mutating func examineAddresses() {
        // In order of addresses, an overlap begins below the highest end so far.
        var reach: (end: UInt16, name: String)?
        let claims =
            network.nodes.map { (range: $0.addresses, name: "node.\($0.name)") }
            + network.pendingProvisionings.map { (range: $0.addresses, name: "the pending device \($0.name)") }
        for claim in claims.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            if let reach, reach.end >= claim.range.lowerBound {
                add(
                    .error,
                    "addresses-overlap",
                    about: claim.name.hasPrefix("node.") ? claim.name : nil,
                    "\(claim.name) has the address \(hex(claim.range.lowerBound)), which \(reach.name) also has",
                    advice: "Give one of them other addresses: \(command: .giveAddresses), or reset it."
                )
            }
            if claim.range.upperBound >= reach?.end ?? 0 { reach = (claim.range.upperBound, claim.name) }
        }
        let ranges = network.provisioners.flatMap(\.unicastRanges).sorted { $0.lowerBound < $1.lowerBound }
        let outside = network.nodes.filter { node in
            !ranges.contains { $0.contains(node.addresses.lowerBound) && $0.contains(node.addresses.upperBound) }
        }
        add(
            .note,
            "outside-ranges",
            nodes: outside.map(\.name),
            "outside the ranges of all provisioners",
            advice: "These addresses stay as they are; no provisioner assigns them."
        )
    }

    mutating func examineExclusions() {
        var holders: [UInt16: String] = [:]
        for node in network.nodes where !node.isExcluded {
            for address in node.addresses { holders[address] = node.name }
        }
        for exclusion in network.exclusions {
            if exclusion.ivIndex > network.ivIndex.value {
                add(
                    .warning,
                    "exclusion-ahead",
                    "addresses are excluded at IV index \(exclusion.ivIndex), later than the network's \(network.ivIndex.value)",
                    advice: "The IV index of the database is behind: \(command: .recoverIVIndex) finds the present one."
                )
            }
            guard exclusion.holds(at: network.ivIndex.value) else { continue }
            for address in exclusion.addresses {
                guard let name = holders[address.rawValue] else { continue }
                add(
                    .error,
                    "excluded-in-use",
                    about: "node.\(name)",
                    "\(name) has the address \(address), which is excluded until IV index \(exclusion.end)",
                    advice: """
                        Other nodes may drop its messages as replays until then; give it another address with \
                        \(command: .giveAddresses).
                        """
                )
            }
        }
    }

    func hex(_ address: UInt16) -> String { Address(rawValue: address).description }
}

extension UnicastAddressPool {
    /// How many addresses can still be assigned.
    fileprivate var freeCount: Int {
        (UnicastAddress.first.rawValue...UnicastAddress.last.rawValue).count { number in
            UnicastAddress(rawValue: number).map { conflict(at: $0, count: 1) == nil } ?? false
        }
    }
}
