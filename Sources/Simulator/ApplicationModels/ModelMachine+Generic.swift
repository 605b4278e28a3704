import Catalogue
import MeshCore

// Generic OnOff, Level, Default Transition Time, OnPowerUp and Power Level (Mesh Model 3).

extension ModelMachine {
    /// The value that decides whether an element is on, and how bright or strong it is; nil if there is none, so that
    /// OnOff and Level stand alone.
    func output(of element: Int) -> StateItem? {
        if has(.lightnessServer, element) { return .lightness }
        return has(.powerLevelServer, element) ? .power : nil
    }

    /// The value behind the Generic Level of an element.
    func levelItem(of element: Int) -> StateItem {
        if let output = output(of: element) { return output }
        if has(.ctlTemperatureServer, element) { return .temperature }
        if has(.hslHueServer, element) { return .hue }
        return has(.hslSaturationServer, element) ? .saturation : .level
    }

    /// The value behind the Generic OnOff of an element.
    func onOffItem(of element: Int) -> StateItem { output(of: element) ?? .onOff }

    /// Whether an element is on at present. During a transition from off it is on at once, and during one to off until
    /// the end.
    func isOn(_ element: Int) -> Bool {
        let item = onOffItem(of: element)
        guard let fade = fade(item, element), fade.begin <= now else { return present(item, element) > 0 }
        return fade.from > 0 || self[item, element] > 0
    }

    mutating func switchOnOff(_ element: Int, _ isOn: Bool, _ timing: FadeTiming) {
        let item = onOffItem(of: element)
        move(item, element, to: isOn ? onValue(item, element) : 0, timing)
    }

    /// The value of an element that is switched on: Default, or Last if there is none.
    func onValue(_ item: StateItem, _ element: Int) -> Int64 {
        guard let memory = item.memory else { return 1 }
        let standard = self[memory.standard, element]
        let value = standard > 0 ? standard : self[memory.last, element]
        let range = range(item, element)
        return min(max(value, range.lowerBound), range.upperBound)
    }

    /// Generic Delta Set: counts from the beginning of the transaction.
    private mutating func applyDelta(_ request: ModelRequest) {
        guard let delta = request.values.integer("delta"), let start = start(of: request) else { return }
        let element = request.element
        let item = levelItem(of: element)
        let range = range(item, element)
        if item == .hue, range == 0...0xFFFF {
            let present = present(item, element)
            set(item, element, from: present, span: start + delta % 0x10000 - present, timing(of: request))
            return
        }
        let level = min(max(LightNumbers.level(start, of: item, range) + delta, -32_768), 32_767)
        let target = LightNumbers.value(level, of: item, range)
        if let memory = item.memory, target <= 0, start > 0 {
            // The steps on the way to off are no level to come back to.
            self[memory.last, element] = start
        }
        move(item, element, to: target, timing(of: request))
    }

    /// Generic Move Set: so far in each transition time, up to the limit.
    private mutating func applyMove(_ request: ModelRequest) {
        guard let delta = request.values.integer("delta") else { return }
        let element = request.element
        let item = levelItem(of: element)
        let timing = timing(of: request)
        let range = range(item, element)
        var present = present(item, element)
        guard delta != 0, timing.transition > .zero else {
            set(item, element, from: present, span: 0, .none)
            return
        }
        if item == .hue, range == 0...0xFFFF {
            // It goes round until the next command; nobody waits for the last of so many rounds.
            let rounds = FadeTiming(transition: timing.transition * 100_000, delay: timing.delay)
            set(item, element, from: present, span: delta * 100_000, rounds)
            return
        }
        if item.memory != nil, present == 0 {
            guard delta > 0 else { return }
            present = range.lowerBound
        }
        let limit = delta > 0 ? range.upperBound : range.lowerBound
        let distance = limit - present
        guard distance.signum() == delta.signum() else {
            set(item, element, from: present, span: 0, .none)
            return
        }
        // A temperature moves in the steps of its level.
        let speed = item == .temperature ? Double(range.upperBound - range.lowerBound) / 65_535 : 1
        let share = Double(abs(distance)) / (Double(abs(delta)) * speed)
        let time = Duration.microseconds(Int64(Double(timing.transition.microseconds) * share))
        set(item, element, from: present, span: distance, FadeTiming(transition: time, delay: timing.delay))
    }

    static let genericActions: [(String, Action)] = [
        (
            "generic-onoff-set",
            Action { machine, request in
                guard let on = request.values.integer("onoff") else { return }
                guard !machine.has(.lightControlServer, request.element) else {
                    machine.switchController(request)
                    return
                }
                machine.switchOnOff(request.element, on == 1, machine.timing(of: request))
            }
        ),
        (
            "generic-level-set",
            Action { machine, request in
                guard let level = request.values.integer("level") else { return }
                let item = machine.levelItem(of: request.element)
                let value = LightNumbers.value(level, of: item, machine.range(item, request.element))
                machine.move(item, request.element, to: value, machine.timing(of: request))
            }
        ),
        ("generic-delta-set", Action(countsFromStart: true) { $0.applyDelta($1) }),
        ("generic-move-set", Action { $0.applyMove($1) }),
        ("generic-default-transition-time-set", keep(["transition_time": .defaultTransition])),
        ("generic-onpowerup-set", keep(["on_power_up": .onPowerUp])),
        (
            "generic-power-level-set",
            Action { machine, request in
                guard let power = request.values.integer("power") else { return }
                machine.move(.power, request.element, to: power, machine.timing(of: request))
            }
        ),
        ("generic-power-default-set", keep(["power": .powerDefault])),
        ("generic-power-range-set", keepRange([("minimum", .powerMinimum, "maximum", .powerMaximum)])),
    ]

    static let genericStatuses: [(String, Status)] = [
        (
            "generic-onoff-status",
            { machine, element, _ in
                if machine.has(.lightControlServer, element) { return machine.controllerStatus(element) }
                let item = machine.onOffItem(of: element)
                var values: FieldValues = ["onoff": machine.isOn(element) ? 1 : 0]
                if machine.fade(item, element) != nil {
                    values["target_onoff"] = machine[item, element] > 0 ? 1 : 0
                    values["remaining"] = machine.remaining([(item, element)])
                }
                return values
            }
        ),
        (
            "generic-level-status",
            { machine, element, _ in
                let item = machine.levelItem(of: element)
                let range = machine.range(item, element)
                let level = { LightNumbers.level($0, of: item, range) }
                var values: FieldValues = ["level": .integer(level(machine.present(item, element)))]
                if machine.fade(item, element) != nil {
                    values["target_level"] = .integer(level(machine[item, element]))
                    values["remaining"] = machine.remaining([(item, element)])
                }
                return values
            }
        ),
        ("generic-default-transition-time-status", report([("transition_time", .defaultTransition)])),
        ("generic-onpowerup-status", report([("on_power_up", .onPowerUp)])),
        ("generic-power-level-status", reportFading("power", .power)),
        ("generic-power-last-status", report([("power", .powerLast)])),
        ("generic-power-default-status", report([("power", .powerDefault)])),
        ("generic-power-range-status", reportRange([("minimum", .powerMinimum), ("maximum", .powerMaximum)])),
    ]

    // MARK: Entries of the tables

    /// Stores fields as they are.
    static func keep(_ fields: KeyValuePairs<String, StateItem>) -> Action {
        let fields = Array(fields)
        return Action { machine, request in
            for (field, item) in fields {
                guard let value = request.values.integer(field) else { continue }
                machine[item, request.element] = value
            }
        }
    }

    /// Stores ranges; ignores the message if a minimum is above its maximum. What lies outside stays until the next
    /// change.
    static func keepRange(_ ranges: [(String, StateItem, String, StateItem)]) -> Action {
        Action { (machine, request) throws(Ignored) in
            for (low, _, high, _) in ranges {
                guard let minimum = request.values.integer(low), let maximum = request.values.integer(high),
                    minimum <= maximum
                else { throw Ignored() }
            }
            for (low, minimum, high, maximum) in ranges {
                machine[minimum, request.element] = request.values.integer(low) ?? minimum.initial
                machine[maximum, request.element] = request.values.integer(high) ?? maximum.initial
            }
        }
    }

    /// Tells stored numbers.
    static func report(_ fields: [(String, StateItem)]) -> Status {
        { machine, element, _ in
            var values = FieldValues()
            for (field, item) in fields { values[field] = .integer(machine[item, element]) }
            return values
        }
    }

    /// Tells a range, after how the request for it went.
    static func reportRange(_ fields: [(String, StateItem)]) -> Status {
        { machine, element, _ in
            var values: FieldValues = ["status": .integer(machine.result)]
            for (field, item) in fields { values[field] = .integer(machine[item, element]) }
            return values
        }
    }

    /// Tells a value, and during a transition also where it goes.
    static func reportFading(_ field: String, _ item: StateItem) -> Status {
        { machine, element, _ in
            var values: FieldValues = [field: .integer(machine.present(item, element))]
            if machine.fade(item, element) != nil {
                values["target_\(field)"] = .integer(machine[item, element])
                values["remaining"] = machine.remaining([(item, element)])
            }
            return values
        }
    }

    /// The remaining time of the longest transition.
    func remaining(_ items: [(StateItem, Int)]) -> FieldValue {
        let times = items.compactMap { item, element in fade(item, element)?.remaining(at: now) }
        return .integer(TransitionOctet.octet(times.max() ?? .zero))
    }
}
