import MeshCore
import Planning

/// The messages about entries of the bridging table, and the meaning of their statuses for an action.
struct BridgingInquiries {
    private let action: ConfigurationAction

    /// The messages of an action that changes the bridging table.
    init(_ action: ConfigurationAction) {
        self.action = action
    }

    /// Bridging Table Add or Remove. The status contains the remaining directions.
    func request(_ entry: BridgingTableEntry, isAdded: Bool) -> ConfigurationInquiry {
        let (first, second) = (entry.addresses.first.address, entry.addresses.second)
        if isAdded {
            let request = BridgingTableAdd(
                directions: entry.addresses.directions,
                subnets: entry.subnets,
                firstAddress: first,
                secondAddress: second
            )
            return ConfigurationInquiry(request) { status in
                guard status.status == .success else { return .refused(status.status) }
                return status.directions == entry.addresses.directions
                    ? .holds(action) : .differs("a bridging table entry with other directions")
            }
        }
        let request = BridgingTableRemove(subnets: entry.subnets, firstAddress: first, secondAddress: second)
        return ConfigurationInquiry(request) { status in
            guard status.status == .success else { return .refused(status.status) }
            return status.directions == nil ? .holds(action) : .differs("that the bridging table entry is still there")
        }
    }

    /// Bridging Table Remove of all entries between subnets: both addresses are unassigned.
    func requestRemovingAll(between subnets: NetKeyIndexPair) -> ConfigurationInquiry {
        let request = BridgingTableRemove(subnets: subnets, firstAddress: .unassigned, secondAddress: .unassigned)
        return ConfigurationInquiry(request) { status in
            status.status == .success ? .holds(action) : .refused(status.status)
        }
    }

    /// Asks whether the bridging table has no entry between subnets.
    func readBackRemovingAll(between subnets: NetKeyIndexPair) -> ConfigurationInquiry {
        ConfigurationInquiry(BridgingTableGet(subnets: subnets, startIndex: 0), answerSize: 63) { list in
            // A node that lacks one of the subnets has no entry between them.
            if list.status == .invalidNetKeyIndex { return .holds(action) }
            guard list.status == .success else { return .refused(list.status) }
            return list.entries.isEmpty ? .holds(action) : .doesNotHold
        }
    }

    /// Asks from a position whether the bridging table has an entry, which may take several messages.
    func readBack(_ entry: BridgingTableEntry, isAdded: Bool, from position: UInt16) -> ConfigurationInquiry {
        let request = BridgingTableGet(subnets: entry.subnets, startIndex: position)
        return ConfigurationInquiry(request, answerSize: 63) { list in
            // A node that lacks one of the subnets has no entry between them.
            if list.status == .invalidNetKeyIndex { return isAdded ? .doesNotHold : .holds(action) }
            guard list.status == .success else { return .refused(list.status) }
            let found = list.entries.first { entry.isAbout(BridgingTableEntry(subnets: entry.subnets, addresses: $0)) }
            if let found {
                return isAdded && found.directions == entry.addresses.directions ? .holds(action) : .doesNotHold
            }
            let next = Int(position) + list.entries.count
            if !list.entries.isEmpty, let next = UInt16(exactly: next) { return .continues(at: next) }
            return isAdded ? .doesNotHold : .holds(action)
        }
    }
}
