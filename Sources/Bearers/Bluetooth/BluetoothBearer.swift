package import MeshCore

/// Proxy links, provisioning links and scanning over an adapter of this machine and the kernel's Bluetooth. GATT uses
/// the fixed L2CAP channel of the attribute protocol (Core Vol 3 Part A 2.1); scanning uses HCI.
///
/// The HCI socket is opened when it is first needed. ``BluetoothCentral`` decides what happens when.
package final class BluetoothBearer: PolledBearer {
    package let clock: BearerClock
    package let interruption: WaitInterruption
    private let adapter: BluetoothAdapter
    private let system: BluetoothSystem
    private var central: BluetoothCentral
    private var control: Descriptor?
    /// Commands that the socket could not take yet; two or three at most.
    private var commands: [HCICommand] = []
    private var channels: [LinkIdentifier: ATTChannel] = [:]
    private var events = BearerEventQueue()
    private var buffer = [UInt8](repeating: 0, count: 2048)
    /// The links behind the sockets in ``watched``, in order, after the HCI socket.
    private var watchedLinks: [LinkIdentifier] = []
    private var scanFailure: BearerError?

    /// How many links can be open at once, unless the controller turns out to have room for fewer.
    package static let usualMaximumLinks = 8
    /// How many packets are read from one socket before the others have their turn.
    private static let burst = 64

    /// A bearer over an adapter.
    ///
    /// - Parameters:
    ///   - adapter: an adapter that is ready; see ``BluetoothSurvey/adapter(_:)``.
    ///   - system: the kernel.
    ///   - isActive: whether to ask devices for scan responses, which hold their URIs.
    ///   - maximumLinks: the most links at once.
    package init(
        adapter: BluetoothAdapter,
        system: BluetoothSystem = .kernel,
        clock: BearerClock = BearerClock(),
        interruption: WaitInterruption = WaitInterruption(),
        isActive: Bool = true,
        maximumLinks: Int = BluetoothBearer.usualMaximumLinks,
        scanTiming: LEScanTiming = LEScanTiming(),
        timing: CentralTiming = CentralTiming()
    ) {
        self.adapter = adapter
        self.system = system
        self.clock = clock
        self.interruption = interruption
        let parameters = LEScanParameters(
            isActive: isActive,
            // Scanning takes half of the time, 30 of 60 ms, which leaves the other half to connections.
            interval: 96,
            window: 48,
            ownAddress: adapter.address.isZero ? .random : .public
        )
        central = BluetoothCentral(
            scanner: LEScanner(parameters, timing: scanTiming),
            maximumLinks: maximumLinks,
            timing: timing
        )
    }

    deinit {
        // The bearer's own scan must not outlive it. The socket's buffer takes a command without waiting.
        try? scan(false)
        for link in channels.keys.sorted() { close(link) }
        finishScan()
    }

    /// How many links can be open at once, as far as known.
    package var maximumLinks: Int { central.maximumLinks }

    /// Whether the HCI socket is open.
    package var isReady: Bool { control != nil }

    /// The octets that wait for the kernel on a link.
    package func backlog(of link: LinkIdentifier) -> Int { channels[link]?.waiting ?? 0 }

    /// Opens the HCI socket; does nothing if it is open.
    ///
    /// - Throws: ``BearerError`` if the process has no permission, or the adapter is gone.
    package func open() throws(BearerError) {
        guard control == nil else { return }
        do throws(SystemError) {
            control = try system.openHCI(adapter.number)
        } catch {
            throw BluetoothSurvey.error(error, of: adapter.name)
        }
    }

    /// Begins to connect.
    ///
    /// - Throws: ``BearerError`` if ``open()`` fails, if the advertiser was not heard over Bluetooth, or if
    ///   ``maximumLinks`` are in use.
    package func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        try open()
        let (link, outputs) = try central.connect(to: target, at: now)
        carryOut(outputs)
        return link
    }

    /// Writes one packet, or queues it while the kernel's buffer is full.
    ///
    /// - Throws: ``BearerError`` if the link cannot take a packet of that size.
    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        carryOut(try central.send(packet, on: link))
    }

    /// Closes a link. Events of it that were not fetched yet are dropped.
    package func close(_ link: LinkIdentifier) {
        carryOut(central.close(link, at: now))
        events.drop(link)
    }

    /// Begins to report what is heard, or stops.
    package func scan(_ isOn: Bool) throws(BearerError) {
        if isOn {
            try open()
            scanFailure = nil
        } else {
            events.dropHeard()
        }
        carryOut(central.scan(isOn, at: now))
    }

    // MARK: Waiting

    /// When to call ``advance(_:)`` at the latest.
    package var nextDeadline: Instant? { scanFailure == nil ? central.nextDeadline : .zero }

    /// The HCI socket and those of the links.
    package var watched: [Watched] {
        watchedLinks = channels.keys.sorted()
        var watched: [Watched] = []
        if let control { watched.append(Watched(number: control.number, writes: !commands.isEmpty)) }
        for link in watchedLinks {
            guard let channel = channels[link] else { continue }
            watched.append(
                Watched(
                    number: channel.descriptor.number,
                    reads: channel.isConnected,
                    writes: channel.isWriting || !channel.isConnected || channel.hasFailed
                )
            )
        }
        return watched
    }

    /// Reads and writes as much as possible, and does what is due.
    ///
    /// - Throws: ``BearerError`` if a scan can hear nothing any more. A lost link is an event, not an error.
    package func advance(_ ready: ArraySlice<Watched>) throws(BearerError) {
        var rest = ready
        if let control, rest.first?.number == control.number {
            // The HCI socket comes first, because it says why connections end.
            if let socket = rest.popFirst(), socket.isReady { serve(socket) }
        }
        for (link, socket) in zip(watchedLinks, rest) where socket.isReady { serve(link, socket) }
        carryOut(central.advance(to: now))
        if let error = scanFailure {
            scanFailure = nil
            throw error
        }
    }

    package func takeEvent() -> BearerEvent? { events.popFirst() }

    private func serve(_ socket: Watched) {
        if socket.isWritable { flushCommands() }
        guard socket.isReadable, let control else { return }
        do throws(SystemError) {
            for _ in 0..<Self.burst {
                switch try control.read(into: &buffer) {
                case .bytes(let bytes):
                    // The controller sent a malformed packet. The next one may be well-formed.
                    guard let packet = try? HCIPacket(decoding: bytes) else { continue }
                    carryOut(central.receive(packet, at: now))
                case .nothingYet: return
                case .end: throw SystemError(number: 0)
                }
            }
        } catch {
            lose(error)
        }
    }

    private func serve(_ link: LinkIdentifier, _ socket: Watched) {
        guard let channel = channels[link] else { return }
        if !channel.isConnected {
            let failure = system.failure(channel.descriptor)
            guard failure == 0 else { return carryOut(central.failed(link, failure, at: now)) }
            guard socket.isWritable else { return carryOut(central.failed(link, 0, at: now)) }
            channel.isConnected = true
            carryOut(central.connected(link, handle: system.handle(channel.descriptor), at: now))
            return
        }
        if socket.isWritable { channel.flush() }
        if socket.isReadable || channel.hasFailed {
            for _ in 0..<Self.burst {
                guard channels[link] != nil, let pdu = channel.read(into: &buffer) else { break }
                carryOut(central.receive(pdu, on: link, at: now))
            }
        }
        if let end = channel.end { carryOut(central.failed(link, end, at: now)) }
    }

    // MARK: What the central wants

    private func carryOut(_ outputs: [BluetoothCentral.Output]) {
        for output in outputs {
            switch output {
            case .send(let command):
                // Commands for an adapter that is gone are not kept: another adapter may have its number by then.
                guard control != nil else { continue }
                commands.append(command)
                flushCommands()
            case .connect(let link, let address): begin(link, address)
            case .write(let link, let pdu):
                guard let channel = channels[link] else { continue }
                if !channel.write(pdu) { carryOut(central.congested(link, at: now)) }
            case .disconnect(let link): channels[link] = nil
            case .restoreKernelScan: restoreKernelScan()
            case .event(let event): events.append(event)
            case .scanFailed(let error): scanFailure = error
            }
        }
    }

    private func begin(_ link: LinkIdentifier, _ address: BluetoothAddress) {
        do throws(SystemError) {
            channels[link] = ATTChannel(try system.connect(adapter.address, address))
        } catch {
            events.append(.closed(link, ConnectFailure.refused(error.number, adapter: adapter.name)))
            carryOut(central.close(link, at: now))
        }
    }

    private func flushCommands() {
        guard let control else { return }
        do throws(SystemError) {
            while let command = commands.first {
                guard try control.write(command.encoded[...]) > 0 else { return }
                commands.removeFirst()
            }
        } catch {
            lose(error)
        }
    }

    /// Gives the HCI socket up after an error.
    private func lose(_ error: SystemError) {
        guard control != nil else { return }
        control = nil
        commands = []
        let error = BluetoothSurvey.error(error, of: adapter.name)
        if central.isScanning { scanFailure = error }
        carryOut(central.lost(error, at: now))
    }

    /// The kernel works out which devices it listens to whenever it is asked to connect. So this asks it to connect,
    /// and withdraws the request at once.
    private func restoreKernelScan() {
        guard let nobody = BluetoothAddress("C0:00:00:00:00:00", .random) else { return }
        _ = try? system.connect(adapter.address, nobody)
    }

    /// Waits up to 500 ms until the bearer's own scan is off, in case a command was under way.
    private func finishScan() {
        let end = now.advanced(by: .milliseconds(500))
        while control != nil, !central.isScannerQuiet, now < end {
            var sockets = watched
            guard (try? waitForAny(of: &sockets, milliseconds: now.duration(to: end).pollMilliseconds)) == true else {
                return
            }
            try? advance(sockets[...])
        }
    }
}
