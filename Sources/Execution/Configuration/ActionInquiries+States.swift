import MeshCore
import Planning

/// States of the foundation models, all in the same way, and entries of the bridging table.
extension ActionInquiries {
    /// The Set of a state, whose status contains the value that holds afterwards.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` for a value that cannot be set.
    func setting(_ state: FoundationState) throws(StepFailure) -> ConfigurationInquiry {
        guard let request = state.set else {
            throw .unmakeable("\(state.kind.title) cannot be set to what is known of it: \(state.text())")
        }
        return inquiry(request) { report in
            state.explains(report) ? .holds(.set(state.completed(by: report))) : .differs(words(of: report, for: state))
        }
    }

    /// The Get of a state, which tells whether it has the value.
    func readingBack(_ state: FoundationState) -> ConfigurationInquiry {
        inquiry(state.kind.get) { report in
            state.explains(report) ? .holds(.set(state.completed(by: report))) : .doesNotHold
        }
    }

    private func inquiry(
        _ request: some FoundationStateRequest,
        _ verdict: @escaping (FoundationState) -> ConfigurationVerdict
    ) -> ConfigurationInquiry {
        ConfigurationInquiry(request) { status in
            let report = status.foundationState
            if report.isNotSupported || status.outcome == .featureNotSupported { return .featureNotSupported }
            return status.outcome == .success ? verdict(report) : .refused(status.outcome)
        }
    }

    private func words(of report: FoundationState, for state: FoundationState) -> String {
        let words = "\(report.kind.title): \(report.text())"
        guard state == .privateGATTProxy(.enabled) else { return words }
        return words + " (it stays off while the GATT proxy is on)"
    }

    /// Bridging Table Add or Remove. The status contains the remaining directions.
    func bridging(_ entry: BridgingTableEntry, isAdded: Bool) -> ConfigurationInquiry {
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
    func unbridging(_ subnets: NetKeyIndexPair) -> ConfigurationInquiry {
        let request = BridgingTableRemove(subnets: subnets, firstAddress: .unassigned, secondAddress: .unassigned)
        return ConfigurationInquiry(request) { status in
            status.status == .success ? .holds(action) : .refused(status.status)
        }
    }

    /// Asks whether the bridging table has no entry between subnets.
    func readingBack(_ subnets: NetKeyIndexPair) -> ConfigurationInquiry {
        ConfigurationInquiry(BridgingTableGet(subnets: subnets, startIndex: 0), answerSize: 63) { list in
            // A node that lacks one of the subnets has no entry between them.
            if list.status == .invalidNetKeyIndex { return .holds(action) }
            guard list.status == .success else { return .refused(list.status) }
            return list.entries.isEmpty ? .holds(action) : .doesNotHold
        }
    }

    /// Asks from a position whether the bridging table has an entry, which may take several messages.
    func readingBack(_ entry: BridgingTableEntry, isAdded: Bool, from position: UInt16) -> ConfigurationInquiry {
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
