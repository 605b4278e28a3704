import Catalogue
import MeshCore

/// What the application models of a node hold, in memory only as far as it was used.
struct NodeModels: Hashable, Sendable {
    /// What lasts.
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
    /// The index of the element.
    let element: Int
    /// The model that takes it.
    let server: ModelIdentifier
    /// The opcode.
    let opcode: Opcode
    /// Its fields.
    let values: FieldValues
    /// Who sent it.
    let source: UnicastAddress
    /// Where it was sent to.
    let destination: Address
}

/// Why a model does not act on a message, and does not answer it either.
struct Ignored: Error {}

/// The application models of one node as a function: messages and time change their states (Mesh Model 1.1). Made for
/// one step; ``models`` is what remains.
struct ModelMachine {
    /// What the models hold.
    var models: NodeModels
    /// The elements with their models.
    let elements: [Element]
    /// The company of the node.
    let company: UInt16
    /// The present.
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

    /// Whether an element has a model.
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

    /// The value at present.
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
