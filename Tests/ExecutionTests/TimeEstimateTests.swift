import Definitions
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// Estimates beside what runs of the executor take over the simulated radio of the same name.
@Suite("Estimated time and time taken")
struct TimeEstimateTests {
    private func files(_ name: String) throws -> SourceFiles {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let data = try Data(contentsOf: root.appendingPathComponent("examples/office/\(name)"))
        return SourceFiles(files: [SourceFiles.File(path: name, bytes: Array(data))])
    }

    /// The example's devices in their boxes, and its definition without what has to do with secrets.
    private func office(_ settings: WorldSettings, seed: UInt64) throws -> Commissioning {
        var definition = try #require(DefinitionReader.read(files: try files("office.yaml")).definitions.first)
        definition.provisioning = nil
        let devices = DeviceFile.read(files: try files("devices/devices.yaml")).devices
        let site = try Commissioning(devices, settings: settings, seed: seed)
        site.definition = definition
        return site
    }

    private func estimator(
        _ name: String,
        _ settings: WorldSettings,
        _ options: ExecutionOptions
    ) throws
        -> PlanEstimator
    {
        PlanEstimator(
            profile: try #require(RadioProfile.named.first { $0.name == name }),
            connections: min(options.maximumConnections, settings.maximumLinks),
            window: options.maximumWindow
        )
    }

    /// The median is within a factor of 1.5.
    private func expect(_ estimate: PlanEstimate, _ recap: Recap) {
        let taken = Double(recap.duration.microseconds) / 1e6
        let said = estimate.total.median
        #expect(taken < said * 1.5 && said < taken * 1.5, "said \(said) s, took \(taken) s")
    }

    @Test("An office from nothing takes about as long as was said")
    func fromNothing() throws {
        let site = try office(.office, seed: 1)
        let plan = try site.plan()
        let estimate = try estimator("office", .office, site.options).estimate(plan)
        let recap = try site.execute { $0.apply(plan) }
        expect(estimate, recap)
        #expect(estimate.bound == .flood)
    }

    @Test("Devices that are only provisioned take what the connections allow")
    func provisioning() throws {
        let site = try Commissioning((1...12).map { Commissioning.device($0) }, settings: .office)
        let full = try site.plan()
        var plan = full
        plan.steps = full.steps.filter { if case .provision = $0.work { true } else { false } }
        let estimate = try estimator("office", .office, site.options).estimate(plan)
        let recap = try site.execute { $0.apply(plan) }
        expect(estimate, recap)
        #expect(estimate.bound == .provisioning)
    }
}
