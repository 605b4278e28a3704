package import MeshCore

/// What is known of a node that does not answer, and the likely cause. A value:
/// ``Executor/diagnose(_:listeningFor:telling:)`` fills it, step by step.
package struct NodeDiagnosis: Hashable, Sendable {
    /// What came of asking.
    package enum Reply: Hashable, Sendable {
        /// Nobody was asked, because there was nothing to ask for.
        case notAsked
        case answered
        case silent
        /// There was no way: the reason, a sentence without a full stop.
        case unreachable(String)
    }

    /// Another node of its subnets that was asked.
    package struct Other: Hashable, Sendable {
        package let node: DeviceUUID
        package var reply: Reply
        /// Whether the database has it as a relay.
        package let isRelay: Bool
        /// Whether its relay feature is on, as it says; nil if it does not say.
        package var isRelaying: Bool?
    }

    /// The likely cause.
    package enum Cause: Hashable, Sendable {
        case none
        /// It was heard as a device without a network.
        case reset
        case noProxy
        /// Nobody answers, and they do since sequence numbers were left out: others have seen higher ones of us.
        case sequenceNumbers
        /// Nobody that was asked answers, although there is a link.
        case nobodyAnswers
        /// It answers only messages that go further than usual.
        case tooFar
        /// It answers under an application key, but not under its DeviceKey.
        case deviceKey
        /// These relays do not relay, or do not answer.
        case relays([DeviceUUID])
        /// It is heard, and does not answer.
        case deaf
        /// It has no power, or is out of reach.
        case off
    }

    package let node: DeviceUUID
    /// Why nobody could listen; nil if somebody did.
    package var deafness: String?
    /// How many proxies of the network were heard.
    package var proxies = 0
    /// The node's own advertisement as a proxy by its Node Identity: its signal; nil if there was none.
    package var identitySignal: Int8?
    package var isIdentityHeard = false
    /// Whether it was heard as a device without a network.
    package var isUnprovisioned = false
    /// What came of a Composition Data Get with the usual TTL.
    package var usual = Reply.notAsked
    package var usualTTL: UInt8 = 0
    /// What came of the same with the greatest TTL.
    package var farthest = Reply.notAsked
    /// What came of a Get under an application key.
    package var application = Reply.notAsked
    /// What came of other nodes of its subnets.
    package var others: [Other] = []
    /// What came of asking after sequence numbers were left out.
    package var afterSkipping = Reply.notAsked
    /// Why it ended early; ``Recap/Ending/completed`` if it did not.
    package var ending = Recap.Ending.completed

    /// Nothing is known yet.
    package init(of node: DeviceUUID) {
        self.node = node
    }

    /// Whether all others that were asked are silent, and there are some.
    package var isEverybodySilent: Bool { !others.isEmpty && others.allSatisfy { $0.reply == .silent } }

    /// The likely cause, by what weighs most.
    package var cause: Cause {
        if usual == .answered { return .none }
        if isUnprovisioned { return .reset }
        if case .unreachable = usual { return afterSkipping == .answered ? .sequenceNumbers : .noProxy }
        if farthest == .answered { return .tooFar }
        if application == .answered { return .deviceKey }
        if isEverybodySilent {
            return afterSkipping == .answered ? .sequenceNumbers : .nobodyAnswers
        }
        if isIdentityHeard { return .deaf }
        let relays = others.filter { $0.isRelay && ($0.reply == .silent || $0.isRelaying == false) }.map(\.node)
        return relays.isEmpty ? .off : .relays(relays)
    }
}
