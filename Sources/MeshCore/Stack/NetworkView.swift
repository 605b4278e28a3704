/// What the NetKeys of a participant make of network PDUs: stands for the keys that it tries, in their order, and the
/// keys that it relays with. Participants that share ``KeySchedules`` and hold the same keys in the same phases have
/// the same instance.
final class NetworkView {
    /// A key that opens PDUs.
    struct Part: Hashable {
        let index: NetKeyIndex
        /// The prepared key.
        let opens: ObjectIdentifier
        /// The prepared key of the subnet for sending.
        let sends: ObjectIdentifier?
    }

    /// Tells views apart without a reference to them.
    var identity: ObjectIdentifier { ObjectIdentifier(self) }
}

/// What a network PDU that many receivers of one thread hear leaves to do for one of them.
package enum SharedPassage: Sendable {
    /// Nothing: no key opens it, or it comes from the receiver itself or for a second time.
    case over
    /// Only to send ``SharedNetworkPDU/onward`` if the relay or proxy feature is on.
    case onward
    /// It may be for the receiver, and nothing has happened yet: call ``MeshStack/receive(_:at:)``.
    case arrival
}

extension MeshStack {
    /// Handles a network PDU that other stacks of the same thread receive, too, as far as the network layer goes.
    ///
    /// Most PDUs are for others, or come a second time over another relay. With them this does the same as
    /// ``receive(_:at:)``, in a fraction of the time: what follows from the keys alone is looked up once for all
    /// receivers with the same keys.
    package mutating func pass(_ shared: SharedNetworkPDU) -> SharedPassage {
        let ivIndex = ivIndexMonitor.current.value
        if !shared.isSeen(keys.networkViewIdentity, ivIndex) {
            shared.look(as: keys.networkView, ivIndex) {
                guard let (opened, netKeyIndex) = try? open(shared) else { return nil }
                guard opened.pdu.ttl >= 2, let credentials = keys.transmitCredentials(netKeyIndex) else {
                    return (opened, netKeyIndex, nil)
                }
                let onward = opened.relayed(with: credentials) { relayed(opened.pdu, with: credentials) }
                return (opened, netKeyIndex, onward)
            }
        }
        let sight = shared.sight
        guard sight.isOpen, !isElement(sight.source) else { return .over }
        var hint = shared.cacheHint
        let passage: SharedPassage
        if !sight.isForOthers || isElement(sight.destination) {
            passage = cache.contains(sight.identity, hint: &hint) ? .over : .arrival
        } else {
            passage = cache.insert(sight.identity, hint: &hint) && sight.hasOnward ? .onward : .over
        }
        if hint != shared.cacheHint { shared.cacheHint = hint }
        return passage
    }

    /// Keeps the network message cache together with those of other stacks of the same thread from now on. It begins
    /// empty. Copies of the stack then have one cache.
    ///
    /// - Parameter member: the number of this stack, which no other stack has.
    package mutating func shareCache(_ caches: SharedRecency, member: Int) {
        cache = NetworkMessageCache(caches, member: member)
    }

    /// How many PDUs a network message cache remembers unless somebody says otherwise.
    package static let cacheCapacity = 512
}
