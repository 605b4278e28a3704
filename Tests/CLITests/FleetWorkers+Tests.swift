import SystemLayer

@testable import MeshplanCLI

extension FleetWorkers {
    /// Runs one call after the other in this process, with the effects of the fixture. They and their answers are the
    /// same lines as between processes.
    static var inThisProcess: FleetWorkers {
        FleetWorkers { _, context, next, tell in
            while let (number, call) = next() {
                var lines: [String] = []
                let serving = FleetServing(context: context, enter: { _ in nil })
                _ = serving.answer(Array(call.line.utf8)) { lines.append($0) }
                for answer in lines.compactMap({ FleetAnswer($0) }) { tell(number, answer) }
            }
        }
    }
}
