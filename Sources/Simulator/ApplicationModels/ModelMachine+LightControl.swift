import Catalogue
import MeshCore

// Light LC (Mesh Model 6.2): a controller on its own element drives the lamp of an element before it.

extension ModelMachine {
    /// The element whose lightness a controller drives; nil if there is none.
    func lamp(of controller: Int) -> Int? { neighbour(of: controller, with: .lightnessServer, isBefore: true) }

    /// The controllers that drive the lightness of an element.
    func controllers(of lamp: Int) -> [Int] {
        elements.indices.dropFirst(lamp + 1).filter { has(.lightControlServer, $0) && self.lamp(of: $0) == lamp }
    }

    /// A controller. One that is on and was not used yet stands by.
    func controller(_ element: Int) -> LightController {
        if let known = models.controllers[element] { return known }
        var controller = LightController()
        if self[.controlMode, element] == 1 { controller.phase = .standby }
        return controller
    }

    func property(_ property: LightControlProperty, _ element: Int) -> Double {
        let stored = models.stored.octets[StateKey(element, .controlProperty, index: property.rawValue)]
        return stored.flatMap(property.number) ?? property.number(property.initialOctets) ?? 0
    }

    // MARK: Events

    /// Something happens to a controller.
    ///
    /// - Parameter transition: the time that a message gives instead of the property.
    mutating func control(_ element: Int, _ event: LightController.Event, transition: Duration? = nil) {
        var controller = controller(element)
        let isEnabled = self[.occupancyMode, element] == 1
        guard let next = controller.next(event, isOccupancyEnabled: isEnabled) else { return }
        controller.startLightness = outputLightness(controller, element)
        controller.startLux = outputLux(controller, element)
        if next == .standby, event == .modeOn, let lamp = lamp(of: element) {
            controller.startLightness = LightNumbers.linear(present(.lightness, lamp))
        } else if next == .fadeOn, controller.phase == .standby, let lamp = lamp(of: element) {
            controller.startLightness = LightNumbers.linear(present(.lightness, lamp))
        }
        controller.phase = next
        controller.began = now
        let time = transition ?? duration(of: next, element)
        controller.until = time.map { now.advanced(by: $0) }
        if next == .off {
            controller = LightController()
            self[.controlMode, element] = 0
            // The lamp keeps the level that it has.
            if let lamp = lamp(of: element), fade(.lightness, lamp) != nil {
                let level = present(.lightness, lamp)
                isControlling = true
                set(.lightness, lamp, from: level, span: 0, .none)
                isControlling = false
            }
        }
        models.controllers[element] = controller
        let light = controller.light
        self[.controlLight, element] = light.target ?? light.present ? 1 : 0
        drive(element)
        if let until = controller.until, until <= now { control(element, .timeout) }
    }

    /// The time of a phase; nil if it has none.
    private func duration(of phase: LightController.Phase, _ element: Int) -> Duration? {
        let property: LightControlProperty
        switch phase {
        case .off, .standby: return nil
        case .fadeOn: property = .timeFadeOn
        case .run: property = .timeRunOn
        case .fade: property = .timeFade
        case .prolong: property = .timeProlong
        case .fadeStandbyAuto: property = .timeFadeStandbyAuto
        case .fadeStandbyManual: property = .timeFadeStandbyManual
        }
        return .milliseconds(Int64((self.property(property, element) * 1_000).rounded()))
    }

    /// Brings the lamp where the phase and the regulator want it.
    private mutating func drive(_ element: Int) {
        let controller = controller(element)
        guard controller.phase != .off, let lamp = lamp(of: element) else { return }
        isControlling = true
        defer { isControlling = false }
        let linear = max(outputLightness(controller, element), controller.regulated)
        guard controller.stepAt == nil, let until = controller.until, until > now, isFading(controller.phase) else {
            let level = LightNumbers.actual(linear)
            if present(.lightness, lamp) != level || fade(.lightness, lamp) != nil {
                set(.lightness, lamp, from: present(.lightness, lamp), span: level - present(.lightness, lamp), .none)
            }
            return
        }
        setLinear(lamp, from: linear, to: targetLightness(controller.phase, element), until: until)
    }

    private func isFading(_ phase: LightController.Phase) -> Bool {
        switch phase {
        case .fadeOn, .fade, .fadeStandbyAuto, .fadeStandbyManual: true
        case .off, .standby, .run, .prolong: false
        }
    }

    /// The linear lightness where a phase ends.
    private func targetLightness(_ phase: LightController.Phase, _ element: Int) -> Int64 {
        let property: LightControlProperty
        switch phase {
        case .off: return 0
        case .fadeOn, .run: property = .lightnessOn
        case .fade, .prolong: property = .lightnessProlong
        case .standby, .fadeStandbyAuto, .fadeStandbyManual: property = .lightnessStandby
        }
        return LightNumbers.linear(Int64(self.property(property, element)))
    }

    /// The illuminance where a phase ends.
    private func targetLux(_ phase: LightController.Phase, _ element: Int) -> Double {
        switch phase {
        case .off: 0
        case .fadeOn, .run: property(.luxOn, element)
        case .fade, .prolong: property(.luxProlong, element)
        case .standby, .fadeStandbyAuto, .fadeStandbyManual: property(.luxStandby, element)
        }
    }

    /// How much of a phase is over.
    private func share(_ controller: LightController) -> Double {
        guard isFading(controller.phase), let until = controller.until, until > now, until > controller.began else {
            return 1
        }
        let whole = Double(controller.began.duration(to: until).microseconds)
        return Double(controller.began.duration(to: now).microseconds) / whole
    }

    /// The linear lightness that the phase wants at present.
    private func outputLightness(_ controller: LightController, _ element: Int) -> Int64 {
        let target = targetLightness(controller.phase, element)
        let span = Double(target - controller.startLightness)
        return controller.startLightness + Int64((span * share(controller)).rounded(.down))
    }

    /// The illuminance that the phase wants at present.
    private func outputLux(_ controller: LightController, _ element: Int) -> Double {
        let target = targetLux(controller.phase, element)
        return controller.startLux + (target - controller.startLux) * share(controller)
    }

    // MARK: Time

    /// When a controller needs its next call; nil if never.
    var nextControlDeadline: Instant? {
        models.controllers.values.flatMap { [$0.until, $0.stepAt, $0.occupancyAt].compactMap(\.self) }.min()
    }

    /// Carries out what is due for the controllers.
    mutating func advanceControllers() {
        for element in models.controllers.keys.sorted() {
            if let due = models.controllers[element]?.occupancyAt, due <= now {
                models.controllers[element]?.occupancyAt = nil
                control(element, .occupancy)
            }
            if let due = models.controllers[element]?.until, due <= now {
                models.controllers[element]?.until = nil
                isQuiet = false
                control(element, .timeout)
            }
            if let due = models.controllers[element]?.stepAt, due <= now {
                isQuiet = isQuiet || settled.isEmpty
                regulate(element)
            }
        }
    }

    /// One step of the regulator. Without a report for five minutes it rests.
    private mutating func regulate(_ element: Int) {
        guard var controller = models.controllers[element] else { return }
        let isFresh = controller.ambientAt.duration(to: now) < .seconds(300)
        if controller.phase != .off, let ambient = controller.ambient, isFresh {
            let settings = LightRegulator.Settings(
                accuracy: property(.accuracy, element),
                kid: property(.kid, element),
                kiu: property(.kiu, element),
                kpd: property(.kpd, element),
                kpu: property(.kpu, element)
            )
            let target = outputLux(controller, element)
            controller.regulated = controller.regulator.step(target: target, ambient: ambient, settings)
            controller.stepAt = now.advanced(by: LightRegulator.interval)
        } else {
            controller.regulator = LightRegulator()
            controller.regulated = 0
            controller.stepAt = nil
            controller.ambient = nil
        }
        models.controllers[element] = controller
        drive(element)
    }

    // MARK: Messages

    /// A direct command to a lamp takes it away from its controllers.
    mutating func override(_ lamp: Int) {
        guard !isControlling else { return }
        for controller in controllers(of: lamp) where self[.controlMode, controller] == 1 {
            control(controller, .modeOff)
        }
    }

    /// Light LC Light OnOff, and Generic OnOff of the same element.
    mutating func switchController(_ request: ModelRequest) {
        guard let on = request.values.integer("onoff") else { return }
        let hasTransition = request.values["transition"] != nil
        control(
            request.element,
            on == 1 ? .lightOn : .lightOff,
            transition: hasTransition ? timing(of: request).transition : nil
        )
    }

    /// The fields of a status of Light OnOff.
    func controllerStatus(_ element: Int) -> FieldValues {
        let controller = controller(element)
        let light = controller.light
        var values: FieldValues = ["onoff": light.present ? 1 : 0]
        if let target = light.target {
            values["target_onoff"] = target ? 1 : 0
            let rest = controller.until.map { now.duration(to: max($0, now)) } ?? .zero
            values["remaining"] = .integer(TransitionOctet.octet(rest))
        }
        return values
    }

    /// A sensor reports to a controller.
    private mutating func hear(_ request: ModelRequest) {
        guard case .sensorData(let readings)? = request.values["readings"] else { return }
        let element = request.element
        guard self[.controlMode, element] == 1 else { return }
        let delay = property(.timeOccupancyDelay, element)
        for reading in readings {
            guard let octets = reading.value else { continue }
            let number = octets.reversed().reduce(0) { $0 << 8 | Int64($1) }
            switch reading.property {
            case 0x0042, 0x004C,
                0x004D where octets.count <= 4 && number > 0:
                occupy(element, after: delay)
            case 0x0068 where octets.count <= 4 && Double(number) <= delay:
                occupy(element, after: delay - Double(number))
            case 0x004E where octets.count == 3 && number != 0xFF_FFFF:
                var controller = controller(element)
                controller.ambient = Double(number) / 100
                controller.ambientAt = now
                if controller.stepAt == nil { controller.stepAt = now.advanced(by: LightRegulator.interval) }
                models.controllers[element] = controller
            default: break
            }
        }
    }

    /// Somebody is there; it takes effect after so many seconds.
    private mutating func occupy(_ element: Int, after seconds: Double) {
        guard seconds > 0 else {
            control(element, .occupancy)
            return
        }
        let due = now.advanced(by: .milliseconds(Int64(seconds * 1_000)))
        var controller = controller(element)
        controller.occupancyAt = min(controller.occupancyAt ?? due, due)
        models.controllers[element] = controller
    }

    static let controlActions: [(String, Action)] = [
        (
            "light-lc-mode-set",
            Action { machine, request in
                guard let mode = request.values.integer("mode") else { return }
                machine.sceneChanges(request.element)
                if mode == 1 {
                    machine.control(request.element, .modeOn)
                    machine[.controlMode, request.element] = 1
                } else {
                    machine.control(request.element, .modeOff)
                }
            }
        ),
        ("light-lc-om-set", keep(["mode": .occupancyMode])),
        ("light-lc-light-onoff-set", Action { $0.switchController($1) }),
        (
            "light-lc-property-set",
            Action { (machine, request) throws(Ignored) in
                guard let number = request.values.integer("property"), let octets = request.values.octets("value"),
                    let property = UInt16(exactly: number).flatMap(LightControlProperty.init(rawValue:)),
                    property.number(octets) != nil
                else { throw Ignored() }
                let key = StateKey(request.element, .controlProperty, index: property.rawValue)
                machine.models.stored.octets[key] = octets
            }
        ),
        ("sensor-status", Action { $0.hear($1) }),
    ]

    static let controlStatuses: [(String, Status)] = [
        ("light-lc-mode-status", report([("mode", .controlMode)])),
        ("light-lc-om-status", report([("mode", .occupancyMode)])),
        ("light-lc-light-onoff-status", { machine, element, _ in machine.controllerStatus(element) }),
        (
            "light-lc-property-status",
            { machine, element, request in
                guard let number = request.integer("property"), let identifier = UInt16(exactly: number),
                    let property = LightControlProperty(rawValue: identifier)
                else { return nil }
                let key = StateKey(element, .controlProperty, index: identifier)
                let octets = machine.models.stored.octets[key] ?? property.initialOctets
                return ["property": .integer(number), "value": .octets(octets)]
            }
        ),
    ]
}
