import DefinitionModel
import Definitions
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Plans that grow while they are carried out")
struct GrowthTests {
    private static func devices(_ count: Int) -> [DeviceDescription] { (1...count).map { Commissioning.device($0) } }

    /// Two subnets; every device has models with keys, subscriptions by rule, and publishes to the next device.
    private static func definition(_ count: Int, extra: String = "") throws -> Definition {
        let nodes = (1...count).map { number in
            "  device-\(number): { uuid: \(uuid(0xD000 + UInt64(number)).rawValue.hexadecimal), profile: lamp }"
        }
        let publications = (1...count).map { number in
            "  - { node: device-\(number), model: generic-onoff-server, to: device-\(number % count + 1), key: lighting }"
        }
        let text = """
            version: 1
            network: house
            subnets:
              home: { index: 0 }
              guests: { index: 1 }
            application_keys:
              lighting: { subnet: home }
              visitors: { subnet: guests }
            groups:
              all: { address: 0xC000 }
              kitchen: {}
            profiles:
              lamp:
                ttl: 6
                features: { relay: on }
                elements:
                  0:
                    generic-onoff-server: { keys: [lighting, visitors], subscribe: [all] }
                  1:
                    generic-onoff-server: { keys: [lighting] }
            nodes:
            \(nodes.joined(separator: "\n"))
            subscriptions:
              - { groups: [kitchen], models: [generic-onoff-server], nodes: all }
            \(extra)
            publications:
            \(publications.joined(separator: "\n"))
            """
        let file = SourceFiles.File(path: "house.yaml", bytes: Array(text.utf8))
        let (definitions, diagnostics) = DefinitionReader.read(files: SourceFiles(files: [file]))
        guard let definition = definitions.first, diagnostics.isEmpty else {
            throw UnusableDefinition(diagnostics: diagnostics)
        }
        return definition
    }

    private static func site(_ count: Int, extra: String = "", seed: UInt64 = 1) throws -> Commissioning {
        var settings = WorldSettings.ideal
        settings.maximumLinks = 4
        let site = try Commissioning(devices(count), settings: settings, seed: seed)
        site.definition = try definition(count, extra: extra)
        return site
    }

    @Test("From an empty network and a definition, one run does everything, and the plan after it is empty")
    func fromNothing() throws {
        let site = try Self.site(6)
        let plan = try site.plan()
        let recap = try site.execute { $0.apply(plan) }
        #expect(recap.isComplete, "\(recap)")
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
        #expect(try site.plan().steps == [])
        var (steps, changes) = (plan.steps, plan.changes)
        for case .planGrown(let newChanges, let newSteps) in site.events {
            changes += newChanges
            for (offset, step) in newSteps.enumerated() {
                #expect(changes.indices.contains(step.change))
                #expect(step.dependencies.allSatisfy { $0 < steps.count + offset })
            }
            steps += newSteps
        }
        #expect(steps.count > plan.steps.count + 30)
        #expect(recap.total == steps.count)
        #expect(recap.applied + recap.unchanged == recap.total)
        #expect(site.events.contains(.progress(decided: steps.count, total: steps.count)))
        let nodes = try site.network.nodes
        for number in 1...6 {
            let models = try #require(nodes.first { $0.name == "device-\(number)" }?.elements[0].models)
            let next = try #require(nodes.first { $0.name == "device-\(number % 6 + 1)" })
            let model = try #require(models.first { $0.identifier == Commissioning.onOffServer })
            #expect(model.publication?.address == .unicast(next.unicastAddress))
            #expect(model.subscriptions.count == 2)
        }
    }

    @Test("What the composition contradicts is a problem of the run; everything else is done")
    func problems() throws {
        let extra = "  - { groups: [all], models: [generic-level-server], nodes: device-2 }"
        let site = try Self.site(3, extra: extra)
        let recap = try site.apply()
        #expect(recap.ending == .completed)
        #expect(recap.failed == [])
        #expect(recap.problems.map(\.name) == ["device-2"])
        #expect(!recap.isComplete)
        #expect(try site.database.runs().map(\.outcome) == [.partial])
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("A publication to a device that is not heard waits, the rest of its node does not")
    func awaitedAddress() throws {
        let site = try Self.site(3)
        site.world.setFaults(NodeFaults(isOff: true), of: site.devices[1].uuid)
        let recap = try site.apply()
        #expect(recap.pending.map(\.name) == ["device-2"])
        #expect(!recap.blocked.isEmpty)
        for index in [0, 2] {
            let node = site.devices[index].uuid
            #expect(site.events.count { if case .nodeFinished(node) = $0 { true } else { false } } == 1)
        }
        let first = try #require(try site.node(1))
        let model = try #require(first.elements[0].models.first { $0.identifier == Commissioning.onOffServer })
        #expect(model.publication == nil)
        #expect(model.subscriptions.count == 2)
        site.world.setFaults(NodeFaults(), of: site.devices[1].uuid)
        let second = try site.resolveAndApply()
        #expect(second.isComplete, "\(second)")
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().steps == [])
    }

    @Test("A doubt about a step that a plan grew by outlives another run of the plan, which grows otherwise")
    func doubtAboutGrowth() throws {
        let site = try Self.site(3)
        let (mute, late) = (site.devices[1].uuid, site.devices[2].uuid)
        let plan = try site.plan()
        var steps = plan.steps
        site.onEvent = { event in
            switch event {
            case .planGrown(_, let grown): steps += grown
            case .stepSent(let step) where step > plan.steps.count && steps[step].node == mute:
                site.world.setFaults(NodeFaults(isMute: true), of: mute)
            default: break
            }
        }
        site.world.setFaults(NodeFaults(isOff: true), of: late)
        #expect(try site.execute { $0.apply(plan) }.inDoubt == 1)
        let doubt = try required(site.database.snapshot().unresolved.first)
        #expect(doubt.node == mute)
        site.world.setFaults(NodeFaults(), of: late)
        let recap = try site.execute { $0.apply(plan) }
        #expect(recap.provisioned == 1)
        let unresolved = try site.database.snapshot().unresolved
        #expect(unresolved.map(\.node) == [mute])
        #expect(unresolved.map(\.action) == [doubt.action])
        site.world.setFaults(NodeFaults(), of: mute)
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.database.snapshot().unresolved == [])
    }

    private static let moments = Result { () throws -> Int in
        let site = try Self.site(3)
        return try MortalRuns.packets(of: site) { () throws in #expect(try site.apply().isComplete) }
    }

    /// Kills the run, and goes on with the same plan or with a new one.
    private func dieAndGoOn(moment: Int, saved: Bool) throws {
        let site = try Self.site(3, seed: UInt64(moment))
        let plan = try site.plan()
        let runs = MortalRuns(site, moment: moment)
        var recap = try site.execute { $0.apply(plan) }
        while try runs.revive() {
            recap = try saved ? site.execute { $0.apply(plan) } : site.resolveAndApply()
        }
        if !recap.isComplete, recap.ending == .completed { recap = try site.resolveAndApply() }
        #expect(recap.isComplete || recap.ending == .refused(.alreadyApplied), "moment \(moment): \(recap)")
        #expect(try site.world.mismatches(against: site.network) == [], "moment \(moment)")
        #expect(site.world.violations == [], "moment \(moment)")
        #expect(try site.database.snapshot().unresolved == [], "moment \(moment)")
        #expect(try site.network.pendingProvisionings == [], "moment \(moment)")
        #expect(try site.usedAddresses() == Array(1...7), "moment \(moment)")
        #expect(try site.plan().steps == [], "moment \(moment)")
    }

    @Test("At 80 moments a killed run that had grown is gone on with, by the same plan or a new one", arguments: 0..<8)
    func killed(part: Int) throws {
        let moments = try Self.moments.get()
        for index in 0..<10 {
            try dieAndGoOn(moment: 1 + (part * 10 + index) * moments / 80, saved: index.isMultiple(of: 2))
        }
    }
}
