import Catalogue
import DefinitionModel
import MeshCore

/// What some schedulers do at a time.
struct AdoptedSchedule: Hashable {
    var time: ScheduleTime
    var action: ScheduleAction
    /// As in messages (Mesh Model 3.1.3).
    var transition: UInt8
    /// The zone of the clock that the nodes go by, in steps of 15 minutes from UTC.
    var zone: Int64
}

/// Entries of schedulers become sentences if ``Resolver`` makes the same entries of them.
extension DefinitionDraft {
    /// The schedule that an entry of a node's only scheduler stands for; nil if no sentence says the same.
    static func schedule(of state: KnownModelState, on element: UInt8, of node: Node) -> AdoptedSchedule? {
        let schedulers = node.elements.count { $0.place(of: .schedulerServer) != nil }
        guard schedulers == 1, state.form.name.hasPrefix("schedule."), let zone = zone(of: node),
            let description = StateCatalogue.state(named: "schedule"),
            let values = try? description.statusMessage.decode(state.status),
            let time = time(values), let action = action(values, on: element, of: node),
            let transition = octet("transition", values)
        else { return nil }
        return AdoptedSchedule(time: time, action: action, transition: transition, zone: zone)
    }

    /// The schedules of a zone as a definition writes them, in the order of the first node that has each.
    static func schedules(
        _ adopted: [(schedule: AdoptedSchedule, nodes: [String])],
        in zone: Int64
    ) -> [ScheduleDefinition] {
        adopted.filter { $0.schedule.zone == zone }.enumerated().map { number, entry in
            var nodes = NodeSelector(location: place)
            nodes.names = entry.nodes.map(made)
            return ScheduleDefinition(
                name: made("schedule-\(number + 1)"),
                time: made(entry.schedule.time),
                action: made(entry.schedule.action),
                transition: entry.schedule.transition,
                nodes: nodes
            )
        }
    }

    /// The zone of the clock of a node, if it knows the time.
    static func zone(of node: Node) -> Int64? {
        guard let description = StateCatalogue.state(named: "time") else { return nil }
        for element in node.elements {
            guard let index = element.place(of: .timeServer),
                let state = element.models[index].states.first(where: { $0.form.name == "time" }),
                case .integer(let zone)? = try? description.statusMessage.decode(state.status)["zone"]
            else { continue }
            return zone - 64
        }
        return nil
    }

    /// A time at which a sentence can name the hour, and the days either by the month or by the week.
    private static func time(_ values: FieldValues) -> ScheduleTime? {
        guard let year = octet("year", values), case .integer(let months)? = values["months"],
            let day = octet("day", values), let hour = octet("hour", values), let minute = octet("minute", values),
            let second = octet("second", values), let weekdays = octet("weekdays", values)
        else { return nil }
        guard hour < 24, minute < 60, second < 60, weekdays != 0, day == 0 || weekdays == 0x7F, (1...0xFFF) ~= months
        else { return nil }
        var time = ScheduleTime()
        (time.year, time.months, time.day) = (year, UInt16(months), day)
        (time.hour, time.minute, time.second, time.weekdays) = (hour, minute, second, weekdays)
        return time
    }

    private static func action(_ values: FieldValues, on element: UInt8, of node: Node) -> ScheduleAction? {
        switch octet("action", values) {
        case 0: return .off
        case 1: return .on
        case 2:
            guard case .integer(let scene)? = values["scene"], let number = UInt16(exactly: scene),
                let index = node.elements[Int(element)].place(of: .sceneServer),
                node.elements[Int(element)].models[index].states.contains(where: { $0.form.register == number })
            else { return nil }
            return .recall(sceneName(number))
        default: return nil
        }
    }

    private static func octet(_ name: String, _ values: FieldValues) -> UInt8? {
        guard case .integer(let value)? = values[name] else { return nil }
        return UInt8(exactly: value)
    }
}

extension Node {
    var hasSchedules: Bool {
        elements.contains { element in
            element.place(of: .schedulerServer).map { index in
                element.models[index].states.contains { $0.form.name.hasPrefix("schedule.") }
            } ?? false
        }
    }
}
