import DefinitionModel
import MeshCore

extension DefinitionWriter {
    func schedule(_ schedule: ScheduleDefinition) -> Field {
        var deed: String
        switch schedule.action.value {
        case .on: deed = "switch on"
        case .off: deed = "switch off"
        case .recall(let scene): deed = "recall \(scene)"
        }
        if schedule.transition != 0 {
            let milliseconds = TransitionWords.milliseconds(schedule.transition)
            deed += " over \(DurationText.text(milliseconds: milliseconds))"
        }
        let fields = [Field("when", .text(schedule.time.value.words)), Field("do", .text(deed))]
        return named(schedule.name, .fields(fields + selection(schedule.nodes)))
    }
}

/// Words of schedules as definitions write them.
enum ScheduleWords {
    /// `+01:00`, from steps of 15 minutes.
    static func timeZone(_ steps: Int) -> String {
        let minutes = abs(steps) * 15
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return (steps < 0 ? "-" : "+") + twoDigits(minutes / 60) + ":" + twoDigits(minutes % 60)
    }
}
