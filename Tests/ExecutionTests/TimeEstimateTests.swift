import DefinitionModel
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
    private func files(_ names: String...) throws -> SourceFiles {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let files = try names.map { name in
            let data = try Data(contentsOf: root.appendingPathComponent("examples/office/\(name)"))
            return SourceFiles.File(path: name, bytes: Array(data))
        }
        return SourceFiles(files: files)
    }

    /// The example's devices in their boxes, and its definition without what has to do with secrets.
    private func office(_ settings: WorldSettings, seed: UInt64) throws -> Commissioning {
        var definition = try #require(
            DefinitionReader.read(files: try files("office.yaml", "devices/models.yaml")).definitions.first
        )
        definition.provisioning = nil
        let devices = DeviceFile.read(files: try files("devices/devices.yaml")).devices
        let site = try Commissioning(devices, settings: settings, seed: seed)
        site.definition = definition
        return site
    }

    private func settings(_ name: String) throws -> WorldSettings {
        try #require(WorldSettings.profile(named: name))
    }

    /// What is said of a plan, with what the database knows when it is made.
    private func estimate(_ plan: Plan, _ name: String, _ site: Commissioning) throws -> PlanEstimate {
        let estimator = PlanEstimator(
            profile: try #require(RadioProfile.named.first { $0.name == name }),
            connections: min(site.options.maximumConnections, try settings(name).maximumLinks),
            window: site.options.maximumWindow
        )
        return try estimator.relaying(in: site.network).estimate(plan)
    }

    private struct Outcome {
        var said: PlanEstimate
        var taken: Double
    }

    private func run(_ site: Commissioning, _ name: String) throws -> Outcome {
        let plan = try site.plan()
        let said = try estimate(plan, name, site)
        let recap = try site.execute { $0.apply(plan) }
        return Outcome(said: said, taken: Double(recap.duration.microseconds) / 1e6)
    }

    /// Half of the runs take about what was said, and nearly all less than what 19 of 20 were said to.
    private func expect(_ outcomes: [Outcome], _ comment: String) throws {
        let said = try #require(outcomes.first).said.total
        let taken = outcomes.map(\.taken).sorted()
        let median = taken[taken.count / 2]
        let comment: Comment = "\(comment): said \(said), took \(taken)"
        #expect(median < said.median * 1.25 && said.median < median * 1.25, comment)
        #expect(taken.count { $0 <= said.percentile95 } * 10 >= taken.count * 9, comment)
    }

    @Test("An office from nothing takes about as long as was said")
    func fromNothing() throws {
        let outcomes = try (1...3).map { try run(try office(.office, seed: $0), "office") }
        try expect(outcomes, "office")
    }

    @Test("Devices that are only provisioned take what the connections allow")
    func provisioning() throws {
        let site = try Commissioning((1...12).map { Commissioning.device($0) }, settings: .office)
        let full = try site.plan()
        var plan = full
        plan.steps = full.steps.filter { if case .provision = $0.work { true } else { false } }
        let said = try estimate(plan, "office", site)
        let recap = try site.execute { $0.apply(plan) }
        try expect([Outcome(said: said, taken: Double(recap.duration.microseconds) / 1e6)], "provisioning")
        #expect(said.bound == .provisioning)
    }
}
