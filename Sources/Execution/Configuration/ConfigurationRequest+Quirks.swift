import MeshCore
import Planning

/// Which known quirks show in the answer to a request.
extension ConfigurationRequest {
    /// The quirk that shows in a status that is accepted as the answer.
    ///
    /// - Parameter parameters: the octets from which it was read.
    func quirk(of status: Status, read parameters: ArraySlice<UInt8>) -> KnownQuirk? {
        if subject.isExchanged(in: status.subject) { return .exchangedVendorModels }
        if let page = status as? ConfigCompositionDataStatus {
            guard page.page == 0, let (composition, repeatsModels) = try? Composition.told(page0: page.data) else {
                return nil
            }
            if composition.withVendorModelsInOrder != nil { return .exchangedVendorModels }
            return repeatsModels ? .repeatedModels : nil
        }
        guard !status.parameters.elementsEqual(parameters) else { return nil }
        switch status {
        case is ConfigHeartbeatPublicationStatus: return .heartbeatWithoutNetKey
        case let list as ConfigSIGModelAppList where list.entries.isEmpty: return .listedDeviceKey
        case let list as ConfigVendorModelAppList where list.entries.isEmpty: return .listedDeviceKey
        case is ConfigNetKeyList, is ConfigAppKeyList, is ConfigSIGModelAppList, is ConfigVendorModelAppList:
            return .unpackedKeyLists
        default: return nil
        }
    }

    /// The quirk that shows in a status that concerns something else.
    func oddQuirk(of status: Status) -> KnownQuirk? {
        guard let report = status as? ConfigModelSubscriptionStatus, report.status == .success,
            report.address == .unassigned, self is any ModelSubscriptionVirtualAddressRequest,
            subject.matches(report.subject)
        else { return nil }
        return .unassignedVirtualAddress
    }
}

extension KeyIndex {
    /// The keys that a list means: as it was read, or read with two octets for each index if only that gives keys that
    /// the network has.
    static func meant(by list: [Self], known: [Self]) -> [Self] {
        guard list.count > 2, let unpacked = list.readUnpacked, !list.allSatisfy(known.contains),
            unpacked.allSatisfy(known.contains)
        else { return list }
        return unpacked
    }
}
