extension RemoteProvisioningServer {
    /// A link that is opening or open.
    struct OpenLink: Hashable {
        let target: RemoteProvisioningLinkOpen.Target
        let client: Client
        /// Opening, active or outbound packet transfer. Closing takes no time here.
        var state: RemoteProvisioningLinkState
        /// When opening it or delivering a PDU has taken too long, or it has been idle for too long.
        var deadline: Instant
        /// When a server with the quirk of forgetting links forgets this one.
        var forgottenAt: Instant?
        var outbound: UInt8 = 0
        var inbound: UInt8 = 0
    }

    /// How long a PDU may take to the device (Mesh Protocol 5.3.2).
    static let transactionTimeout = Duration.seconds(30)
    /// How long a link may be idle, as in the provisioning protocol (Mesh Protocol 5.4.4).
    static let idleTimeout = Duration.seconds(60)

    // MARK: What happens on the link

    /// Handles that the link, which was opening, is open.
    package mutating func linkOpened(at now: Instant) -> [Action] {
        guard case .open(var open) = link, open.state == .opening else { return [] }
        open.state = .active
        open.deadline = now.advanced(by: Self.idleTimeout)
        link = .open(open)
        let report = RemoteProvisioningLinkReport(status: .success, state: .active)
        return [.report(report.encoded, to: open.client)]
    }

    /// Handles that the other side has the PDU that was sent.
    package mutating func pduDelivered(at now: Instant) -> [Action] {
        guard case .open(var open) = link, open.state == .outboundPacketTransfer else { return [] }
        open.state = .active
        open.outbound += 1
        open.deadline = now.advanced(by: Self.idleTimeout)
        link = .open(open)
        let report = RemoteProvisioningPDUOutboundReport(number: open.outbound)
        return [.report(report.encoded, to: open.client)]
    }

    /// Handles a PDU from the other side.
    package mutating func pduReceived(_ pdu: [UInt8], at now: Instant) -> [Action] {
        guard case .open(var open) = link, open.state != .opening, !pdu.isEmpty else { return [] }
        guard open.inbound < .max else { return closed(.linkClosedAsCannotReceivePDU, reason: nil, telling: .fail) }
        open.inbound += 1
        if open.state == .active { open.deadline = now.advanced(by: Self.idleTimeout) }
        link = .open(open)
        let report = RemoteProvisioningPDUReport(number: open.inbound, pdu: pdu)
        return [.report(report.encoded, to: open.client)]
    }

    /// Handles that the client did not acknowledge the report of a PDU.
    package mutating func pduReportFailed() -> [Action] {
        closed(.linkClosedAsCannotDeliverPDUReport, reason: nil, telling: .fail)
    }

    /// Handles that the other side has closed the link, or can no longer be reached.
    package mutating func linkClosed(_ reason: ProvisioningBearerCloseReason) -> [Action] {
        hasForgottenLink = false
        guard case .open(let open) = link else { return [] }
        return open.state == .opening
            ? closed(.linkOpenFailed, reason: nil, telling: nil)
            : closed(.linkClosedByDevice, reason: reason, telling: nil)
    }

    mutating func advanceLink(to now: Instant) -> [Action] {
        guard case .open(let open) = link else { return [] }
        if open.state != .opening, let end = open.forgottenAt, end <= now {
            link = .idle
            hasForgottenLink = true
            return []
        }
        guard open.deadline <= now else { return [] }
        switch open.state {
        case .opening: return closed(.linkOpenFailed, reason: nil, telling: .fail)
        case .outboundPacketTransfer: return closed(.linkClosedAsCannotSendPDU, reason: nil, telling: .fail)
        default: return closed(.linkClosedByServer, reason: .timeout, telling: .fail)
        }
    }

    // MARK: What the client asks for

    mutating func open(
        _ target: RemoteProvisioningLinkOpen.Target,
        for client: Client,
        _ own: Own,
        at now: Instant
    ) -> [Action] {
        guard !hasForgottenLink else { return [] }
        if case .open(let open) = link {
            guard open.state != .outboundPacketTransfer else { return [linkStatus(.invalidState, to: client)] }
            // This repeats the request, because the answer was lost.
            let isSame = open.client == client && open.target.leadsWhere(target)
            return [linkStatus(isSame ? .success : .linkCannotOpen, to: client)]
        }
        if case .node(.nodeCompositionRefresh) = target, !own.isCompositionRefreshable {
            return [linkStatus(.linkCannotOpen, to: client)]
        }
        var seconds = RemoteProvisioningLinkOpen.defaultTimeout
        var isDevice = false
        if case .device(_, let given) = target {
            isDevice = true
            seconds = given ?? seconds
        }
        let deadline = now.advanced(by: .seconds(Int64(seconds)))
        link = .open(
            OpenLink(
                target: target,
                client: client,
                state: .opening,
                deadline: deadline,
                forgottenAt: forgetsLinks && isDevice ? deadline : nil
            )
        )
        return [linkStatus(.success, to: client), .open(target)]
    }

    mutating func close(_ reason: RemoteProvisioningCloseReason, by client: Client) -> [Action] {
        guard case .open(let open) = link else { return [linkStatus(.success, to: client)] }
        guard open.client == client else { return [linkStatus(.invalidState, to: client)] }
        // The report follows the answer, and the node sends both in its old form (4.4.5.5.3.3).
        let status = RemoteProvisioningLinkStatus(status: .success, state: .closing)
        link = .idle
        let report = RemoteProvisioningLinkReport(status: .linkClosedByClient, state: .idle)
        return [.answer(status.encoded, to: client), .report(report.encoded, to: client), .close(reason)]
    }

    mutating func send(_ message: RemoteProvisioningPDUSend, from client: Client, at now: Instant) -> [Action] {
        guard case .open(var open) = link, open.client == client else { return [] }
        let isBegunAnew =
            forgetsLinks && open.state == .outboundPacketTransfer && Int(message.number) == Int(open.outbound) + 1
        guard open.state == .active || isBegunAnew else { return [] }
        guard Int(message.number) == Int(open.outbound) + 1 else {
            // This is a repetition: the device has the PDU, but the report was lost.
            let report = RemoteProvisioningPDUOutboundReport(number: open.outbound)
            return [.report(report.encoded, to: client)]
        }
        open.state = .outboundPacketTransfer
        open.deadline = now.advanced(by: Self.transactionTimeout)
        link = .open(open)
        return [.send(message.pdu)]
    }

    func linkStatus(_ status: RemoteProvisioningStatusCode, to client: Client) -> Action {
        .answer(RemoteProvisioningLinkStatus(status: status, state: linkState).encoded, to: client)
    }

    /// Ends the link and reports it.
    ///
    /// - Parameter telling: how to close the link to the other side; nil if that side already knows.
    private mutating func closed(
        _ status: RemoteProvisioningStatusCode,
        reason: ProvisioningBearerCloseReason?,
        telling: RemoteProvisioningCloseReason?
    ) -> [Action] {
        guard case .open(let open) = link else { return [] }
        link = .idle
        let report = RemoteProvisioningLinkReport(status: status, state: .idle, reason: reason)
        let order: [Action] = telling.map { [.close($0)] } ?? []
        return order + [.report(report.encoded, to: open.client)]
    }
}

extension RemoteProvisioningLinkOpen.Target {
    /// Whether both lead to the same device or the same procedure, regardless of timeouts.
    fileprivate func leadsWhere(_ other: Self) -> Bool {
        switch (self, other) {
        case (.device(let first, _), .device(let second, _)): first == second
        case (.node(let first), .node(let second)): first == second
        default: false
        }
    }
}
