/// A node before a reprovisioning over its Node Provisioning Protocol Interface. The provisioning data may change only
/// what the procedure is for (Mesh Protocol 1.1, 3.11.8).
package struct ReprovisionRules: Hashable, Sendable {
    package var procedure: NodeProvisioningProcedure
    package var netKeys: [NetKey]
    package var ivIndex: IVIndex
    /// The addresses of the node's elements.
    package var addresses: ClosedRange<UInt16>

    package init(
        procedure: NodeProvisioningProcedure,
        netKeys: [NetKey],
        ivIndex: IVIndex,
        addresses: ClosedRange<UInt16>
    ) {
        self.procedure = procedure
        self.netKeys = netKeys
        self.ivIndex = ivIndex
        self.addresses = addresses
    }

    /// The first part of the provisioning data that the procedure does not allow; nil if it allows everything.
    ///
    /// NetKey, index, flags and IV index must be those of the node. The address must be the node's, or, for an address
    /// reprovisioning, the start of a range that does not overlap the node's.
    ///
    /// - Parameter elementCount: the number of elements after the reprovisioning.
    package func mismatch(of data: ProvisioningData, elementCount: UInt8) -> DecodeError? {
        guard let key = netKeys.first(where: { $0.index == data.netKeyIndex }) else {
            return .prohibited(field: "NetKeyIndex", value: UInt64(data.netKeyIndex.rawValue))
        }
        let expected = ProvisioningData(subnet: key, ivIndex: ivIndex, address: data.address)
        guard data.netKey == expected.netKey else { return .prohibited(field: "NetKey", value: 0) }
        guard data.isKeyRefreshing == expected.isKeyRefreshing,
            data.ivIndex.isUpdateInProgress == ivIndex.isUpdateInProgress
        else {
            let flags: UInt64 = (data.isKeyRefreshing ? 1 : 0) | (data.ivIndex.isUpdateInProgress ? 2 : 0)
            return .prohibited(field: "Flags", value: flags)
        }
        guard data.ivIndex.value == ivIndex.value else {
            return .prohibited(field: "IVIndex", value: UInt64(data.ivIndex.value))
        }
        let isAllowed: Bool
        switch procedure {
        case .deviceKeyRefresh, .nodeCompositionRefresh: isAllowed = data.address.rawValue == addresses.lowerBound
        case .nodeAddressRefresh:
            let last = Int(data.address.rawValue) + Int(elementCount) - 1
            isAllowed = last < Int(addresses.lowerBound) || data.address.rawValue > addresses.upperBound
        }
        return isAllowed ? nil : .prohibited(field: "UnicastAddress", value: UInt64(data.address.rawValue))
    }
}
