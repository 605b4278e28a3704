import SystemLayer

@testable import MeshplanCLI

extension FleetWorkers {
    /// Runs one call after the other in this process, with the effects of the fixture.
    static var inThisProcess: FleetWorkers {
        FleetWorkers { _, context, next, tell in
            while let (number, call) = next() {
                var own = context
                own.workingDirectory = call.network.folder
                own.environment = call.environment
                own.session = StoreSession()
                own.json = nil
                var (output, errors) = ("", "")
                own.output = Output { text in
                    output += text
                    return nil
                }
                own.errorOutput = Output { text in
                    errors += text
                    return nil
                }
                let status = Meshplan.main(call.arguments, in: own)
                for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                    tell(number, .output(String(line)))
                }
                for line in errors.split(separator: "\n") { tell(number, .errors(String(line))) }
                tell(number, .ended(status))
            }
        }
    }
}
