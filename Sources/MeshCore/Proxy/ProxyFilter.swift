/// The filter that a proxy server keeps for one link (Mesh Protocol 6.4 and 6.7).
package struct ProxyFilter: Hashable, Sendable {
    /// Accept or reject list; an accept list at first.
    package private(set) var type = ProxyFilterType.acceptList
    private var list: Set<Address> = []
    private let capacity: Int

    /// The filter of a new link: an empty accept list, which lets nothing pass. It has room for `capacity` addresses.
    package init(capacity: Int = 1024) {
        self.capacity = min(max(1, capacity), 0xFFFF)
    }

    /// The addresses in the list, sorted.
    package var addresses: [Address] { list.sorted() }

    /// Whether a network PDU to `destination` passes to the client.
    package func passes(_ destination: Address) -> Bool {
        list.contains(destination) == (type == .acceptList)
    }

    /// Handles a request of the client. Addresses beyond the capacity are left out, which the status shows.
    ///
    /// - Returns: the Filter Status that answers; nil if a server does not accept the message.
    package mutating func handle(_ message: ProxyConfigurationMessage) -> ProxyConfigurationMessage? {
        switch message {
        case .setFilterType(let type):
            self.type = type
            list = []
        case .addAddresses(let addresses):
            for address in addresses { insert(address) }
        case .removeAddresses(let addresses): list.subtract(addresses)
        case .filterStatus, .directedProxyCapabilitiesStatus, .directedProxyControl: return nil
        }
        return .filterStatus(type, listSize: UInt16(truncatingIfNeeded: list.count))
    }

    /// Records that the client sent a valid network PDU from `source`, so that answers pass.
    package mutating func clientSent(from source: UnicastAddress) {
        switch type {
        case .acceptList: insert(source.address)
        case .rejectList: list.remove(source.address)
        }
    }

    private mutating func insert(_ address: Address) {
        guard address != .unassigned, list.count < capacity || list.contains(address) else { return }
        list.insert(address)
    }
}
