import Catalogue
import MeshCore

/// What the application models of a node hold, in memory only as far as it was used.
struct NodeModels: Hashable, Sendable {
    var stored = StoredModels()
    /// The transitions under way. What they end with is stored already.
    var fades: [StateKey: Fade] = [:]
    /// The last transaction of each client with each model.
    var transactions: [TransactionKey: Transaction] = [:]
    /// The controllers of lamps, by their elements.
    var controllers: [Int: LightController] = [:]
    /// The recalls of scenes under way, by their elements.
    var recalls: [Int: SceneRecall] = [:]
    /// What Time Servers know of the time, by their elements.
    var times: [Int: KnownTime] = [:]
    /// When entries of schedulers are due.
    var schedules: [StateKey: Instant] = [:]
    /// The values that sensors with a cadence have published.
    var sensed: [StateKey: SensedValue] = [:]
}

/// A client that speaks to a model of an element.
struct TransactionKey: Hashable, Sendable {
    let element: Int
    let server: ModelIdentifier
    let source: UnicastAddress
    let destination: Address
}

/// A transaction: messages with one identifier within six seconds are one command (Mesh Model 3.4.1.1).
struct Transaction: Hashable, Sendable {
    let opcode: Opcode
    let identifier: Int64
    let began: Instant
    /// The value when it began, for commands that count from there.
    var start: Int64 = 0
    /// What the last message asked for.
    var values: FieldValues

    static let window = Duration.seconds(6)
}

/// A message for a model.
struct ModelRequest {
    let element: Int
    let server: ModelIdentifier
    let opcode: Opcode
    let values: FieldValues
    let source: UnicastAddress
    let destination: Address
}

/// Why a model does not act on a message, and does not answer it either.
struct Ignored: Error {}

/// The application models of one node as a function: messages and time change their states (Mesh Model 1.1). Made for
/// one step; ``models`` is what remains.
struct ModelMachine {
    var models: NodeModels
    let elements: [Element]
    let company: UInt16
    let now: Instant
    /// The result that the status of the present request tells, where it has such a field; 0 for success.
    var result: Int64 = 0
    /// The values that came to rest in this step.
    var settled: [StateKey] = []
    /// Whether a controller moves its lamp in this moment, and not a person.
    var isControlling = false
    /// Whether a scene is being recalled in this moment.
    var isRecalling = false
    /// Whether nothing but regulators has moved anything in this step; nobody is told of that.
    var isQuiet = false
    /// The models whose change is not to be published yet.
    var withheld: Set<StatePublication> = []

    init(_ models: NodeModels?, of state: NodeConfigurationState, now: Instant) {
        self.models = models ?? NodeModels()
        elements = state.elements
        company = state.product.company
        self.now = now
    }

    // MARK: Elements

    func has(_ model: ModelIdentifier, _ element: Int) -> Bool {
        elements.indices.contains(element) && elements[element].place(of: model) != nil
    }

    /// The first element behind another one that has a model, or before it if `isBefore`.
    func neighbour(of element: Int, with model: ModelIdentifier, isBefore: Bool = false) -> Int? {
        isBefore
            ? elements.indices.prefix(element).last { has(model, $0) }
            : elements.indices.dropFirst(element + 1).first { has(model, $0) }
    }

    // MARK: Values

    /// The number that is stored: of a transition, the one that it ends with.
    subscript(_ item: StateItem, _ element: Int, _ index: UInt16 = 0) -> Int64 {
        get { models.stored.numbers[StateKey(element, item, index: index)] ?? item.initial }
        set { models.stored.numbers[StateKey(element, item, index: index)] = newValue }
    }

    /// The transition of a value; nil if it rests.
    func fade(_ item: StateItem, _ element: Int) -> Fade? { models.fades[StateKey(element, item)] }

    func present(_ item: StateItem, _ element: Int) -> Int64 {
        fade(item, element)?.value(at: now) ?? self[item, element]
    }

    /// The range of a value; everything that its field can hold if it has none.
    func range(_ item: StateItem, _ element: Int) -> ClosedRange<Int64> {
        guard let (minimum, maximum) = item.range else { return item == .level ? -32_768...32_767 : 0...0xFFFF }
        let low = self[minimum, element]
        return low...max(low, self[maximum, element])
    }

    // MARK: Transitions

    /// Moves a value to its target. A target outside of the range is moved into it; lightness and power can always be
    /// 0.
    mutating func move(_ item: StateItem, _ element: Int, to target: Int64, _ timing: FadeTiming) {
        let present = present(item, element)
        let target = clamped(target, item, element)
        var span = target - present
        if item == .hue, range(item, element) == 0...0xFFFF {
            // The shorter way round.
            span = span > 0x8000 ? span - 0x10000 : span < -0x8000 ? span + 0x10000 : span
        }
        set(item, element, from: present, span: span, timing)
    }

    /// Starts a transition, or makes the change at once if there is nothing to wait for.
    mutating func set(_ item: StateItem, _ element: Int, from: Int64, span: Int64, _ timing: FadeTiming) {
        if item == .lightness { override(element) }
        let key = StateKey(element, item)
        if span != 0 || models.fades[key] != nil { sceneChanges(element) }
        let begin = now.advanced(by: timing.delay)
        let fade = Fade(
            from: from,
            span: span,
            begin: begin,
            end: begin.advanced(by: timing.transition),
            wraps: item == .hue
        )
        self[item, element] = fade.value(at: fade.end)
        if span == 0 || fade.end <= now {
            models.fades[key] = nil
            settle(key)
        } else {
            models.fades[key] = fade
        }
    }

    /// Moves a lamp evenly in linear lightness.
    mutating func setLinear(_ lamp: Int, from: Int64, to target: Int64, until end: Instant) {
        let key = StateKey(lamp, .lightness)
        let fade = Fade(from: from, span: target - from, begin: now, end: end, isLinear: true)
        if target != from || models.fades[key] != nil { sceneChanges(lamp) }
        self[.lightness, lamp] = LightNumbers.actual(target)
        models.fades[key] = target == from ? nil : fade
        if target == from { settle(key) }
    }

    private func clamped(_ target: Int64, _ item: StateItem, _ element: Int) -> Int64 {
        if item.memory != nil, target <= 0 { return 0 }
        if item == .deltaUV { return target }
        if item == .hue, self[.hueMinimum, element] > self[.hueMaximum, element] {
            let (low, high) = (self[.hueMinimum, element], self[.hueMaximum, element])
            guard target > high, target < low else { return target }
            return target - high < low - target ? high : low
        }
        let range = range(item, element)
        return min(max(target, range.lowerBound), range.upperBound)
    }

    /// A value has arrived.
    private mutating func settle(_ key: StateKey) {
        let element = Int(key.element)
        if let memory = key.item.memory, self[key.item, element] > 0 {
            self[memory.last, element] = self[key.item, element]
        }
        settled.append(key)
    }

    /// Carries out what is due.
    mutating func advance() {
        endFades()
        advanceControllers()
        advanceScenes()
        advanceSchedules()
    }

    /// Ends the transitions that are over.
    private mutating func endFades() {
        for (key, fade) in models.fades.sorted(by: { $0.key < $1.key }) where fade.end <= now {
            models.fades[key] = nil
            settle(key)
        }
    }

    /// When something is due next; nil if all rests.
    var nextDeadline: Instant? {
        let others = [nextControlDeadline, models.recalls.values.map(\.end).min(), models.schedules.values.min()]
        return (others + [models.fades.values.map(\.end).min()]).compactMap(\.self).min()
    }

    // MARK: Requests

    /// Handles a message that a model takes, and returns the values of the answer.
    ///
    /// - Parameter answer: the opcode of the answer; nil if the message is not acknowledged.
    /// - Throws: ``Ignored`` if the model neither acts nor answers.
    mutating func handle(_ request: ModelRequest, answer: Opcode?) throws(Ignored) -> FieldValues? {
        result = 0
        if let action = Self.actions[request.opcode], try isNew(request, of: action) {
            try action.act(&self, request)
        }
        guard let answer else { return nil }
        guard let status = status(answer, request.element, request.values) else { throw Ignored() }
        return status
    }

    /// The values of a status.
    ///
    /// - Parameter values: what selects an instance, as in the request; empty for a publication.
    func status(_ opcode: Opcode, _ element: Int, _ values: FieldValues = FieldValues()) -> FieldValues? {
        Self.statuses[opcode]?(self, element, values)
    }

    /// Whether a message is none of a transaction that was carried out already, and remembers its transaction.
    private mutating func isNew(_ request: ModelRequest, of action: Action) throws(Ignored) -> Bool {
        guard let identifier = request.values.integer("tid") else { return true }
        let key = TransactionKey(
            element: request.element,
            server: request.server,
            source: request.source,
            destination: request.destination
        )
        if let before = models.transactions[key], before.identifier == identifier,
            before.began.duration(to: now) < Transaction.window
        {
            guard action.countsFromStart, request.opcode == before.opcode,
                request.values["delta"] != before.values["delta"]
            else {
                return false
            }
            models.transactions[key]?.values = request.values
            return true
        }
        // A node forgets what is too old to matter.
        if models.transactions.count >= 32 {
            models.transactions = models.transactions.filter { $0.value.began.duration(to: now) < Transaction.window }
        }
        models.transactions[key] = Transaction(
            opcode: request.opcode,
            identifier: identifier,
            began: now,
            start: present(levelItem(of: request.element), request.element),
            values: request.values
        )
        return true
    }

    /// The value at the beginning of the transaction of a request.
    func start(of request: ModelRequest) -> Int64? {
        models.transactions[
            TransactionKey(
                element: request.element,
                server: request.server,
                source: request.source,
                destination: request.destination
            )
        ]?.start
    }

    /// The transition time and the delay of a request, or else the default transition time of the element.
    func timing(of request: ModelRequest) -> FadeTiming {
        guard let octet = request.values.integer("transition") else { return defaultTiming(of: request.element) }
        return FadeTiming(
            transition: TransitionOctet.duration(octet) ?? .zero,
            delay: .milliseconds(5 * (request.values.integer("delay") ?? 0))
        )
    }

    /// The Generic Default Transition Time of an element; at once if it has none.
    func defaultTiming(of element: Int) -> FadeTiming {
        guard has(.defaultTransitionServer, element) else { return .none }
        return FadeTiming(transition: TransitionOctet.duration(self[.defaultTransition, element]) ?? .zero)
    }
}

// Battery and Location (Mesh Model 3.1.6, 3.1.7).

extension ModelMachine {
    /// Stores all fields of a message as they are.
    private static func keepAll(_ message: String, _ item: StateItem) -> Action {
        Action { machine, request in
            guard let octets = try? MessageCatalogue.sig.message(named: message)?.encode(request.values) else { return }
            machine.models.stored.octets[StateKey(request.element, item)] = octets
        }
    }

    /// Tells fields that were stored, or else their initial values.
    private static func reportAll(_ message: String, _ item: StateItem, _ initial: FieldValues) -> Status {
        { machine, element, _ in
            guard let octets = machine.models.stored.octets[StateKey(element, item)] else { return initial }
            return (try? MessageCatalogue.sig.message(named: message)?.decode(octets)) ?? initial
        }
    }

    static let deviceActions: [(String, Action)] = [
        ("generic-location-global-set", keepAll("generic-location-global-set", .locationGlobal)),
        ("generic-location-local-set", keepAll("generic-location-local-set", .locationLocal)),
    ]

    static let deviceStatuses: [(String, Status)] = [
        (
            "generic-battery-status",
            { machine, element, _ in
                let level = machine.models.stored.numbers[StateKey(element, .battery)]
                return [
                    "level": .integer(level ?? 0xFF), "time_to_discharge": 0xFF_FFFF, "time_to_charge": 0xFF_FFFF,
                    "presence": 3, "indicator": 3, "charging": 3, "serviceability": 3,
                ]
            }
        ),
        (
            "generic-location-global-status",
            reportAll(
                "generic-location-global-set",
                .locationGlobal,
                ["latitude": -0x8000_0000, "longitude": -0x8000_0000, "altitude": 0x7FFF]
            )
        ),
        (
            "generic-location-local-status",
            reportAll(
                "generic-location-local-set",
                .locationLocal,
                [
                    "north": -0x8000, "east": -0x8000, "altitude": 0x7FFF, "floor": 0xFF, "mobile": 0,
                    "update_time": 0, "precision": 0,
                ]
            )
        ),
    ]
}

// Faults of the Health Server (Mesh Protocol 4.2.15). The world keeps the attention timer.

extension ModelMachine {
    func currentFaults(_ element: Int) -> [UInt8] { models.stored.octets[StateKey(element, .currentFaults)] ?? [] }

    /// The faults that an element has had since they were cleared.
    private func registeredFaults(_ element: Int) -> [UInt8] {
        models.stored.octets[StateKey(element, .registeredFaults)] ?? []
    }

    /// A fault appears at an element or, if it is there, goes away. What appeared stays registered.
    mutating func toggleFault(_ fault: UInt8, _ element: Int) {
        var current = currentFaults(element)
        if current.contains(fault) {
            current.removeAll { $0 == fault }
        } else {
            current.append(fault)
            register([fault], element)
        }
        models.stored.octets[StateKey(element, .currentFaults)] = current.isEmpty ? nil : current
    }

    private mutating func register(_ faults: [UInt8], _ element: Int) {
        let known = registeredFaults(element)
        let all = known + faults.filter { !known.contains($0) }
        // More do not fit into a status.
        models.stored.octets[StateKey(element, .registeredFaults)] = all.isEmpty ? nil : Array(all.prefix(255))
    }

    /// Whether a request is for the company of the node; no other company's faults are known.
    private func check(_ request: ModelRequest) throws(Ignored) {
        guard request.values.integer("company") == Int64(company) else { throw Ignored() }
    }

    private func faultStatus(_ element: Int, _ faults: [UInt8]) -> FieldValues {
        [
            "test": .integer(self[.healthTest, element]), "company": .integer(Int64(company)),
            "faults": .integers(faults.map(Int64.init)),
        ]
    }

    static let healthActions: [(String, Action)] = [
        ("health-fault-get", Action { (machine, request) throws(Ignored) in try machine.check(request) }),
        (
            "health-fault-clear",
            Action { (machine, request) throws(Ignored) in
                try machine.check(request)
                machine.models.stored.octets[StateKey(request.element, .registeredFaults)] = nil
            }
        ),
        (
            "health-fault-test",
            Action { (machine, request) throws(Ignored) in
                try machine.check(request)
                machine[.healthTest, request.element] = request.values.integer("test") ?? 0
                machine.register(machine.currentFaults(request.element), request.element)
            }
        ),
        ("health-period-set", keep(["divisor": .healthDivisor])),
    ]

    static let healthStatuses: [(String, Status)] = [
        (
            "health-fault-status",
            { machine, element, _ in machine.faultStatus(element, machine.registeredFaults(element)) }
        ),
        (
            "health-current-status",
            { machine, element, _ in machine.faultStatus(element, machine.currentFaults(element)) }
        ),
        ("health-period-status", report([("divisor", .healthDivisor)])),
    ]
}

// Light Lightness (Mesh Model 6.1.2).

extension ModelMachine {
    static let lightActions: [(String, Action)] = [
        (
            "light-lightness-set",
            Action { machine, request in
                guard let lightness = request.values.integer("lightness") else { return }
                machine.move(.lightness, request.element, to: lightness, machine.timing(of: request))
            }
        ),
        (
            "light-lightness-linear-set",
            Action { machine, request in
                guard let linear = request.values.integer("lightness") else { return }
                let actual = LightNumbers.actual(linear)
                machine.move(.lightness, request.element, to: actual, machine.timing(of: request))
            }
        ),
        ("light-lightness-default-set", keep(["lightness": .lightnessDefault])),
        (
            "light-lightness-range-set",
            Action { (machine, request) throws(Ignored) in
                guard let minimum = request.values.integer("minimum"), let maximum = request.values.integer("maximum")
                else { throw Ignored() }
                let element = request.element
                // A limit of 0 is refused, and the other one is taken.
                if minimum == 0 || maximum == 0 {
                    machine.result = minimum == 0 ? 1 : 2
                    if minimum == 0, maximum >= machine[.lightnessMinimum, element] {
                        machine[.lightnessMaximum, element] = maximum
                    }
                    if maximum == 0, (1...machine[.lightnessMaximum, element]).contains(minimum) {
                        machine[.lightnessMinimum, element] = minimum
                    }
                    return
                }
                guard minimum <= maximum else { throw Ignored() }
                machine[.lightnessMinimum, element] = minimum
                machine[.lightnessMaximum, element] = maximum
            }
        ),
    ]

    static let lightStatuses: [(String, Status)] = [
        ("light-lightness-status", reportFading("lightness", .lightness)),
        (
            "light-lightness-linear-status",
            { machine, element, _ in
                let present = LightNumbers.linear(machine.present(.lightness, element))
                var values: FieldValues = ["lightness": .integer(present)]
                if machine.fade(.lightness, element) != nil {
                    values["target_lightness"] = .integer(LightNumbers.linear(machine[.lightness, element]))
                    values["remaining"] = machine.remaining([(.lightness, element)])
                }
                return values
            }
        ),
        ("light-lightness-last-status", report([("lightness", .lightnessLast)])),
        ("light-lightness-default-status", report([("lightness", .lightnessDefault)])),
        (
            "light-lightness-range-status",
            reportRange([("minimum", .lightnessMinimum), ("maximum", .lightnessMaximum)])
        ),
    ]
}

extension ModelMachine {
    /// The node lost its power: what was moving has arrived, and commands are forgotten.
    mutating func losePower() {
        let stored = models.stored
        models = NodeModels(stored: stored)
        for element in elements.indices where self[.clock, element] > 0 { self[.clock, element] = 0 }
    }

    /// The node has power again. Generic OnPowerUp decides what its lamps do (Mesh Model 3.1.4): stay off, come up with
    /// their default, or as they were.
    mutating func powerUp() {
        for element in elements.indices {
            let behaviour = powerUpBehaviour(of: element)
            let items = Set(models.stored.numbers.keys.filter { Int($0.element) == element }.map(\.item))
            if behaviour < 2 {
                for item in items {
                    guard let standard = item.powerUpDefault else { continue }
                    self[item, element] = self[standard, element]
                }
            }
            let item = onOffItem(of: element)
            let controllers = item == .lightness ? controllers(of: element).filter { self[.controlMode, $0] == 1 } : []
            if behaviour == 2, let lit = controllers.first(where: { self[.controlLight, $0] == 1 }) {
                // The controller brings the light back.
                isControlling = true
                set(.lightness, element, from: 0, span: 0, .none)
                isControlling = false
                control(lit, .lightOn)
                continue
            }
            for controller in controllers where behaviour < 2 { self[.controlMode, controller] = 0 }
            isControlling = true
            defer { isControlling = false }
            guard behaviour == 1 || items.contains(item) else { continue }
            let target = behaviour == 0 ? 0 : behaviour == 1 ? onValue(item, element) : self[item, element]
            self[item, element] = 0
            move(item, element, to: target, defaultTiming(of: element))
        }
    }

    /// Controllers whose light was on when the simulator ended switch it on again.
    mutating func resumeControllers() {
        for element in elements.indices
        where has(.lightControlServer, element) && self[.controlMode, element] == 1 && self[.controlLight, element] == 1
        {
            control(element, .lightOn)
        }
    }

    /// Generic OnPowerUp of an element, or of the nearest one before it that has it; 0 if there is none.
    private func powerUpBehaviour(of element: Int) -> Int64 {
        let holder =
            has(.powerOnOffServer, element)
            ? element : neighbour(of: element, with: .powerOnOffServer, isBefore: true)
        return holder.map { self[.onPowerUp, $0] } ?? 0
    }
}

extension ModelMachine {
    /// What a model does with a message.
    struct Action: Sendable {
        /// Whether a message of the same transaction with other values counts from the beginning of the transaction.
        var countsFromStart = false
        let act: @Sendable (inout ModelMachine, ModelRequest) throws(Ignored) -> Void
    }

    /// The values of a status of an element.
    typealias Status = @Sendable (ModelMachine, Int, FieldValues) -> FieldValues?

    private static let allActions =
        genericActions + lightActions + colourActions + controlActions + sceneActions + healthActions + sensorActions
        + deviceActions + timeActions + schedulerActions + propertyActions

    private static let allStatuses =
        genericStatuses + lightStatuses + colourStatuses + controlStatuses + sceneStatuses + healthStatuses
        + sensorStatuses + deviceStatuses + timeStatuses + schedulerStatuses + propertyStatuses

    /// What models do with messages. A message that only reads has no entry.
    static let actions: [Opcode: Action] = {
        var table: [Opcode: Action] = [:]
        for (name, action) in allActions {
            for name in [name, "\(name)-unacknowledged"] {
                guard let message = MessageCatalogue.sig.message(named: name) else { continue }
                table[message.opcode] = action
            }
        }
        return table
    }()

    static let statuses: [Opcode: Status] = {
        var table: [Opcode: Status] = [:]
        for (name, status) in allStatuses {
            guard let message = MessageCatalogue.sig.message(named: name) else { continue }
            table[message.opcode] = status
        }
        return table
    }()

    static let published: [ModelIdentifier: Opcode] = {
        let names: [(ModelIdentifier, String)] = [
            (.onOffServer, "generic-onoff-status"),
            (.levelServer, "generic-level-status"),
            (.defaultTransitionServer, "generic-default-transition-time-status"),
            (.powerOnOffServer, "generic-onpowerup-status"),
            (.powerLevelServer, "generic-power-level-status"),
            (.lightnessServer, "light-lightness-status"),
            (.ctlServer, "light-ctl-status"),
            (.ctlTemperatureServer, "light-ctl-temperature-status"),
            (.hslServer, "light-hsl-status"),
            (.hslHueServer, "light-hsl-hue-status"),
            (.hslSaturationServer, "light-hsl-saturation-status"),
            (.xylServer, "light-xyl-status"),
            (.lightControlServer, "light-lc-light-onoff-status"),
            (.sceneServer, "scene-status"),
            (.healthServer, "health-current-status"),
            (.sensorServer, "sensor-status"),
            (.batteryServer, "generic-battery-status"),
            (.locationServer, "generic-location-global-status"),
            (.timeServer, "time-status"),
            (.schedulerServer, "scheduler-status"),
        ]
        var table: [ModelIdentifier: Opcode] = [:]
        for (model, name) in names { table[model] = MessageCatalogue.sig.message(named: name)?.opcode }
        return table
    }()
}

extension ModelIdentifier {
    static let onOffServer = sig(0x1000)
    static let onOffClient = sig(0x1001)
    static let levelServer = sig(0x1002)
    static let defaultTransitionServer = sig(0x1004)
    static let powerOnOffServer = sig(0x1006)
    static let powerLevelServer = sig(0x1009)
    static let lightnessServer = sig(0x1300)
    static let ctlServer = sig(0x1303)
    static let ctlTemperatureServer = sig(0x1306)
    static let hslServer = sig(0x1307)
    static let hslHueServer = sig(0x130A)
    static let hslSaturationServer = sig(0x130B)
    static let xylServer = sig(0x130C)
    static let lightControlServer = sig(0x130F)
    static let batteryServer = sig(0x100C)
    static let locationServer = sig(0x100E)
    static let sensorServer = sig(0x1100)
    static let timeServer = sig(0x1200)
    static let sceneServer = sig(0x1203)
    static let schedulerServer = sig(0x1206)
}
