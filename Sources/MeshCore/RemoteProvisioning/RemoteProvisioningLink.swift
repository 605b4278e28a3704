/// The client's side of a link that a Remote Provisioning Server opens, to a device that it hears or to the Node
/// Provisioning Protocol Interface of its own node (PB-Remote, Mesh Protocol 1.1, 5.2.3 and 4.4.6).
///
/// A value machine that carries PDUs of the provisioning protocol both ways, each once and in order: access messages
/// and time in, actions and a deadline out. Lost messages are sent again; a link that an earlier run left open on the
/// server is closed first. All messages are between this client and the primary element of the server's node, secured
/// with the DeviceKey of that node. A client has one link to a server at most.
package struct RemoteProvisioningLink {
    /// What its owner is to do or to know, in order.
    package enum Action: Hashable, Sendable {
        /// Send an access message to the server: opcode and parameters.
        case send([UInt8])
        /// PDUs can go both ways now.
        case opened
        /// A PDU of the device.
        case received([UInt8])
        /// There is no link any more; nothing comes after this.
        case closed(RemoteProvisioningLinkEnd)
    }

    private enum State: Equatable {
        case notStarted
        /// A link of an earlier run is to be closed first.
        case clearing
        /// Link Open was sent.
        case requested
        /// The server is opening the link.
        case accepted(until: Instant)
        case open
        case closing(RemoteProvisioningCloseReason)
        case closed
    }

    private let target: RemoteProvisioningLinkOpen.Target
    private let policy: RemoteProvisioningLinkPolicy
    private var state = State.notStarted
    private var hasCleared = false
    /// How often Link Open was sent since there is nothing in its way.
    private var requests = 0
    /// When to say something again, and the time after that.
    private var repetition = Instant.distantFuture
    private var timeout: Duration
    /// When the server has said nothing for too long.
    private var silence = Instant.distantFuture
    /// PDUs that wait for those before them; the first is on its way if ``isOutstanding``.
    private var waiting: [[UInt8]] = []
    private var isOutstanding = false
    /// When that one was sent last, and how often the server was asked since what has become of it.
    private var sentAt = Instant.zero
    private var questions = 0
    private var lastOutbound: UInt8 = 0
    private var lastInbound: UInt8 = 0

    /// A link that is not opened yet.
    package init(
        target: RemoteProvisioningLinkOpen.Target,
        policy: RemoteProvisioningLinkPolicy = RemoteProvisioningLinkPolicy()
    ) {
        self.target = target
        self.policy = policy
        timeout = policy.initialTimeout
    }

    /// Whether PDUs can go both ways.
    package var isOpen: Bool { state == .open }

    /// Whether there is no link any more.
    package var isClosed: Bool { state == .closed }

    /// When ``advance(to:)`` is to be called; nil before the start and after the end.
    package var nextDeadline: Instant? {
        switch state {
        case .notStarted, .closed: nil
        case .accepted(let until): min(repetition, silence, until)
        default: min(repetition, silence)
        }
    }

    // MARK: What the owner does

    /// Asks the server to open the link.
    package mutating func open(at now: Instant) -> [Action] {
        guard state == .notStarted else { return [] }
        silence = now.advanced(by: policy.silenceLimit)
        return request(at: now)
    }

    /// Sends a PDU of the provisioning protocol, after those that wait; none on a link that is closing.
    package mutating func send(_ pdu: [UInt8], at now: Instant) -> [Action] {
        switch state {
        case .closing, .closed: return []
        default: waiting.append(pdu)
        }
        return sendNext(at: now)
    }

    /// Closes the link. With success, a procedure of the Node Provisioning Protocol Interface takes effect; with
    /// failure it is as if it had not been.
    package mutating func close(_ reason: RemoteProvisioningCloseReason, at now: Instant) -> [Action] {
        switch state {
        case .closing, .closed: return []
        case .notStarted: return end(.closedByClient(isConfirmed: true))
        default: break
        }
        state = .closing(reason)
        waiting = []
        silence = now.advanced(by: policy.closingLimit)
        timeout = policy.initialTimeout
        return say(RemoteProvisioningLinkClose(reason: reason), at: now)
    }

    /// Lets time pass.
    package mutating func advance(to now: Instant) -> [Action] {
        switch state {
        case .notStarted, .closed: return []
        case .closing where silence <= now: return end(.closedByClient(isConfirmed: false))
        case .accepted(let until) where until <= now: return giveUp(.notOpened)
        default: break
        }
        if silence <= now { return giveUp(.silent) }
        return repetition <= now ? repeatMessage(at: now) : []
    }

    // MARK: What the server sends

    /// Takes in an access message of the server: opcode and parameters. What is none of its messages, or malformed, is
    /// ignored.
    package mutating func receive(_ payload: [UInt8], at now: Instant) -> [Action] {
        switch state {
        case .notStarted, .closed: return []
        default: break
        }
        guard let message = try? decodeFoundationMessage(payload) else { return [] }
        switch message {
        case let status as RemoteProvisioningLinkStatus:
            hear(at: now)
            return receive(status, at: now)
        case let report as RemoteProvisioningLinkReport:
            hear(at: now)
            return receive(report, at: now)
        case let report as RemoteProvisioningPDUOutboundReport:
            hear(at: now)
            return receive(report, at: now)
        case let report as RemoteProvisioningPDUReport:
            hear(at: now)
            return receive(report)
        default: return []
        }
    }

    private var isClosing: Bool {
        if case .closing = state { true } else { false }
    }

    private mutating func hear(at now: Instant) {
        if isClosing { return }
        silence = now.advanced(by: policy.silenceLimit)
    }

    private mutating func receive(_ status: RemoteProvisioningLinkStatus, at now: Instant) -> [Action] {
        let hasNoLink = status.state == .idle || status.state == .closing
        switch state {
        case .notStarted, .closed: return []
        case .clearing:
            guard status.status == .success else { return end(.refused(status.status)) }
            return hasNoLink ? requestLater(at: now) : []
        case .requested:
            guard status.status == .success else {
                let isInTheWay = [.linkCannotOpen, .invalidState].contains(status.status)
                return isInTheWay && !hasCleared ? clear(at: now) : end(.refused(status.status))
            }
            switch status.state {
            // The answer to a Link Close that was sent before.
            case .idle, .closing: return []
            case .opening:
                accept(at: now)
                return []
            case .active, .outboundPacketTransfer:
                // No device answers so fast: this is a link that was open before.
                if case .device = target, requests == 1, !hasCleared { return clear(at: now) }
                return becomeOpen(at: now)
            }
        case .accepted:
            guard status.status == .success, status.state != .opening else { return [] }
            return hasNoLink ? end(.notOpened) : becomeOpen(at: now)
        case .open:
            guard status.status == .success else { return [] }
            return hasNoLink ? end(.vanished) : hearOfOutbound(status.state, at: now)
        case .closing: return end(.closedByClient(isConfirmed: status.status == .success && hasNoLink))
        }
    }

    /// The server says whether it is sending what it was given last. It has its own time for that: to a server that
    /// still is, as bluetooth-meshd, the same PDU once more is another transaction, and the acknowledgment of the first
    /// is lost. One that has nothing to send has not got it, or its report was lost.
    private mutating func hearOfOutbound(_ serverState: RemoteProvisioningLinkState, at now: Instant) -> [Action] {
        guard isOutstanding, questions > 0 else { return [] }
        let isStuck = sentAt.advanced(by: policy.outboundLimit) <= now
        guard serverState == .active || isStuck else {
            // It answers: there is no hurry.
            questions = 1
            return []
        }
        return sendOutstanding(at: now)
    }

    private mutating func receive(_ report: RemoteProvisioningLinkReport, at now: Instant) -> [Action] {
        // That of a link before this one: it can come late, for reports are segmented and answers are not.
        if report.status == .linkClosedByClient, state != .clearing, !isClosing { return [] }
        switch state {
        case .notStarted, .closed: return []
        case .clearing: return report.status == .success ? [] : requestLater(at: now)
        // A report of failure is about a link that was there before.
        case .requested: return report.status == .success && report.state == .active ? becomeOpen(at: now) : []
        case .accepted:
            guard report.status == .success else { return end(.reported(report.status, report.reason)) }
            return report.state == .active ? becomeOpen(at: now) : []
        case .open: return report.status == .success ? [] : end(.reported(report.status, report.reason))
        case .closing:
            guard report.status != .success else { return [] }
            return end(.closedByClient(isConfirmed: report.status == .linkClosedByClient))
        }
    }

    private mutating func receive(_ report: RemoteProvisioningPDUOutboundReport, at now: Instant) -> [Action] {
        guard state == .open else { return [] }
        guard report.number <= lastOutbound else { return giveUp(.outOfStep) }
        guard isOutstanding, report.number == lastOutbound else { return [] }
        isOutstanding = false
        waiting.removeFirst()
        let actions = sendNext(at: now)
        if !isOutstanding { repetition = now.advanced(by: policy.pollInterval) }
        return actions
    }

    private mutating func receive(_ report: RemoteProvisioningPDUReport) -> [Action] {
        // What has no answer but comes again was acknowledged too late for the server.
        guard state == .open, report.number > lastInbound else { return [] }
        guard report.number == lastInbound + 1 else { return giveUp(.pduMissing(number: lastInbound + 1)) }
        lastInbound = report.number
        return [.received(report.pdu)]
    }

    // MARK: Steps

    private mutating func request(at now: Instant) -> [Action] {
        state = .requested
        requests = 0
        timeout = policy.initialTimeout
        requests += 1
        return say(RemoteProvisioningLinkOpen(target: target), at: now)
    }

    /// The server may still be closing what was there: it is asked after a while.
    private mutating func requestLater(at now: Instant) -> [Action] {
        state = .requested
        requests = 0
        timeout = policy.initialTimeout
        repetition = now.advanced(by: policy.initialTimeout / 2)
        return []
    }

    private mutating func clear(at now: Instant) -> [Action] {
        hasCleared = true
        state = .clearing
        timeout = policy.initialTimeout
        return say(RemoteProvisioningLinkClose(reason: .fail), at: now)
    }

    private mutating func accept(at now: Instant) {
        var limit = Duration.seconds(Int64(RemoteProvisioningLinkOpen.defaultTimeout))
        if case .device(_, let seconds?) = target { limit = .seconds(Int64(seconds)) }
        state = .accepted(until: now.advanced(by: min(limit, policy.openingLimit) + policy.openingGrace))
        timeout = policy.initialTimeout
        repetition = now.advanced(by: timeout)
    }

    private mutating func becomeOpen(at now: Instant) -> [Action] {
        state = .open
        repetition = now.advanced(by: policy.pollInterval)
        return [.opened] + sendNext(at: now)
    }

    private mutating func sendNext(at now: Instant) -> [Action] {
        guard state == .open, !isOutstanding, !waiting.isEmpty else { return [] }
        guard lastOutbound < .max else { return giveUp(.outOfStep) }
        lastOutbound += 1
        isOutstanding = true
        timeout = policy.initialTimeout
        return sendOutstanding(at: now)
    }

    private mutating func sendOutstanding(at now: Instant) -> [Action] {
        guard let pdu = waiting.first else { return [] }
        sentAt = now
        questions = 0
        return say(RemoteProvisioningPDUSend(number: lastOutbound, pdu: pdu), at: now)
    }

    private mutating func repeatMessage(at now: Instant) -> [Action] {
        timeout = min(timeout * 2, policy.maximumTimeout)
        switch state {
        case .notStarted, .closed: return []
        case .clearing: return say(RemoteProvisioningLinkClose(reason: .fail), at: now)
        case .requested:
            requests += 1
            return say(RemoteProvisioningLinkOpen(target: target), at: now)
        case .accepted: return say(RemoteProvisioningLinkGet(), at: now)
        case .open:
            if isOutstanding {
                // Who does not say what has become of it gets it again.
                if questions >= policy.questions { return sendOutstanding(at: now) }
                questions += 1
                return say(RemoteProvisioningLinkGet(), at: now)
            }
            timeout = policy.pollInterval
            return say(RemoteProvisioningLinkGet(), at: now)
        case .closing(let reason): return say(RemoteProvisioningLinkClose(reason: reason), at: now)
        }
    }

    private mutating func say(_ message: some AccessMessage, at now: Instant) -> [Action] {
        repetition = now.advanced(by: timeout)
        return [.send(message.encoded)]
    }

    /// Ends it with a last word to the server, which is not repeated.
    private mutating func giveUp(_ reason: RemoteProvisioningLinkEnd) -> [Action] {
        [.send(RemoteProvisioningLinkClose(reason: .fail).encoded)] + end(reason)
    }

    private mutating func end(_ reason: RemoteProvisioningLinkEnd) -> [Action] {
        state = .closed
        waiting = []
        return [.closed(reason)]
    }
}
