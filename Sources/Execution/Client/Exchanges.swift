import MeshCore
import Planning

/// The outstanding requests, at most one for each node: their time-outs, and what is made of answers.
///
/// It decides and keeps time; its owner sends the messages, and has the links that carry them.
struct Exchanges {
    /// How a request ended.
    enum Ending {
        /// It was given up at its deadline.
        case unanswered
        /// The node answered, possibly in a known way that departs from the specification.
        case answered(ConfigurationVerdict, KnownQuirk?)

        /// What the owner of the client is told.
        func outputs(for exchange: Exchange) -> [ClientOutput] {
            switch self {
            case .unanswered: return [.unanswered(exchange.identifier)]
            case .answered(let verdict, let quirk):
                let answer = ClientOutput.answered(
                    exchange.identifier,
                    verdict,
                    transmissions: exchange.transmissions
                )
                return (quirk.map { [.quirk(exchange.identifier, $0)] } ?? []) + [answer]
            }
        }
    }

    /// What is due for a request.
    enum Due {
        case nothing
        /// Send it again.
        case transmission
        /// End it.
        case end(Ending)
    }

    private let policy: RetryPolicy
    private var exchanges: [UnicastAddress: Exchange] = [:]
    /// The nodes whose requests went to other elements of them, by those elements.
    private var askedFor: [UnicastAddress: UnicastAddress] = [:]
    /// The nodes to which segments are being sent.
    private var receivers: [TransmissionIdentifier: UnicastAddress] = [:]
    /// The latest answers to requests that were sent to nodes several times. They may come again, and then say nothing
    /// about the next request.
    private var repeatedAnswers: [UnicastAddress: [[UInt8]]] = [:]
    private var nextRequest: UInt64 = 0
    /// Round trips through the mesh, and over links that lead directly to the node.
    private var roundTrips = RoundTrips()
    private var directRoundTrips = RoundTrips()

    /// No requests.
    init(_ policy: RetryPolicy) {
        self.policy = policy
    }

    /// The request to a node.
    subscript(node: UnicastAddress) -> Exchange? { exchanges[node] }

    /// A request by its identifier.
    func exchange(_ identifier: RequestIdentifier) -> Exchange? {
        exchanges.values.first { $0.identifier == identifier }
    }

    /// How many requests there are.
    var count: Int { exchanges.count }

    /// The nodes with a request, sorted.
    var nodes: [UnicastAddress] { exchanges.keys.sorted() }

    /// When the next request is due.
    var nextDeadline: Instant? { exchanges.values.lazy.compactMap(\.nextDeadline).min() }

    /// The nodes whose requests are due, sorted.
    func due(at now: Instant) -> [UnicastAddress] {
        exchanges.values.filter { exchange in exchange.nextDeadline.map { $0 <= now } ?? false }.map(\.node).sorted()
    }

    /// The requests that no link serves, not even one that is being made, in the order of their nodes.
    func waiting(for links: ProxyLinks, _ nodes: ProxyNodes) -> [Exchange] {
        exchanges.values
            .filter { exchange in
                guard exchange.carrier == nil || links.isUneasy(exchange) else { return false }
                return !links.serveOrPromise(exchange, nodes)
            }
            .sorted { $0.node < $1.node }
    }

    // MARK: Begin and end

    /// Begins a request, which then waits for a link.
    ///
    /// - Parameters:
    ///   - node: the element that is asked.
    ///   - host: the primary element of its node.
    ///   - subnets: the subnets in which the node takes messages, sorted, at least one.
    ///   - missing: those of them whose new key the node does not have.
    ///   - isThroughMesh: whether no link to the node itself may carry it.
    ///   - limit: how long to wait for the answer while a link carries the request.
    ///   - misses: how often no proxy of its subnets was found before.
    mutating func begin(
        _ inquiry: ConfigurationInquiry,
        to node: UnicastAddress,
        of host: UnicastAddress,
        subnets: [NetKeyIndex],
        withOldKey missing: [NetKeyIndex],
        throughMesh isThroughMesh: Bool,
        deadline limit: Duration?,
        misses: Int,
        at now: Instant
    ) -> RequestIdentifier {
        let identifier = RequestIdentifier(rawValue: nextRequest)
        nextRequest += 1
        let limit = limit ?? policy.deadline
        let destination = node.element(inquiry.element) ?? node
        if destination != node { askedFor[destination] = node }
        var exchange = Exchange(
            identifier: identifier,
            node: node,
            host: host,
            destination: destination,
            inquiry: inquiry,
            subnets: subnets,
            oldKeySubnets: missing,
            isThroughMesh: isThroughMesh,
            deadline: now.advanced(by: limit),
            remaining: limit
        )
        exchange.misses = misses
        exchanges[node] = exchange
        return identifier
    }

    /// Removes the request to a node. If it names a transmission, that is still being sent.
    mutating func remove(_ node: UnicastAddress) -> Exchange? {
        guard let exchange = exchanges.removeValue(forKey: node) else { return nil }
        if let transmission = exchange.transmission { receivers[transmission] = nil }
        askedFor[exchange.destination] = nil
        return exchange
    }

    /// The node whose request a message may answer: its sender is the element that was asked.
    func node(asking element: UnicastAddress) -> UnicastAddress? {
        if let node = askedFor[element] { return node }
        return exchanges[element]?.destination == element ? element : nil
    }

    /// No proxy of a request's subnets was found once more.
    mutating func miss(_ node: UnicastAddress) {
        exchanges[node]?.misses += 1
    }

    // MARK: On links

    /// Puts a waiting request on a link.
    ///
    /// - Parameters:
    ///   - isDirect: whether the link leads directly to the node.
    ///   - patience: when to doubt the link if no answer comes; nil for never.
    /// - Returns: false if it is not waiting.
    mutating func carry(
        _ node: UnicastAddress,
        over target: LinkTarget,
        isDirect: Bool,
        doubtAfter patience: Duration?,
        at now: Instant
    ) -> Bool {
        guard var exchange = exchanges[node], let remaining = exchange.remaining else { return false }
        if exchange.isDirect != isDirect {
            // Time-outs on another kind of route say nothing about this one.
            exchange.isDirect = isDirect
            exchange.timeout = firstTimeout(of: exchange.inquiry, to: node, isDirect: isDirect)
        }
        exchange.carrier = target
        exchange.deadline = now.advanced(by: remaining)
        exchange.remaining = nil
        if let patience { exchange.doubtsAt = now.advanced(by: patience) }
        exchanges[node] = exchange
        return true
    }

    private func firstTimeout(of inquiry: ConfigurationInquiry, to node: UnicastAddress, isDirect: Bool) -> Duration {
        let measured = isDirect ? directRoundTrips : roundTrips
        return policy.firstTimeout(
            // Sending a long request again during its long status would cost both of them.
            segments: inquiry.canBeDivided ? 2 * inquiry.extraSegments : inquiry.extraSegments,
            node: measured[node],
            others: measured.all,
            isDirect: isDirect
        )
    }

    /// Makes the requests of a link wait for another link; their deadlines count only time on a link.
    ///
    /// - Returns: the transmissions to stop.
    mutating func pause(carriedBy target: LinkTarget, at now: Instant) -> [TransmissionIdentifier] {
        var stopped: [TransmissionIdentifier] = []
        for (node, exchange) in exchanges where exchange.carrier == target {
            if let transmission = exchange.transmission {
                receivers[transmission] = nil
                stopped.append(transmission)
            }
            exchanges[node]?.leaveLink(remaining: now.duration(to: exchange.deadline))
        }
        return stopped
    }

    /// Takes a request off a link that seems not to forward it; the request waits for another link.
    ///
    /// - Parameter least: the time that it has on the next link at least.
    /// - Returns: the request as it was on the link.
    mutating func move(_ node: UnicastAddress, least: Duration, at now: Instant) -> Exchange? {
        guard let exchange = exchanges[node], exchange.carrier != nil else { return nil }
        if let transmission = exchange.transmission { receivers[transmission] = nil }
        exchanges[node]?.leaveLink(remaining: max(now.duration(to: exchange.deadline), least))
        exchanges[node]?.moves += 1
        // Time-outs on this link say nothing about the next.
        exchanges[node]?.isDirect = nil
        return exchange
    }

    // MARK: Sending

    /// A request was sent; how often, counts from 1.
    mutating func sent(_ node: UnicastAddress, as transmission: TransmissionIdentifier) -> Int {
        exchanges[node]?.transmissions += 1
        exchanges[node]?.transmission = transmission
        exchanges[node]?.nextTransmission = nil
        receivers[transmission] = node
        return exchanges[node]?.transmissions ?? 0
    }

    /// All segments of a request have arrived at the proxy, or at the node.
    mutating func completed(_ transmission: TransmissionIdentifier, at now: Instant) {
        guard let node = receivers.removeValue(forKey: transmission), let exchange = exchanges[node] else { return }
        exchanges[node]?.transmission = nil
        // The acknowledgment of segments has already made the round trip that would be measured.
        if !exchange.inquiry.isSegmented { exchanges[node]?.awaitedSince = now }
        exchanges[node]?.nextTransmission = now.advanced(by: exchange.timeout)
    }

    /// The segments of a request have not arrived.
    ///
    /// - Returns: the node whose request is to be given up; nil if it is sent again.
    mutating func failed(
        _ transmission: TransmissionIdentifier,
        isRefused: Bool,
        at now: Instant
    ) -> UnicastAddress? {
        guard let node = receivers.removeValue(forKey: transmission), let exchange = exchanges[node] else { return nil }
        exchanges[node]?.transmission = nil
        if isRefused, exchange.inquiry.canBeDivided { return node }
        exchanges[node]?.nextTransmission = now.advanced(by: exchange.timeout)
        return nil
    }

    // MARK: Time

    /// Whether the link that carries a request is to be doubted from now on.
    mutating func takeDoubt(_ node: UnicastAddress, at now: Instant) -> Bool {
        guard let instant = exchanges[node]?.doubtsAt, instant <= now else { return false }
        exchanges[node]?.doubtsAt = nil
        return true
    }

    /// What is due for the request to a node that a link carries.
    mutating func advance(_ node: UnicastAddress, to now: Instant) -> Due {
        guard let exchange = exchanges[node], exchange.carrier != nil else { return .nothing }
        if exchange.deadline <= now {
            if let contradiction = exchange.contradiction { return .end(.answered(contradiction.verdict, nil)) }
            if let odd = exchange.odd { return .end(.answered(.odd(odd.answer), odd.answer.quirk)) }
            return .end(.unanswered)
        }
        guard let instant = exchange.nextTransmission, instant <= now else { return .nothing }
        if let odd = exchange.odd, exchange.contradiction == nil, exchange.transmissions >= exchange.inquiry.oddLimit {
            return .end(.answered(.odd(odd.answer), odd.answer.quirk))
        }
        exchanges[node]?.timeout = policy.doubled(exchange.timeout)
        return .transmission
    }

    // MARK: Answers

    /// The meaning of a message for the request to its sender; nil if it does not answer the request.
    func hearing(of message: IncomingMessage) -> ConfigurationInquiry.Hearing? {
        guard let node = node(asking: message.source), let exchange = exchanges[node], exchange.transmissions > 0,
            message.security == exchange.inquiry.security(of: node)
        else { return nil }
        return exchange.inquiry.hearing(of: message.payload)
    }

    /// A message answers the request to its sender.
    ///
    /// - Returns: how the request ends; nil if a better answer may come.
    mutating func hear(
        _ hearing: ConfigurationInquiry.Hearing,
        in message: IncomingMessage,
        at now: Instant
    ) -> Ending? {
        guard let node = node(asking: message.source), let exchange = exchanges[node] else { return nil }
        switch hearing.verdict {
        case .differs:
            let isRepeated = repeatedAnswers[node]?.contains(message.payload) == true
            if let earlier = exchange.contradiction, earlier.verdict == hearing.verdict,
                earlier.transmission < exchange.transmissions, !isRepeated
            {
                rememberRepeated(message.payload, of: node)
                return .answered(hearing.verdict, hearing.quirk)
            }
            exchanges[node]?.contradiction = (hearing.verdict, exchange.transmissions)
            return nil
        case .odd(let answer):
            if repeatedAnswers[node]?.contains(message.payload) == true { return nil }
            if let odd = exchange.odd, odd.transmission < exchange.transmissions {
                return .answered(.odd(answer), answer.quirk)
            }
            exchanges[node]?.odd = (answer, exchange.transmissions)
            return nil
        default: break
        }
        learn(from: exchange, answeredAt: now)
        if exchange.transmissions > 1 { rememberRepeated(message.payload, of: node) }
        return .answered(hearing.verdict, hearing.quirk)
    }

    private mutating func rememberRepeated(_ answer: [UInt8], of node: UnicastAddress) {
        let most = 3
        repeatedAnswers[node] = (repeatedAnswers[node] ?? []).suffix(most - 1) + [answer]
    }

    /// Uses the round trip of an exchange for later time-outs.
    private mutating func learn(from exchange: Exchange, answeredAt now: Instant) {
        let node = exchange.node
        if exchange.transmissions > 1 {
            if exchange.isDirect == true {
                directRoundTrips.backOff(to: exchange.timeout, with: node)
            } else {
                roundTrips.backOff(to: exchange.timeout, with: node)
            }
        } else if let start = exchange.awaitedSince {
            let measured = start.duration(to: now)
            if exchange.isDirect == true {
                directRoundTrips.measure(measured, with: node)
            } else {
                roundTrips.measure(measured, with: node)
            }
        }
    }
}
