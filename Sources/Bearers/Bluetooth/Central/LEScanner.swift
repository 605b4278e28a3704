package import MeshCore

/// Switches scanning on and off at a controller that others use too: the kernel, which scans for devices that it will
/// connect to, bluetoothd, and other programs.
///
/// A state machine without input or output of its own. Every raw HCI socket gets the reports, regardless of who has
/// switched scanning on. So this scanner first shares somebody else's scan and leaves it alone. If that scan brings
/// nothing of Bluetooth Mesh, this scanner replaces it for a time; the kernel's scan is like that, because it listens
/// to few chosen devices. The kernel shows the commands of others, so the scanner sees what they do.
package struct LEScanner: Sendable {
    /// What the owner must do.
    package enum Output: Hashable, Sendable {
        case send(HCICommand)
        /// A packet was heard while scanning was on.
        case heard(AdvertisingReport)
        /// Make the kernel restart its own scan: this scanner had replaced it and has ended.
        case restoreKernelScan
        /// The controller cannot scan.
        case failed(BearerError)
    }

    /// What the owner asks of the scanner.
    package enum Demand: Hashable, Sendable {
        case off
        /// Silence for a moment, so that the kernel can connect.
        case paused
        case on
    }

    enum Phase: Hashable, Sendable {
        /// This scanner does not scan.
        case idle
        /// A command is under way.
        case busy(Step, deadline: Instant)
        /// This scanner's own scan is on.
        case own
        /// Somebody else's scan is on. It must bring something useful until then.
        case shared(until: Instant)
        /// Somebody else has switched the scan off. This scanner switches it on again then.
        case interrupted(until: Instant)
        /// The controller has refused. The scanner tries nothing until the demand is ``Demand/off``.
        case failed
    }

    enum Step: Hashable, Sendable {
        case askingFeatures
        case settingParameters
        case enabling
        case disabling
        /// Ending somebody else's scan, or the scanner's own scan that has gone quiet.
        case replacing
    }

    private let timing: LEScanTiming
    private var parameters: LEScanParameters
    private var demand = Demand.off
    private(set) var phase = Phase.idle
    private var features: ControllerFeatures?
    /// Somebody else's command to switch scanning on or off that the controller has not answered yet.
    private var foreign: Bool?
    /// Whether somebody else's scan was replaced and must be restored.
    private var hasReplaced = false
    /// Whether sharing a scan brought nothing.
    private var sharesInVain = false
    /// Whether the other kind of commands was tried after a refusal.
    private var hasChangedKind = false
    private var interruptions = 0
    /// How often in a row the controller disallowed scanning although there was no scan to share.
    private var disallowals = 0
    /// How often in a row the controller did not answer a command.
    private var silences = 0
    private var lastReport = Instant.zero
    private var assembler = ExtendedReportAssembler()

    package init(_ parameters: LEScanParameters, timing: LEScanTiming = LEScanTiming()) {
        self.parameters = parameters
        self.timing = timing
    }

    /// Whether no command is under way and this scanner does not scan, so that the kernel can connect.
    package var isQuiet: Bool {
        switch phase {
        case .idle, .shared, .interrupted, .failed: true
        case .busy, .own: false
        }
    }

    /// When to call ``advance(to:)``.
    package var nextDeadline: Instant? {
        switch phase {
        case .idle, .failed: nil
        case .busy(_, let deadline): deadline
        case .own: lastReport.advanced(by: timing.quiet)
        case .shared(let until): sharesInVain || demand != .on ? nil : until
        case .interrupted(let until): demand == .on ? until : nil
        }
    }

    /// Sets what the owner wants from now on.
    package mutating func set(_ demand: Demand, at now: Instant) -> [Output] {
        guard demand != self.demand else { return [] }
        self.demand = demand
        if demand == .off { disallowals = 0 }
        if demand == .off, phase == .failed { phase = .idle }
        return review(at: now)
    }

    /// Does what is due at that time.
    package mutating func advance(to now: Instant) -> [Output] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        switch phase {
        case .busy:
            // An answer can be lost if nobody reads the socket for long. That must not end a scan that works.
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

    /// Processes a packet of the HCI socket.
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

    /// Something useful was heard: somebody else's scan brings what is wanted.
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

    /// Moves the phase towards the demand.
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
        // If nobody wants to hear anything, nobody is told, and the next demand starts from the beginning.
        guard demand != .off else {
            reset()
            return []
        }
        phase = .failed
        return [.failed(error)]
    }

    /// Forgets what is known of the controller. It is gone, or another controller may have its number.
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

    /// A command was answered, this scanner's or somebody else's. The controller handles one command at a time, so the
    /// answer that follows somebody else's command is theirs.
    private mutating func completed(_ opcode: HCIOpcode, _ parameters: [UInt8], at now: Instant) -> [Output] {
        let status = HCIEvent.status(parameters)
        if opcode == .leSetScanEnable || opcode == .leSetExtendedScanEnable, let isOn = foreign {
            foreign = nil
            guard status == .success else { return [] }
            // The kernel knows which kind of commands works with the controller; its choice counts more than the
            // controller's list of commands.
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
            guard demand == .on else { return enter(.idle, at: now) }
            lastReport = now
            return send(enable, as: .enabling, at: now)
        case (.enabling, .leSetScanEnable), (.enabling, .leSetExtendedScanEnable):
            guard status == .success else { return refused(status, at: now) }
            (disallowals, silences) = (0, 0)
            return enter(.own, at: now)
        case (.disabling, .leSetScanEnable), (.disabling, .leSetExtendedScanEnable):
            return enter(.idle, at: now)
        case (.replacing, .leSetScanEnable), (.replacing, .leSetExtendedScanEnable):
            // Somebody else may have been quicker. The next command shows the result.
            return enter(.idle, at: now)
        default: return []
        }
    }

    private mutating func enter(_ phase: Phase, at now: Instant) -> [Output] {
        self.phase = phase
        return review(at: now)
    }

    private mutating func refused(_ status: HCIErrorCode, at now: Instant) -> [Output] {
        switch status {
        case .commandDisallowed:
            // Scanning is already on, or the controller has been given commands of the other kind.
            if hasReplaced, sharesInVain { return disallowed(at: now) }
            return enter(.shared(until: now.advanced(by: timing.sharing)), at: now)
        case .unknownCommand: return changeKind(status, at: now)
        // Some controllers list the extended commands but support only the legacy ones.
        default: return isExtended ? changeKind(status, at: now) : fail(LEScanner.error(status))
        }
    }

    /// Either the replaced scan is on again, or the controller takes only the other kind of commands until it is reset.
    /// The scanner tries both in turn, at growing intervals.
    private mutating func disallowed(at now: Instant) -> [Output] {
        disallowals += 1
        guard disallowals <= LEScanner.maximumDisallowals else { return fail(LEScanner.error(.commandDisallowed)) }
        // Usually it is the former, while somebody else's connection is being made.
        if disallowals.isMultiple(of: 4) || disallowals % 4 == 1, disallowals > 1 {
            features?.hasExtendedScanning.toggle()
        }
        let wait = timing.interruption * (1 << min(disallowals - 1, 4))
        return enter(.interrupted(until: now.advanced(by: wait)), at: now)
    }

    /// Tries the other kind of commands, once.
    private mutating func changeKind(_ status: HCIErrorCode, at now: Instant) -> [Output] {
        guard !hasChangedKind else { return fail(LEScanner.error(status)) }
        hasChangedKind = true
        features?.hasExtendedScanning.toggle()
        return enter(.idle, at: now)
    }

    /// Attempts at growing intervals; with the usual timing they last about ten seconds.
    private static let maximumDisallowals = 10
    /// Two unanswered commands in a row count as lost.
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
        if isOn { return enter(.shared(until: now.advanced(by: timing.sharing)), at: now) }
        // A program that switches a scan off often switches another one on at once.
        interruptions = min(interruptions + 1, 5)
        phase = .interrupted(until: now.advanced(by: timing.interruption * (1 << (interruptions - 1))))
        return []
    }
}

/// How long an ``LEScanner`` waits.
package struct LEScanTiming: Hashable, Sendable {
    /// How long the controller may take to answer a command.
    package var command: Duration = .seconds(4)
    /// How long to share somebody else's scan that brings nothing useful before replacing it.
    package var sharing: Duration = .milliseconds(1_500)
    /// How long to wait after somebody else has switched scanning off before switching it on again. The time doubles
    /// whenever nothing was heard in between, up to sixteen times.
    package var interruption: Duration = .milliseconds(100)
    /// How long without any packet before scanning is switched off and on; some controllers forget that they scan.
    package var quiet: Duration = .seconds(10)
}
