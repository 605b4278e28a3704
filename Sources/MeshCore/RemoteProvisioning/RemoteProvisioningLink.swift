/// The client's side of a link through a Remote Provisioning Server. The link leads to a device that the server hears,
/// or to the Node Provisioning Protocol Interface of its own node (PB-Remote, Mesh Protocol 1.1, 5.2.3 and 4.4.6).
///
/// A value machine that carries PDUs of the provisioning protocol in both directions, each once and in order: access
/// messages and time go in, actions and a deadline come out. Lost messages are sent again. A link that an earlier run
/// left open on the server is closed first. All messages pass between this client and the primary element of the
/// server's node, secured with that node's DeviceKey. A client has at most one link to a server.
package struct RemoteProvisioningLink {
    /// What the owner must do or know, in order.
    package enum Action: Hashable, Sendable {
        /// Send an access message to the server: opcode, then parameters.
        case send([UInt8])
        case opened
        /// The device sent a PDU.
        case received([UInt8])
        /// The link has ended. No action follows.
        case closed(RemoteProvisioningLinkEnd)
    }

    private enum State: Equatable {
        case notStarted
        /// A link of an earlier run must be closed first.
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
    /// How often Link Open was sent since nothing obstructs it.
    private var requests = 0
    /// When to repeat the last message, and the interval to the repetition after that.
    private var repetition = Instant.distantFuture
    private var timeout: Duration
    /// When the server has been silent for too long.
    private var silence = Instant.distantFuture
    /// PDUs to send, in order. The first one has been sent if ``isOutstanding``.
    private var waiting: [[UInt8]] = []
    private var isOutstanding = false
    /// When the first PDU was last sent, and how often the server was asked about it since.
    private var sentAt = Instant.zero
    private var questions = 0
    private var lastOutbound: UInt8 = 0
    private var lastInbound: UInt8 = 0

    /// A link that is not yet open.
    package init(
        target: RemoteProvisioningLinkOpen.Target,
        policy: RemoteProvisioningLinkPolicy = RemoteProvisioningLinkPolicy()
    ) {
        self.target = target
        self.policy = policy
        timeout = policy.initialTimeout
    }

    package var isOpen: Bool { state == .open }

    package var isClosed: Bool { state == .closed }

    /// When ``advance(to:)`` must be called; nil before the start and after the end.
    package var nextDeadline: Instant? {
        switch state {
        case .notStarted, .closed: nil
        case .accepted(let until): min(repetition, silence, until)
        default: min(repetition, silence)
        }
    }

    // MARK: What the owner does

    package mutating func open(at now: Instant) -> [Action] {
        guard state == .notStarted else { return [] }
        silence = now.advanced(by: policy.silenceLimit)
        return request(at: now)
    }

    /// Sends a PDU of the provisioning protocol after those that wait. Does nothing on a link that is closing.
    package mutating func send(_ pdu: [UInt8], at now: Instant) -> [Action] {
        switch state {
        case .closing, .closed: return []
        default: waiting.append(pdu)
        }
        return sendNext(at: now)
    }

    /// Closes the link. A procedure of the Node Provisioning Protocol Interface takes effect only with success; with
    /// failure nothing changes.
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

    /// Does what is due at `now`.
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

    /// Receives an access message of the server: opcode, then parameters. Other and malformed messages are ignored.
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
            // This answers an earlier Link Close.
            case .idle, .closing: return []
            case .opening:
                accept(at: now)
                return []
            case .active, .outboundPacketTransfer:
                // No device answers so fast, so this link was open before.
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

    /// The server tells whether it is still sending the last PDU; it has its own time limit for that. If it is, as
    /// bluetooth-meshd may be, repeating the PDU would start another transaction, and the acknowledgment of the first
    /// one would be lost. If it has nothing to send, the PDU or its report was lost.
    private mutating func hearOfOutbound(_ serverState: RemoteProvisioningLinkState, at now: Instant) -> [Action] {
        guard isOutstanding, questions > 0 else { return [] }
        let isStuck = sentAt.advanced(by: policy.outboundLimit) <= now
        guard serverState == .active || isStuck else {
            // The server answers, so there is no hurry.
            questions = 1
            return []
        }
        return sendOutstanding(at: now)
    }

    private mutating func receive(_ report: RemoteProvisioningLinkReport, at now: Instant) -> [Action] {
        // This report is about an earlier link. It can arrive late, because reports are segmented and answers are not.
        if report.status == .linkClosedByClient, state != .clearing, !isClosing { return [] }
        switch state {
        case .notStarted, .closed: return []
        case .clearing: return report.status == .success ? [] : requestLater(at: now)
        // A report of failure is about an earlier link.
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
        // A PDU that arrives again was acknowledged too late for the server.
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

    /// The server may still be closing the earlier link, so it is asked after a while.
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
                // A server that does not tell what happened to the PDU gets it again.
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

    /// Ends the link with a last message to the server, which is not repeated.
    private mutating func giveUp(_ reason: RemoteProvisioningLinkEnd) -> [Action] {
        [.send(RemoteProvisioningLinkClose(reason: .fail).encoded)] + end(reason)
    }

    private mutating func end(_ reason: RemoteProvisioningLinkEnd) -> [Action] {
        state = .closed
        waiting = []
        return [.closed(reason)]
    }
}
