import MeshCore

/// Makes a device without a network attract attention, through a provisioning link that is closed after the invitation
/// (Mesh Protocol 5.4.2.1).
struct DeviceIdentification {
    var bearer: any Bearer
    var uuid: DeviceUUID
    var name: String
    /// For how many seconds, 1...60: the device then ends a session without progress (5.4.4).
    var seconds: UInt8
    var isInterrupted: () -> Bool

    /// The longest time to wait until the device is heard.
    private static let hearing = Duration.seconds(10)
    /// The longest time to wait for the link, and then for the capabilities.
    private static let answering = Duration.seconds(20)

    /// Invites the device, and stays connected for the time.
    ///
    /// - Parameter told: called when the device has sent its capabilities, and so begins to attract attention.
    /// - Throws: ``Failure`` if the device is not heard, cannot be connected to or does not answer; ``BearerError`` if
    ///   the bearer fails.
    func run(
        using generator: inout some RandomNumberGenerator,
        told: (ProvisioningCapabilities) -> Void
    ) throws {
        let (link, packetSize) = try connect(to: hear())
        defer { bearer.close(link) }
        var session = ProvisionerSession(
            attentionDuration: seconds,
            secrets: .random(using: &generator)
        )
        var reassembler = ProxyReassembler()
        var actions = session.start(at: bearer.now)
        var end = bearer.now.advanced(by: Self.answering)
        var hasTold = false
        while true {
            for action in actions {
                switch action {
                case .send(let bytes):
                    let pdu = ProxyPDU(type: .provisioning, payload: bytes)
                    for packet in ProxySegmenter.packets(of: pdu, maximumSize: packetSize) {
                        try bearer.send(packet, on: link)
                    }
                case .capabilitiesReceived(let capabilities):
                    hasTold = true
                    told(capabilities)
                    end = bearer.now.advanced(by: .seconds(Int(seconds)))
                case .failed(let failure):
                    if hasTold { return }
                    throw Failure(.failure, "\(name) cannot be invited: \(failure.reason)", hint: failure.reason.advice)
                case .askForOutput, .showInput, .inputCompleted, .dataIsAboutToBeSent, .completed: break
                }
            }
            actions = []
            guard bearer.now < end, !isInterrupted() else { break }
            switch try bearer.next(until: end) {
            case .received(link, let packet):
                do {
                    guard let pdu = try reassembler.receive(packet, at: bearer.now), pdu.type == .provisioning else {
                        continue
                    }
                    actions = session.receive(pdu.payload, at: bearer.now)
                } catch {
                    throw Failure(.failure, "\(name) breaks the rules of the Proxy protocol: \(error)")
                }
            case .closed(link, let error):
                if hasTold { return }
                throw Failure(.failure, "the link to \(name) was lost: \(error.message)", hint: error.hint?.worded)
            default: break
            }
        }
        guard hasTold || isInterrupted() else {
            throw Failure(.failure, "\(name) does not answer", hint: ProvisioningFailureReason.timedOut.advice)
        }
    }

    private func hear() throws -> AdvertiserIdentifier {
        try bearer.scan(true)
        defer { try? bearer.scan(false) }
        let end = bearer.now.advanced(by: Self.hearing)
        while bearer.now < end, !isInterrupted() {
            guard case .heard(let advertisement)? = try bearer.next(until: end),
                case .unprovisioned(let device, _) = advertisement.content, device.uuid == uuid
            else { continue }
            return advertisement.advertiser
        }
        if isInterrupted() { throw Failure(.interrupted, "interrupted; nothing was done") }
        throw Failure(
            .failure,
            "\(name) is not heard",
            hint: "Check that it has power, is near and is unprovisioned; meshplan scan lists the devices in range."
        )
    }

    private func connect(to advertiser: AdvertiserIdentifier) throws -> (LinkIdentifier, maximumPacketSize: Int) {
        let link = try bearer.connect(to: .provisioning(advertiser))
        let end = bearer.now.advanced(by: Self.answering)
        while bearer.now < end, !isInterrupted() {
            switch try bearer.next(until: end) {
            case .opened(link, let maximumPacketSize, _): return (link, maximumPacketSize)
            case .closed(link, let error):
                throw Failure(.failure, "cannot open a link to \(name): \(error.message)", hint: error.hint?.worded)
            default: break
            }
        }
        bearer.close(link)
        if isInterrupted() { throw Failure(.interrupted, "interrupted; nothing was done") }
        throw Failure(.failure, "the link to \(name) does not open", hint: "Move closer and try again.")
    }
}
