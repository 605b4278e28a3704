package import MeshCore

/// Switches scanning on and off at a controller that others use as well: the kernel, which scans on its own for devices
/// that it is to connect to, bluetoothd, and other programs.
///
/// A machine without input or output of its own. Whoever has switched scanning on, reports come to every raw HCI socket,
/// so somebody else's scan is shared at first and left alone. When it brings nothing of Bluetooth Mesh, as the kernel's
/// does, which listens to few chosen devices, it is replaced for a time. What others do is seen: the kernel shows their
/// commands.
package struct LEScanner: Sendable {
    /// What the owner is to do.
    package enum Output: Hashable, Sendable {
        /// Send this command.
        case send(HCICommand)
        /// A packet was heard while scanning is on.
        case heard(AdvertisingReport)
        /// Have the kernel work out its own scan anew: it was replaced, and this scanner has ended.
        case restoreKernelScan
        /// The controller does not scan.
        case failed(BearerError)
    }

    /// What is asked of the scanner.
    package enum Demand: Hashable, Sendable {
        /// Nobody wants to hear anything.
        case off
        /// Silence for a moment, because the kernel is to connect.
        case paused
        /// Scanning.
        case on
    }

    enum Phase: Hashable, Sendable {
        /// No scan of this scanner is on.
        case idle
        /// A command is under way.
        case busy(Step, deadline: Instant)
        /// This scanner's own scan is on.
        case own
        /// Somebody else's scan is on, from which something of use must come until then.
        case shared(until: Instant)
        /// Somebody else has switched the scan off; it is switched on again then.
        case interrupted(until: Instant)
        /// The controller has refused; nothing is tried until nobody wants to scan any more.
        case failed
    }

    enum Step: Hashable, Sendable {
        case askingFeatures
        case settingParameters
        case enabling
        case disabling
        /// Ending somebody else's scan, or an own one that has gone quiet.
        case replacing
    }

    private let timing: LEScanTiming
    private var parameters: LEScanParameters
    private var demand = Demand.off
    private(set) var phase = Phase.idle
    private var features: ControllerFeatures?
    /// What somebody else has asked the controller and has no answer yet: scanning on or off.
    private var foreign: Bool?
    /// Whether somebody else's scan was replaced and is to be restored.
    private var hasReplaced = false
    /// Whether sharing was tried in vain.
    private var sharesInVain = false
    /// Whether the other kind of commands was tried after a refusal.
    private var hasChangedKind = false
    private var interruptions = 0
    /// How often in a row scanning was disallowed although no scan could be shared.
    private var disallowals = 0
    /// How often in a row a command was not answered.
    private var silences = 0
    private var lastReport = Instant.zero
    private var assembler = ExtendedReportAssembler()

    /// A scanner that is off.
    package init(_ parameters: LEScanParameters, timing: LEScanTiming = LEScanTiming()) {
        self.parameters = parameters
        self.timing = timing
    }

    /// Whether no command is under way and no scan of this scanner on, so that the kernel can connect.
    package var isQuiet: Bool {
        switch phase {
        case .idle, .shared, .interrupted, .failed: true
        case .busy, .own: false
        }
    }

    /// When ``advance(to:)`` is to be called.
    package var nextDeadline: Instant? {
        switch phase {
        case .idle, .failed: nil
        case .busy(_, let deadline): deadline
        case .own: lastReport.advanced(by: timing.quiet)
        case .shared(let until): sharesInVain || demand != .on ? nil : until
        case .interrupted(let until): demand == .on ? until : nil
        }
    }

    /// Takes what is wanted from now on.
    package mutating func set(_ demand: Demand, at now: Instant) -> [Output] {
        guard demand != self.demand else { return [] }
        self.demand = demand
        if demand == .off { disallowals = 0 }
        if demand == .off, phase == .failed { phase = .idle }
        return review(at: now)
    }

    /// Lets time pass.
    package mutating func advance(to now: Instant) -> [Output] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        switch phase {
        case .busy:
            // An answer can be lost while nobody reads the socket for long; a scan that works is not to end by that.
            foreign = nil
            silences += 1
            guard silences >= LEScanner.maximumSilences else { return send(disable, as: .replacing, at: now) }
            return fail(
                BearerError(
                    "the Bluetooth adapter does not answer commands",
                    hint: "unplug the adapter and plug it in again, or switch it off and on with btmgmt"
                )
            )
        case .own: return send(disable, as: .replacing, at: now)
        case .shared:
            sharesInVain = true
            return replace(at: now)
        case .interrupted: return disallowals > 0 ? replace(at: now) : begin(at: now)
        case .idle, .failed: return []
        }
    }

    /// Takes in what the HCI socket shows.
    package mutating func receive(_ packet: HCIPacket, at now: Instant) -> [Output] {
        switch packet {
        case .command(.leSetScanEnable(let isOn, _)), .command(.leSetExtendedScanEnable(let isOn, _)):
            foreign = isOn
            return []
        case .event(.commandComplete(let opcode, let parameters)):
            return completed(opcode, parameters, at: now)
        case .event(.commandStatus(let opcode, let status)) where status != .success:
            return completed(opcode, [status.rawValue], at: now)
        case .event(.advertisingReports(let reports)): return hear(reports, at: now)
        case .event(.extendedAdvertisingReports(let reports)):
            return hear(reports.compactMap { assembler.receive($0) }, at: now)
        default: return []
        }
    }

    /// What was heard is of use: somebody else's scan brings what is looked for.
    package mutating func heardSomethingOfUse(at now: Instant) {
        if case .shared = phase, !sharesInVain { phase = .shared(until: now.advanced(by: timing.sharing)) }
    }

    private mutating func hear(_ reports: [AdvertisingReport], at now: Instant) -> [Output] {
        lastReport = now
        (interruptions, disallowals, silences) = (0, 0, 0)
        guard demand == .on else { return [] }
        return reports.map { .heard($0) }
    }
}

// MARK: Commands

extension LEScanner {
    private var isExtended: Bool { features?.hasExtendedScanning ?? false }

    private var enable: HCICommand {
        isExtended
            ? .leSetExtendedScanEnable(true, filtersDuplicates: false)
            : .leSetScanEnable(true, filtersDuplicates: false)
    }

    private var disable: HCICommand {
        isExtended
            ? .leSetExtendedScanEnable(false, filtersDuplicates: false)
            : .leSetScanEnable(false, filtersDuplicates: false)
    }

    private mutating func send(_ command: HCICommand, as step: Step, at now: Instant) -> [Output] {
        phase = .busy(step, deadline: now.advanced(by: timing.command))
        return [.send(command)]
    }

    /// Sees to it that the phase leads to what is demanded.
    private mutating func review(at now: Instant) -> [Output] {
        switch (demand, phase) {
        case (_, .busy), (_, .failed): return []
        case (.on, .idle): return begin(at: now)
        case (.on, .shared):
            return sharesInVain ? replace(at: now) : []
        case (.on, .own), (.on, .interrupted): return []
        case (.off, .own), (.paused, .own): return send(disable, as: .disabling, at: now)
        case (.paused, .idle), (.paused, .shared), (.paused, .interrupted): return []
        case (.off, .idle), (.off, .shared), (.off, .interrupted):
            phase = .idle
            guard hasReplaced else { return [] }
            hasReplaced = false
            return [.restoreKernelScan]
        }
    }

    private mutating func begin(at now: Instant) -> [Output] {
        guard features != nil else { return send(.readLocalSupportedCommands, as: .askingFeatures, at: now) }
        return send(
            isExtended ? .leSetExtendedScanParameters(parameters) : .leSetScanParameters(parameters),
            as: .settingParameters,
            at: now
        )
    }

    private mutating func replace(at now: Instant) -> [Output] {
        hasReplaced = true
        return send(disable, as: .replacing, at: now)
    }

    private mutating func fail(_ error: BearerError) -> [Output] {
        silences = 0
        // Where nobody wants to hear anything any more, nobody is to be told, and the next one begins anew.
        guard demand != .off else {
            reset()
            return []
        }
        phase = .failed
        return [.failed(error)]
    }

    /// Forgets the controller, which is gone, or may be another one by now.
    mutating func reset() {
        phase = .idle
        demand = .off
        features = nil
        foreign = nil
        hasReplaced = false
        sharesInVain = false
        hasChangedKind = false
        (interruptions, disallowals, silences) = (0, 0, 0)
        assembler = ExtendedReportAssembler()
    }

    /// A command has been answered, an own one or somebody else's. The controller does one after the other, so the
    /// answer after somebody else's command is theirs.
    private mutating func completed(_ opcode: HCIOpcode, _ parameters: [UInt8], at now: Instant) -> [Output] {
        let status = HCIEvent.status(parameters)
        if opcode == .leSetScanEnable || opcode == .leSetExtendedScanEnable, let isOn = foreign {
            foreign = nil
            guard status == .success else { return [] }
            // The kernel knows better than the list of commands which kind the controller can be trusted with.
            features?.hasExtendedScanning = opcode == .leSetExtendedScanEnable
            return foreignScan(isOn: isOn, at: now)
        }
        guard case .busy(let step, _) = phase else { return [] }
        switch (step, opcode) {
        case (.askingFeatures, .readLocalSupportedCommands):
            features = ControllerFeatures(supportedCommands: parameters)
            phase = .idle
            return review(at: now)
        case (.settingParameters, .leSetScanParameters), (.settingParameters, .leSetExtendedScanParameters):
            guard status == .success else { return refused(status, at: now) }
            guard demand == .on else { return settle(.idle, at: now) }
            lastReport = now
            return send(enable, as: .enabling, at: now)
        case (.enabling, .leSetScanEnable), (.enabling, .leSetExtendedScanEnable):
            guard status == .success else { return refused(status, at: now) }
            (disallowals, silences) = (0, 0)
            return settle(.own, at: now)
        case (.disabling, .leSetScanEnable), (.disabling, .leSetExtendedScanEnable):
            return settle(.idle, at: now)
        case (.replacing, .leSetScanEnable), (.replacing, .leSetExtendedScanEnable):
            // Somebody may have been quicker; what comes of it shows at the next command.
            return settle(.idle, at: now)
        default: return []
        }
    }

    private mutating func settle(_ phase: Phase, at now: Instant) -> [Output] {
        self.phase = phase
        return review(at: now)
    }

    private mutating func refused(_ status: HCIErrorCode, at now: Instant) -> [Output] {
        switch status {
        case .commandDisallowed:
            // Scanning is on already, or the controller was given commands of the other kind.
            if hasReplaced, sharesInVain { return disallowed(at: now) }
            return settle(.shared(until: now.advanced(by: timing.sharing)), at: now)
        case .unknownCommand: return changeKind(status, at: now)
        // Some controllers name the extended commands and have only the others.
        default: return isExtended ? changeKind(status, at: now) : fail(LEScanner.error(status))
        }
    }

    /// The scan that was replaced is on again, or the controller takes only the other kind of commands until it is
    /// reset: both are tried in turn, at growing distances.
    private mutating func disallowed(at now: Instant) -> [Output] {
        disallowals += 1
        guard disallowals <= LEScanner.maximumDisallowals else { return fail(LEScanner.error(.commandDisallowed)) }
        // Mostly it is the former, while a connection of somebody else is made.
        if disallowals.isMultiple(of: 4) || disallowals % 4 == 1, disallowals > 1 {
            features?.hasExtendedScanning.toggle()
        }
        let wait = timing.interruption * (1 << min(disallowals - 1, 4))
        return settle(.interrupted(until: now.advanced(by: wait)), at: now)
    }

    /// Tries the other kind of commands, once.
    private mutating func changeKind(_ status: HCIErrorCode, at now: Instant) -> [Output] {
        guard !hasChangedKind else { return fail(LEScanner.error(status)) }
        hasChangedKind = true
        features?.hasExtendedScanning.toggle()
        return settle(.idle, at: now)
    }

    /// With growing distances, some ten seconds of the usual timing.
    private static let maximumDisallowals = 10
    /// Two commands without an answer are taken for lost ones.
    private static let maximumSilences = 3

    private static func error(_ status: HCIErrorCode) -> BearerError {
        BearerError("the Bluetooth adapter refuses to scan: \(status)", hint: status.hint)
    }

    /// Somebody else has switched scanning on or off.
    private mutating func foreignScan(isOn: Bool, at now: Instant) -> [Output] {
        switch phase {
        case .busy, .failed: return []
        case .idle, .own, .shared, .interrupted: break
        }
        guard demand != .off else { return [] }
        if isOn { return settle(.shared(until: now.advanced(by: timing.sharing)), at: now) }
        // Who switches a scan off often switches another one on at once.
        interruptions = min(interruptions + 1, 5)
        phase = .interrupted(until: now.advanced(by: timing.interruption * (1 << (interruptions - 1))))
        return []
    }
}

/// How long an ``LEScanner`` waits.
package struct LEScanTiming: Hashable, Sendable {
    /// How long the controller may take for one command.
    package var command: Duration
    /// After how long somebody else's scan that brings nothing of use is replaced.
    package var sharing: Duration
    /// How long after somebody else has switched scanning off it is switched on again; twice as long each time that
    /// nothing was heard in between, up to sixteen times.
    package var interruption: Duration
    /// After how long without any packet scanning is switched off and on, for some controllers forget that they scan.
    package var quiet: Duration

    /// Those times.
    package init(
        command: Duration = .seconds(4),
        sharing: Duration = .milliseconds(1_500),
        interruption: Duration = .milliseconds(100),
        quiet: Duration = .seconds(10)
    ) {
        self.command = command
        self.sharing = sharing
        self.interruption = interruption
        self.quiet = quiet
    }
}
