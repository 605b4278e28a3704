package import MeshCore

/// One adapter as a central: it decides which link to connect next and when to scan, and runs the GATT client of each
/// link.
///
/// A state machine without input or output of its own. The kernel makes one connection at a time, and many controllers
/// cannot scan meanwhile, so scanning pauses for each connection. Links are connected in the order of their requests. A
/// link to any proxy lets others go first while no proxy is heard.
package struct BluetoothCentral: Sendable {
    /// What the owner must do.
    package enum Output: Hashable, Sendable {
        case send(HCICommand)
        /// Begin to connect; ``connected(_:handle:at:)`` or ``failed(_:_:at:)`` follows.
        case connect(LinkIdentifier, BluetoothAddress)
        /// Write this PDU on the link's connection.
        case write(LinkIdentifier, [UInt8])
        /// Close the link's connection, or stop connecting.
        case disconnect(LinkIdentifier)
        /// Make the kernel restart its own scan.
        case restoreKernelScan
        case event(BearerEvent)
        case scanFailed(BearerError)
    }

    let timing: CentralTiming
    var scanner: LEScanner
    private var assembler = AdvertisementAssembler()
    /// In the order of their requests.
    var links: [CentralLink] = []
    private var nextLink: UInt32 = 0
    /// Whether anybody wants to know what is heard.
    private(set) var isScanning = false
    private var proxies = HeardProxies()
    /// Connections that were closed, and that the controller may still have.
    private var lingering: [BluetoothAddress: Instant] = [:]
    /// How many connections can be open at once, as far as known.
    package private(set) var maximumLinks: Int
    /// How many connections can be open at once if nobody else uses the controller.
    private let usualLinks: Int

    /// A central that does nothing yet.
    ///
    /// - Parameter maximumLinks: how many connections can be open at once, unless the controller turns out to have room
    ///   for fewer.
    package init(scanner: LEScanner, maximumLinks: Int, timing: CentralTiming = CentralTiming()) {
        self.scanner = scanner
        self.maximumLinks = max(maximumLinks, 1)
        usualLinks = self.maximumLinks
        self.timing = timing
    }

    /// When to call ``advance(to:)``.
    package var nextDeadline: Instant? {
        var deadline = scanner.nextDeadline
        for link in links {
            guard let next = link.nextDeadline else { continue }
            deadline = min(deadline ?? next, next)
        }
        if links.contains(where: { $0.phase == .waiting }), let next = lingering.values.min() {
            deadline = min(deadline ?? next, next)
        }
        return deadline
    }

    /// Whether this central neither scans nor has a command under way.
    var isScannerQuiet: Bool { scanner.isQuiet }

    /// The link that is being connected; the kernel makes one connection at a time.
    private var connecting: Int? { links.firstIndex { $0.isConnecting } }

    // MARK: What is wanted

    /// Begins to connect.
    ///
    /// - Throws: ``BearerError`` if the advertiser is not a Bluetooth address, or if ``maximumLinks`` are in use.
    package mutating func connect(
        to target: LinkTarget,
        at now: Instant
    ) throws(BearerError) -> (LinkIdentifier, [Output]) {
        guard links.count < maximumLinks else {
            throw BearerError(
                "all \(maximumLinks) connections of the Bluetooth adapter are in use",
                hint: "close other connections, or use another adapter"
            )
        }
        let identifier = LinkIdentifier(rawValue: nextLink)
        var link: CentralLink
        switch target {
        case .anyProxy: link = CentralLink(identifier, .proxy, nil, at: now, timing: timing)
        case .proxy(let advertiser):
            link = CentralLink(identifier, .proxy, try Self.address(of: advertiser), at: now, timing: timing)
        case .provisioning(let advertiser):
            link = CentralLink(identifier, .provisioning, try Self.address(of: advertiser), at: now, timing: timing)
        }
        nextLink += 1
        links.append(link)
        return (identifier, review(at: now))
    }

    private static func address(of advertiser: AdvertiserIdentifier) throws(BearerError) -> BluetoothAddress {
        guard let address = advertiser.bluetoothAddress else {
            throw BearerError("the advertiser is not one that was heard over Bluetooth")
        }
        return address
    }

    /// Closes a link, or stops connecting. No event follows for it.
    package mutating func close(_ link: LinkIdentifier, at now: Instant) -> [Output] {
        guard let place = place(of: link) else { return [] }
        return remove(at: place, at: now) + review(at: now)
    }

    /// Writes one packet on an open link; does nothing on a link that is not open.
    ///
    /// - Throws: ``BearerError`` if the link cannot take a packet of that size.
    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) -> [Output] {
        guard let index = place(of: link), let pdu = try links[index].client.write(packet) else { return [] }
        return [.write(link, pdu)]
    }

    /// Begins to report what is heard, or stops.
    package mutating func scan(_ isOn: Bool, at now: Instant) -> [Output] {
        guard isOn != isScanning else { return [] }
        isScanning = isOn
        return review(at: now)
    }

    // MARK: What happens

    package mutating func receive(_ packet: HCIPacket, at now: Instant) -> [Output] {
        switch packet {
        case .event(.connectionComplete(let status, let handle, let address, let isCentral)):
            if isCentral, let place = connecting, address == links[place].address {
                links[place].reason = status == .success ? nil : status
                if status == .success { links[place].ownHandle = handle }
            }
        case .event(.commandStatus(let opcode, let status)):
            if status != .success, opcode.createsConnection, let place = connecting { links[place].reason = status }
        case .event(.disconnectionComplete(.success, let handle, let reason)):
            // Whoever used the connection, there is room for one more. A refused connection shows the limit again.
            maximumLinks = usualLinks
            if let index = links.firstIndex(where: { $0.handle == handle }) {
                links[index].reason = reason
                links[index].ownHandle = nil
            } else {
                // The handle does not say which lingering connection it was, so all of them may be tried again.
                lingering = [:]
            }
        default: break
        }
        return follow(scanner.receive(packet, at: now), at: now) + review(at: now)
    }

    /// The link's connection is established.
    ///
    /// - Parameter handle: the controller's handle for it, if known.
    package mutating func connected(_ link: LinkIdentifier, handle: UInt16?, at now: Instant) -> [Output] {
        guard let index = place(of: link), links[index].isConnecting else { return [] }
        links[index].phase = .connected
        links[index].handle = handle
        links[index].reason = nil
        var outputs: [Output] = []
        if let handle, handle == links[index].ownHandle {
            outputs.append(.send(.leConnectionUpdate(handle: handle, .mesh)))
        }
        outputs += follow(links[index].client.connected(at: now), of: link, at: now)
        return outputs + review(at: now)
    }

    /// The link's connection could not be made, or has ended.
    ///
    /// - Parameter number: the kernel's error number, 0 for an orderly end.
    package mutating func failed(_ link: LinkIdentifier, _ number: Int32, at now: Instant) -> [Output] {
        guard let index = place(of: link), let address = links[index].address else { return [] }
        let failure = ConnectFailure(reason: links[index].reason, number: number)
        let isOpen = !links[index].isConnecting
        var error = failure.error(with: address, isOpen: isOpen)
        if !isOpen {
            proxies.failed(address, until: now.advanced(by: timing.failureMemory))
            if failure.isLimit {
                maximumLinks = max(links.count { $0.isConnected }, 1)
                error = BearerError(
                    "the Bluetooth adapter has no room for more than \(maximumLinks) connections",
                    hint: HCIErrorCode.connectionLimitExceeded.hint
                )
            }
        }
        return end(link, error, at: now) + review(at: now)
    }

    /// The link's connection takes no more packets, because too many wait to be written.
    package mutating func congested(_ link: LinkIdentifier, at now: Instant) -> [Output] {
        guard let address = place(of: link).flatMap({ links[$0].address }) else { return [] }
        let error = BearerError("the connection to \(address) takes no more packets", hint: "move closer to the device")
        return end(link, error, at: now) + review(at: now)
    }

    /// A PDU arrived on the link's connection.
    package mutating func receive(_ pdu: [UInt8], on link: LinkIdentifier, at now: Instant) -> [Output] {
        guard let index = place(of: link) else { return [] }
        return follow(links[index].client.receive(pdu, at: now), of: link, at: now) + review(at: now)
    }

    /// The adapter cannot be used any more, and all links have ended.
    package mutating func lost(_ error: BearerError, at now: Instant) -> [Output] {
        isScanning = false
        var outputs: [Output] = []
        for link in links.map(\.identifier) { outputs += end(link, error, at: now) }
        scanner.reset()
        lingering = [:]
        return outputs
    }

    /// Does what is due at that time.
    package mutating func advance(to now: Instant) -> [Output] {
        var outputs = follow(scanner.advance(to: now), at: now)
        lingering = lingering.filter { now < $0.value }
        for link in links.map(\.identifier) {
            guard let index = place(of: link) else { continue }
            switch links[index].phase {
            case .searching(let deadline) where deadline <= now:
                let seconds = timing.search.components.seconds
                outputs += end(
                    link,
                    BearerError(
                        "no proxy node was heard within \(seconds) s",
                        hint: "move closer to the mesh; \(command: .scan) lists who advertises"
                    ),
                    at: now
                )
            case .connecting(let deadline) where deadline <= now:
                let seconds = timing.connect.components.seconds
                let name = links[index].address.map { "\($0)" } ?? "the device"
                if let address = links[index].address {
                    proxies.failed(address, until: now.advanced(by: timing.failureMemory))
                }
                outputs += end(
                    link,
                    BearerError(
                        "cannot connect to \(name): it does not answer within \(seconds) s",
                        hint: "move closer to the device and check that it has power"
                    ),
                    at: now
                )
            case .connected: outputs += follow(links[index].client.advance(to: now), of: link, at: now)
            default: break
            }
        }
        return outputs + review(at: now)
    }
}

extension BluetoothCentral {
    private func place(of link: LinkIdentifier) -> Int? { links.firstIndex { $0.identifier == link } }

    /// Removes a link and closes its connection.
    private mutating func remove(at index: Int, at now: Instant) -> [Output] {
        let link = links.remove(at: index)
        guard link.isConnecting || link.isConnected else { return [] }
        var outputs: [Output] = [.disconnect(link.identifier)]
        // The kernel keeps an unused connection for 2 s. This link had the only channel for the attribute protocol on a
        // connection made for it, so nobody else can miss that connection.
        if let handle = link.ownHandle, handle == link.handle {
            outputs.append(.send(.disconnect(handle: handle)))
        }
        if link.isConnected, link.reason == nil, let address = link.address {
            lingering[address] = now.advanced(by: timing.lingering)
        }
        return outputs
    }

    private mutating func end(_ link: LinkIdentifier, _ error: BearerError, at now: Instant) -> [Output] {
        guard let place = place(of: link) else { return [] }
        return remove(at: place, at: now) + [.event(.closed(link, error))]
    }

    private mutating func follow(
        _ outputs: [GATTClient.Output],
        of link: LinkIdentifier,
        at now: Instant
    ) -> [Output] {
        var result: [Output] = []
        for output in outputs {
            switch output {
            case .send(let pdu): result.append(.write(link, pdu))
            case .opened(let size):
                let times = place(of: link).flatMap { links[$0].times }
                result.append(.event(.opened(link, maximumPacketSize: size, times)))
            case .received(let packet): result.append(.event(.received(link, packet)))
            case .failed(let failure): result += end(link, BearerError(failure), at: now)
            }
        }
        return result
    }

    private mutating func follow(_ outputs: [LEScanner.Output], at now: Instant) -> [Output] {
        var result: [Output] = []
        for output in outputs {
            switch output {
            case .send(let command): result.append(.send(command))
            case .restoreKernelScan: result.append(.restoreKernelScan)
            case .heard(let report): result += hear(report, at: now)
            case .failed(let error):
                for link in links where link.isSearching { result += end(link.identifier, error, at: now) }
                if isScanning { result.append(.scanFailed(error)) }
                isScanning = false
            }
        }
        return result
    }

    private mutating func hear(_ report: AdvertisingReport, at now: Instant) -> [Output] {
        let advertisement = assembler.receive(
            AdvertisingData(report.data),
            from: AdvertiserIdentifier(report.address),
            signal: report.signal,
            at: now
        )
        guard let advertisement else { return [] }
        scanner.heardSomethingOfUse(at: now)
        if case .proxy = advertisement.content { proxies.heard(report.address, report.signal, at: now) }
        return isScanning ? [.event(.heard(advertisement))] : []
    }

    /// Connects the next link, or scans if anybody wants that.
    private mutating func review(at now: Instant) -> [Output] {
        chooseProxies(at: now)
        let isWanted = isScanning || links.contains { $0.isSearching }
        guard connecting == nil else { return follow(scanner.set(.paused, at: now), at: now) }
        let next = links.firstIndex { link in
            guard link.phase == .waiting, let address = link.address else { return false }
            return lingering[address].map { $0 <= now } ?? true
        }
        guard let next, let address = links[next].address else {
            return follow(scanner.set(isWanted ? .on : .off, at: now), at: now)
        }
        var outputs = follow(scanner.set(.paused, at: now), at: now)
        guard scanner.isQuiet else { return outputs }
        links[next].phase = .connecting(deadline: now.advanced(by: timing.connect))
        links[next].begun = now
        outputs.append(.connect(links[next].identifier, address))
        return outputs
    }

    /// Gives each link that accepts any proxy the strongest one that is not in use.
    private mutating func chooseProxies(at now: Instant) {
        for index in links.indices where links[index].isSearching {
            let used = Set(links.compactMap(\.address))
            guard let address = proxies.strongest(besides: used, since: now, within: timing.freshness) else { continue }
            links[index].address = address
            links[index].phase = .waiting
        }
    }
}

extension HCIOpcode {
    /// Whether it is LE Create Connection or one of its extended forms (Core Vol 4 Part E 7.8.12, 7.8.66).
    fileprivate var createsConnection: Bool { [0x200D, 0x2043, 0x2085].contains(rawValue) }
}
