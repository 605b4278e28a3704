import Execution
import MeshCore

/// One `sensors`: reads every property of sensors.
struct SensorSession {
    /// Finds targets and talks to the mesh.
    let operating: OperatingContext
    /// What else to read of each property.
    let details: SensorInspection.Details

    /// Asks the sensors of a target, and shows what they tell.
    ///
    /// - Parameter text: the target; nil for all nodes.
    /// - Throws: ``Failure`` if the target is not known or has no sensor that can be asked.
    func inspect(_ text: String?) throws -> ExitStatus {
        let target = try operating.resolve(OperatedNodes.target(text))
        let inspection: SensorInspection
        do throws(StateError) {
            inspection = try SensorInspection(target, details, in: operating.network)
        } catch {
            guard case .nobodyHas(_, let others) = error else { throw Failure(error) }
            // What else it has is of no use to somebody who wants sensors.
            let hint = others.isEmpty ? error.advice?.worded.printable : nil
            throw Failure(.usage, "nothing that is meant has a sensor", hint: hint)
        }
        if inspection.isEmpty, let first = inspection.refusals.first {
            throw OperatedNodes(operating).failure(
                of: first.problem,
                node: first.place.node,
                element: first.place.element
            )
        }
        let (findings, status) = try operating.operate(with: inspection.needs) { inspection.run(in: $0) }
        SensorView(operating, details).show(findings, inspection.refusals)
        guard status == .success else { return status }
        let isAnswered = findings.allSatisfy { $0.missing == nil }
        return isAnswered && (target.isSelector || inspection.refusals.isEmpty) ? .success : .partial
    }
}
