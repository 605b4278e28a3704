import DefinitionModel
import MeshCore
import Planning
import TestSupport

extension RandomCase {
    /// What is planned, though guards have something against it, as far as nodes would not refuse it; nil if the definition
    /// is wrong.
    func plan(
        of network: MeshNetwork? = nil,
        allowed: Set<PlanGuard> = Set(PlanGuard.allCases).subtracting([
            .transportNetKey, .lastNetKey, .protectedNode, .protectedResource,
        ])
    ) -> Plan? {
        let result = Planner.plan(
            definition: definition,
            network: network ?? self.network,
            base: (Octets16(high: 1, low: 1), 1),
            identifier: Octets16(high: 2, low: 2),
            options: PlannerOptions(allowed: allowed)
        )
        return result.refusals.isEmpty ? result.plan : nil
    }

    /// The network after the plan, if there is one, lowering found nothing wrong, and the definition still fits.
    func applied() -> MeshNetwork? {
        guard let plan = plan() else { return nil }
        var simulation = StepSimulation(network, compositions: compositions)
        simulation.apply(plan.claims)
        for step in plan.steps { guard (try? simulation.apply(step)) != nil else { return nil } }
        guard simulation.problems.allSatisfy({ $0.severity != .error }) else { return nil }
        return self.plan(of: simulation.network) == nil ? nil : simulation.network
    }
}
