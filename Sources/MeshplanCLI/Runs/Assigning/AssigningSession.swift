import Bearers
import DefinitionModel
import Execution
import MeshCore
import Planning
import Store
import SystemLayer

/// One `assign` at a terminal: device after device blinks, and the person says at which place it is.
///
/// Nothing is kept in memory that is not in the file: whatever ends the run, it can begin again where it was.
struct AssigningSession {
    var context: Context
    var route: MeshRoute
    /// What is known about nodes and devices.
    var knowledge: ScanKnowledge
    var assignments: Assignments
    /// How long to listen before the first device is shown.
    var listening: Duration
    /// For how many seconds a device blinks at a time, 1...60.
    var blinking: UInt8
    /// Carries out the plan for a place; nil to leave that to a later apply.
    var apply: ((String) throws -> ExitStatus)?
    var give: (inout Assignments, DeviceUUID, String) throws -> Void
    /// The only place to assign; nil for all.
    var only: String?

    private var heard = ScanList(network: nil)
    private var skipped: Set<DeviceUUID> = []
    private var postponed: [DeviceUUID] = []
    /// What this run has assigned, the latest last.
    private var done: [(place: String, device: DeviceUUID)] = []
    private var last = 0
    private var applied = ExitStatus.success
    private var access: BearerAccess?

    /// The most places that are shown at once.
    private static let shown = 9

    init(
        context: Context,
        route: MeshRoute,
        knowledge: ScanKnowledge,
        assignments: Assignments,
        listening: Duration,
        blinking: UInt8,
        only: String? = nil,
        apply: ((String) throws -> ExitStatus)?,
        give: @escaping (inout Assignments, DeviceUUID, String) throws -> Void
    ) {
        self.context = context
        self.route = route
        self.knowledge = knowledge
        self.assignments = assignments
        self.listening = listening
        self.blinking = blinking
        self.only = only
        self.apply = apply
        self.give = give
    }

    private var open: [String] { only.map { done.isEmpty ? [$0] : [] } ?? assignments.open }

    /// Assigns devices until no place is left, or the person ends it.
    ///
    /// - Throws: ``Failure`` if nobody can be asked; ``BearerError`` if the bearer fails. What was assigned before is
    ///   in the file.
    mutating func run() throws -> ExitStatus {
        guard TerminalPrompter.isAttended(context) else {
            throw Failure(
                .usage,
                "nobody can be asked which device is where: standard input is not a terminal",
                hint: "Assign from a table with --from FILE, or one device with meshplan assign PLACE UUID."
            )
        }
        guard !open.isEmpty else {
            context.output.line("All \(count(assignments.count, "place")) have a device.")
            return .success
        }
        say("\(count(open.count, "place")) without a device. Listening …")
        let before = context.interrupts.count()
        try listen(for: listening, before)
        while !open.isEmpty, context.interrupts.count() == before {
            guard let device = next() else {
                guard try wait(before) else { break }
                continue
            }
            guard let answer = try ask(device, try connected(), before) else { break }
            switch answer {
            case .place(let place):
                guard try assign(device, to: place), let apply else { continue }
                // The run opens the same route.
                access = nil
                let status = try apply(place)
                applied = applied == .success ? status : applied
                heard.forget(device.uuid)
            case .skip:
                skipped.insert(device.uuid)
                say("Left out until the next run: \(device.uuid)")
            case .another:
                postponed.removeAll { $0 == device.uuid }
                postponed.append(device.uuid)
            case .undo: try undo()
            case .quit: return end(.success)
            case .blink, .help, .several, .nothing: break
            }
        }
        return end(context.interrupts.count() == before ? .success : .interrupted)
    }

    private func end(_ status: ExitStatus) -> ExitStatus {
        let left = open.count
        say(
            "\(count(done.count, "device")) assigned, "
                + (left == 0 ? "no place is left." : "\(count(left, "place")) left.")
                + (done.isEmpty || apply != nil ? "" : " Next: meshplan plan")
        )
        return status == .success ? applied : status
    }

    // MARK: Devices

    /// The device to show: the strongest one, or the one that was postponed first.
    private func next() -> ScanList.Device? {
        let candidates = heard.devices.filter { device in
            !skipped.contains(device.uuid) && assignments.name(of: device.uuid) == nil
        }
        let fresh = candidates.first { !postponed.contains($0.uuid) }
        return fresh ?? postponed.lazy.compactMap { uuid in candidates.first { $0.uuid == uuid } }.first
    }

    /// The route, opened if it is not.
    private mutating func connected() throws -> BearerAccess {
        if let access { return access }
        let opened = try route.open(
            in: context,
            network: knowledge.network ?? .empty,
            heard: knowledge.database?.snapshot.replay ?? [],
            named: knowledge.database?.name,
            names: Dictionary(firstOf: assignments.definition.nodes.map { ($0.name.value, $0.uuid.value) }),
            vendorModels: knowledge.vendorModels,
            watched: [context.lineInput.descriptor].compactMap { $0 }
        )
        access = opened
        return opened
    }

    private mutating func listen(for time: Duration, _ before: Int) throws {
        let bearer = try connected().bearer
        let end = bearer.now.advanced(by: time)
        try bearer.scan(true)
        defer { try? bearer.scan(false) }
        while bearer.now < end, context.interrupts.count() == before {
            if case .heard(let advertisement)? = try bearer.next(until: end) {
                _ = heard.hear(advertisement, at: bearer.now)
            }
        }
    }

    /// Listens until a device is heard that has no place.
    ///
    /// - Returns: false if the person ends that.
    private mutating func wait(_ before: Int) throws -> Bool {
        say(
            skipped.isEmpty
                ? "No device without a place is heard. Listening; q ends."
                : "No other device without a place is heard. Listening; - takes the last assignment back, q ends."
        )
        while context.interrupts.count() == before {
            try listen(for: .seconds(1), before)
            if next() != nil { return true }
            switch try typed(try connected(), waits: false) {
            case .nothing: continue
            case .end: return false
            case .line(let line):
                switch PlaceChoice.answer(line, among: []) {
                case .quit: return false
                case .undo:
                    try undo()
                    return true
                default: continue
                }
            }
        }
        return false
    }

    // MARK: Questions

    /// Lets a device blink, and asks for its place.
    ///
    /// - Returns: nil at the end of input and when interrupted.
    private mutating func ask(
        _ device: ScanList.Device,
        _ access: BearerAccess,
        _ before: Int
    ) throws -> PlaceChoice.Answer? {
        var elementCount: Int?
        while true {
            var answer: LineInput.Event?
            var generator = context.randomNumbers
            let (interrupts, input) = (context.interrupts, access.simulation == nil ? context.lineInput : nil)
            let identification = DeviceIdentification(
                bearer: access.bearer,
                uuid: device.uuid,
                name: "the device",
                seconds: blinking,
                isInterrupted: {
                    if interrupts.count() != before { return true }
                    if answer == nil, let event = input?.poll(), event != .nothing { answer = event }
                    return answer != nil
                }
            )
            var shown: [String]?
            do {
                try identification.run(using: &generator) { capabilities in
                    elementCount = Int(capabilities.elementCount)
                    shown = show(device, elementCount, isBlinking: true)
                    // The time of a world in this process stands still while the person thinks.
                    if input == nil { answer = nextLine() }
                }
            } catch let failure as Failure {
                guard context.interrupts.count() == before else { return nil }
                // Without a bearer nothing is heard any more, and no other device will be.
                if let deafness = access.bearer.deafness { throw deafness }
                say("It cannot blink: \(failure.message)")
            }
            var places = shown ?? show(device, elementCount, isBlinking: false)
            // More letters or a number choose among those that were shown last.
            while context.interrupts.count() == before {
                let event = try answer ?? typed(access)
                answer = nil
                switch event {
                case .nothing: continue
                case .end:
                    // Ctrl-D ends no line.
                    say("")
                    return nil
                case .line(let line):
                    switch PlaceChoice.answer(line, among: places) {
                    case .blink:
                        places = []
                    case .help: prompt(Self.help)
                    case .nothing(let text): prompt("No place is called `\(text.printable)`. ? helps.")
                    case .several(let several):
                        list(several, of: several.count)
                        places = several
                        prompt("")
                    case let answer: return answer
                    }
                }
                if places.isEmpty { break }
            }
            if context.interrupts.count() != before { return nil }
        }
    }

    private static let help = """
        Type a number or some letters of a place; Return alone takes the first.
        . leave this device out   > another device first   ! blink again   - take the last assignment back   q end
        """

    /// What was typed.
    ///
    /// - Parameter waits: whether to wait for it a little.
    private func typed(_ access: BearerAccess, waits: Bool = true) throws -> LineInput.Event {
        if access.simulation != nil { return nextLine() }
        let event = context.lineInput.poll()
        guard event == .nothing, waits else { return event }
        // Typing ends this wait early. What is heard meanwhile is heard again.
        _ = try access.bearer.next(until: access.bearer.now.advanced(by: .milliseconds(500)))
        if let deafness = access.bearer.deafness { throw deafness }
        return context.lineInput.poll()
    }

    /// The next line, however long that takes.
    private func nextLine() -> LineInput.Event { context.readLine().map { .line($0) } ?? .end }

    /// Shows a device and its places.
    ///
    /// - Returns: the places by their numbers.
    private func show(_ device: ScanList.Device, _ elementCount: Int?, isBlinking: Bool) -> [String] {
        let choice = PlaceChoice(
            open: open,
            elementCounts: ExpectedDevices.elementCounts(of: assignments.definition, in: knowledge.network)
        )
        let places = choice.places(for: elementCount, after: last)
        var words = ["\(device.uuid)"]
        if let signal = device.signal.best { words.append("\(signal) dBm") }
        if let elementCount { words.append(count(elementCount, "element")) }
        say("")
        say(words.joined(separator: ", ") + (isBlinking ? " blinks now." : "."))
        let fitting = places.prefix { choice.fits($0, elementCount: elementCount) }
        list(fitting.isEmpty ? places : Array(fitting), of: places.count)
        prompt("")
        return places
    }

    private func list(_ places: [String], of total: Int) {
        let shown = places.prefix(Self.shown)
        var texts = shown.enumerated().map { "\($0.offset + 1) \($0.element)" }
        if total > shown.count { texts.append("… \(total - shown.count) more") }
        // A number stays beside its place.
        let width = context.terminal.isErrorTerminal ? context.terminal.width : Int.max
        var line = ""
        for text in texts {
            if !line.isEmpty, line.displayWidth + 3 + text.displayWidth > width {
                say(line)
                line = ""
            }
            line += (line.isEmpty ? "  " : "   ") + text
        }
        say(line)
    }

    private func prompt(_ problem: String) {
        if !problem.isEmpty { say(problem) }
        context.errorOutput.question("Place? ")
    }

    // MARK: Assignments

    /// - Returns: false if somebody else has taken the place, or the device, meanwhile. What they did is known then.
    private mutating func assign(_ device: ScanList.Device, to place: String) throws -> Bool {
        let position = assignments.open.firstIndex(of: place) ?? 0
        do {
            try give(&assignments, device.uuid, place)
        } catch let failure as Failure {
            say("\(failure.message).")
            return false
        }
        last = position
        done.append((place, device.uuid))
        postponed.removeAll { $0 == device.uuid }
        say("\(place) has \(device.uuid) now (\(count(open.count, "place")) left).")
        return true
    }

    private mutating func undo() throws {
        guard let latest = done.last else { return say("Nothing was assigned in this run.") }
        guard apply == nil, only == nil else {
            return say("\(latest.place) is a node already: meshplan replace gives it another device.")
        }
        _ = try assignments.free([latest.place])
        done.removeLast()
        last = assignments.open.firstIndex(of: latest.place) ?? last
        say("\(latest.place) has no device again.")
    }

    private func say(_ text: String) { context.errorOutput.line(text) }
}
