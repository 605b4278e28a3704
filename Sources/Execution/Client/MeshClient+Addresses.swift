package import MeshCore
import Planning

/// Messages under an AppKey that nobody answers: to groups, and unacknowledged ones to elements.
extension MeshClient {
    /// Whether a ready link forwards messages under an AppKey.
    func canPost(under key: AppKey) -> Bool { transport.placeToPost(under: key) != nil }

    /// Sends an access message once, over a ready link of the mesh.
    ///
    /// - Parameters:
    ///   - destination: an element, a group or a virtual address.
    ///   - key: the AppKey; the message goes out in its subnet.
    /// - Returns: nil if no ready link forwards messages of the subnet; a request makes the client look for one.
    /// - Throws: ``StackError`` if neither this message nor others can be sent.
    package mutating func post(
        _ payload: [UInt8],
        to destination: Destination,
        under key: AppKey,
        at now: Instant
    ) throws(StackError) -> [Output]? {
        guard let (actions, target) = try transport.post(payload, to: destination, under: key, at: now) else {
            return nil
        }
        var outputs: [Output] = []
        perform(actions, arrivedOn: target, at: now, into: &outputs)
        return outputs
    }
}

extension LinkTransport {
    /// The place of the first ready link that forwards messages under an AppKey.
    fileprivate func placeToPost(under key: AppKey) -> Int? {
        keeper.links.firstIndex { link in
            link.isReady && link.directNode == nil && link.subnets.contains(key.boundNetKey)
        }
    }

    /// Sends an access message under an AppKey, once.
    ///
    /// - Returns: what the stack does, and the link; nil if no ready link forwards messages of the subnet.
    /// - Throws: ``StackError`` if neither this message nor others can be sent.
    fileprivate mutating func post(
        _ payload: [UInt8],
        to destination: Destination,
        under key: AppKey,
        at now: Instant
    ) throws(StackError) -> (actions: [StackAction], link: LinkTarget)? {
        guard let place = placeToPost(under: key) else { return nil }
        let message = OutgoingMessage(
            source: address,
            destination: destination,
            payload: payload,
            security: .application(key.index),
            netKeyIndex: key.boundNetKey,
            ttl: ttl
        )
        let (_, actions) = try stack.send(message, at: now)
        keeper.links[place].usedAt = now
        return (actions, keeper.links[place].target)
    }
}
