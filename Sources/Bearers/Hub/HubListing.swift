package import MeshCore

/// What a hub says about itself and its gateways.
package struct HubListing: Hashable, Sendable {
    /// Since when the hub runs, by its clock.
    package var since: Timestamp
    /// The version of its program.
    package var program: String
    package var gateways: [HubEntry]

    /// The most entries that are read; a hub has fewer.
    private static let limit = 65_536

    /// Asks the hub at an address, and waits for its answer.
    ///
    /// - Parameters:
    ///   - timeout: how long all of it may take.
    ///   - clock: the process's clock.
    ///   - wakeUp: the reading end of a pipe; octets in it end the wait.
    /// - Throws: ``BearerError`` if nobody answers, or if the other side is no hub or speaks another version.
    package static func ask(
        _ address: SocketAddress,
        timeout: Duration = .seconds(10),
        clock: BearerClock = BearerClock(),
        wakeUp: Int32? = nil
    ) throws(BearerError) -> HubListing {
        let end = clock.now.advanced(by: timeout)
        let candidates = try HostAddresses().candidates(for: address, called: "the hub")
        var question = Question(Dialling(to: candidates, until: end), address)
        try question.advance(nil, at: clock.now)
        while true {
            if let listing = question.listing { return listing }
            let now = clock.now
            guard now < end else { throw BearerError("the hub at \(address) does not answer") }
            var polled = question.watched.map { [$0] } ?? []
            if let wakeUp { polled.append(Watched(number: wakeUp, writes: false)) }
            do {
                _ = try waitForAny(of: &polled, milliseconds: now.duration(to: end).pollMilliseconds)
            } catch {
                throw BearerError("cannot wait: \(error.text)")
            }
            if let wakeUp, polled.last?.isReadable == true {
                drain(wakeUp)
                throw .interrupted(while: "asking the hub")
            }
            try question.advance(polled.first, at: clock.now)
        }
    }

    /// A conversation with a hub.
    private struct Question {
        private var dialling: Dialling?
        private var stream: FrameConnection?
        private let address: SocketAddress
        private var gateways: [HubEntry] = []
        private var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        /// The answer, once it is complete.
        private(set) var listing: HubListing?

        init(_ dialling: Dialling, _ address: SocketAddress) {
            self.dialling = dialling
            self.address = address
        }

        var watched: Watched? {
            dialling?.watched ?? stream.map { Watched(number: $0.descriptor.number, writes: $0.isWriting) }
        }

        mutating func advance(_ ready: Watched?, at now: Instant) throws(BearerError) {
            guard dialling == nil else { return try dial(isReady: ready?.isReady ?? false, at: now) }
            if ready?.isWritable == true, let reason = stream?.flush() { throw lost(reason) }
            guard ready?.isReadable == true, let outcome = stream?.receive(into: &buffer) else { return }
            for content in outcome.contents where listing == nil {
                try handle(content)
            }
            if listing == nil, let end = outcome.end { throw lost(end.message) }
        }

        private mutating func dial(isReady: Bool, at now: Instant) throws(BearerError) {
            switch dialling?.advance(isReady: isReady, at: now) {
            case .pending?, nil: return
            case .failed(let error)?:
                let hint = error.connectingHint(start: HubListing.startHint)
                throw BearerError("cannot connect to the hub at \(address): \(error.text)", hint: hint)
            case .connected(let descriptor)?:
                dialling = nil
                stream = FrameConnection(ByteStream(descriptor))
                if let reason = stream?.send(HubRequest.list.encoded) { throw lost(reason) }
            }
        }

        private mutating func handle(_ content: [UInt8]) throws(BearerError) {
            let hint: Advice = "Is the program that listens there the hub, at its address for clients?"
            let reply: HubReply
            do throws(FrameError) {
                reply = try HubReply(decoding: content)
            } catch {
                throw BearerError("\(address) sent \(error)", hint: hint)
            }
            switch reply {
            case .gateway(let entry):
                guard gateways.count < HubListing.limit else {
                    throw BearerError("\(address) tells of more gateways than a hub can have", hint: hint)
                }
                gateways.append(entry)
            case .listed(let since, let program):
                listing = HubListing(since: since, program: program, gateways: gateways)
            case .end(let error): throw BearerError("\(address) refuses to answer: \(error.message)", hint: error.hint)
            case .refused(let version), .otherVersion(let version):
                let own = HubProtocol.version
                throw BearerError(
                    "the hub at \(address) speaks version \(version) of its protocol; this meshplan speaks version \(own)",
                    hint: version > own ? "Use a newer meshplan." : "Use a newer hub."
                )
            case .welcome, .call, .alive: throw BearerError("\(address) does not answer what it was asked", hint: hint)
            }
        }

        private func lost(_ reason: String) -> BearerError {
            BearerError("the connection to the hub at \(address) is lost: \(reason)")
        }
    }

    /// What helps if nobody listens at the address of a hub.
    static let startHint: Advice = "Is the hub running on this machine, and does it serve clients at that address?"
}
