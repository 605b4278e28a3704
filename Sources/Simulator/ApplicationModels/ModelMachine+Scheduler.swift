import Catalogue
import MeshCore

// The scheduler (Mesh Model 5.1.4): at a time, lamps are switched or a scene is recalled.

extension ModelMachine {
    /// The entries of a scheduler that do something.
    private func entries(_ element: Int) -> [(index: UInt16, fields: FieldValues)] {
        let message = MessageCatalogue.sig.message(named: "scheduler-action-set")
        return models.stored.octets.filter { Int($0.key.element) == element && $0.key.item == .schedule }
            .sorted { $0.key < $1.key }
            .compactMap { key, octets in (try? message?.decode(octets)).map { (key.index, $0) } }
    }

    /// Works out when the entries of all schedulers are due. Without a known time they never are.
    mutating func planSchedules() {
        models.schedules = [:]
        for element in elements.indices where has(.schedulerServer, element) {
            for (index, fields) in entries(element) { plan(index, fields, element) }
        }
    }

    private mutating func plan(_ index: UInt16, _ fields: FieldValues, _ element: Int) {
        guard let clock = clock(of: element), let local = localSeconds(clock), let time = models.times[clock] else {
            return
        }
        func field(_ name: String) -> Int64 { fields.integer(name) ?? 0 }
        let rule = ScheduleRule(
            year: field("year"),
            months: field("months"),
            day: field("day"),
            hour: field("hour"),
            minute: field("minute"),
            second: field("second"),
            weekdays: field("weekdays"),
            chance: Int64(element) * 5 + Int64(index) * 11
        )
        guard let due = rule.next(after: local) else { return }
        // The fraction of the present second is over already.
        let fraction = time.tai(at: now) % 256
        let wait = Duration.microseconds((due - local) * 1_000_000 - fraction * 1_000_000 / 256)
        models.schedules[StateKey(element, .schedule, index: index)] = now.advanced(by: wait)
    }

    /// The element whose Time Server a scheduler follows: its own, or the nearest one.
    private func clock(of element: Int) -> Int? {
        has(.timeServer, element)
            ? element
            : neighbour(of: element, with: .timeServer, isBefore: true) ?? neighbour(of: element, with: .timeServer)
    }

    /// Carries out the entries that are due.
    mutating func advanceSchedules() {
        for (key, due) in models.schedules.sorted(by: { $0.key < $1.key }) where due <= now {
            models.schedules[key] = nil
            let element = Int(key.element)
            guard let entry = entries(element).first(where: { $0.index == key.index }) else { continue }
            fire(entry.fields, element)
            plan(key.index, entry.fields, element)
        }
    }

    private mutating func fire(_ fields: FieldValues, _ element: Int) {
        let transition = fields.integer("transition").flatMap(TransitionOctet.duration) ?? .zero
        let timing = FadeTiming(transition: transition)
        switch fields.integer("action") {
        case 0, 1:
            let end = neighbour(of: element, with: .schedulerServer) ?? elements.count
            for element in element..<end where has(.onOffServer, element) && !has(.lightControlServer, element) {
                switchOnOff(element, fields.integer("action") == 1, timing)
            }
        case 2:
            if has(.sceneServer, element), let scene = fields.integer("scene"), scene > 0 {
                recall(scene, element, timing)
            }
        default: break
        }
    }

    static let schedulerActions: [(String, Action)] = [
        (
            "scheduler-action-set",
            Action { machine, request in
                guard let index = request.values.integer("index"),
                    let message = MessageCatalogue.sig.message(named: "scheduler-action-set"),
                    let octets = try? message.encode(request.values)
                else { return }
                let key = StateKey(request.element, .schedule, index: UInt16(truncatingIfNeeded: index))
                // An entry without an action is deleted.
                machine.models.stored.octets[key] = request.values.integer("action") == 15 ? nil : octets
                machine.planSchedules()
            }
        )
    ]

    static let schedulerStatuses: [(String, Status)] = [
        (
            "scheduler-status",
            { machine, element, _ in
                let mask = machine.entries(element).reduce(Int64(0)) { $0 | 1 << Int64($1.index & 15) }
                return ["schedules": .integer(mask)]
            }
        ),
        (
            "scheduler-action-status",
            { machine, element, request in
                guard let index = request.integer("index") else { return nil }
                return machine.entries(element).first { Int64($0.index) == index }?.fields ?? ["index": .integer(index)]
            }
        ),
    ]
}
