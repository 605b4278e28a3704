package import MeshCore

/// Why a proxy link ended or could not be made.
package struct LinkFailure: Error, Hashable, Sendable {
    /// What happened, a sentence without a full stop.
    package var reason: String
    /// What helps, if anything is known.
    package var hint: Advice?
    /// Whether no proxy that would do was heard, for which a key refresh may be the reason.
    package var isOfSilence = false

    /// A failure with this text.
    package init(reason: String, hint: Advice? = nil, isOfSilence: Bool = false) {
        self.reason = reason
        self.hint = hint
        self.isOfSilence = isOfSilence
    }
}

extension LinkFailure {
    /// The failure for a bearer's error.
    init(_ error: BearerError) {
        self.init(reason: error.message, hint: error.hint)
    }

    static let peerBrokeProtocol = LinkFailure(reason: "the proxy broke the rules of the Proxy protocol")
    static let unfinishedPDU = LinkFailure(reason: "the proxy left a Proxy PDU unfinished")
    static let excludedProxy = LinkFailure(reason: "the proxy is an excluded node")
    static let connectTimeout = LinkFailure(reason: "connecting to the proxy takes too long")
    static let nobody = LinkFailure(
        reason: "no proxy of the network is in reach",
        hint: "move closer to a node whose GATT proxy is on, or switch one on",
        isOfSilence: true
    )

    /// The required proxy was not heard.
    ///
    /// - Parameter others: the proxies that were heard instead, with their signals; words for people.
    static func notHeard(_ required: RequiredProxy, others: [String]) -> LinkFailure {
        let most = 8
        var heard = others.prefix(most).joined(separator: ", ")
        if others.count > most { heard += " and \(others.count - most) more" }
        return LinkFailure(
            reason: "the proxy \(required.text) is not heard; "
                + (others.isEmpty ? "neither is any other of the network" : "heard instead: \(heard)"),
            hint: """
                it must have power, be close, and have its GATT proxy on or its Node Identity running; without \
                \(command: .chooseProxy) any proxy will do
                """,
            isOfSilence: true
        )
    }

    /// A link has led to another node than the one it was made for.
    static func otherNode(_ node: UnicastAddress) -> LinkFailure {
        LinkFailure(reason: "the proxy is \(node), another node than the one that was looked for")
    }

    /// Proxies are in reach, but none of a suitable subnet.
    ///
    /// - Parameter subnets: the names of the suitable subnets, at least one.
    static func uncovered(_ subnets: [String]) -> LinkFailure {
        LinkFailure(
            reason: "no proxy of subnet \(subnets.joined(separator: " or ")) is in reach",
            hint: "a node of that subnet must have its GATT proxy on, be powered and be close enough",
            isOfSilence: true
        )
    }

    static func smallPackets(_ size: Int) -> LinkFailure {
        LinkFailure(reason: "the link carries only \(size) octets at once, too few for a Proxy PDU")
    }
}
