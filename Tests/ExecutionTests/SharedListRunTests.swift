import DefinitionModel
import Definitions
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Shared subscription lists, from plan to node")
struct SharedListRunTests {
    private static let models: [ModelIdentifier] = [.sig(0x1000), .sig(0x1006), .sig(0x1300)]

    /// Lamps of which three models extend one another; all three or only the first subscribe to the groups.
    private static func definition(
        _ count: Int,
        _ groups: String,
        models: [ModelIdentifier] = models
    ) throws -> Definition {
        let text = """
            version: 1
            network: house
            subnets: { home: { index: 0 } }
            groups: { all: { address: 0xC000 }, kitchen: { address: 0xC001 }, hall: { address: 0xC002 } }
            profiles:
              lamp:
                elements:
                  0:
            \(models.map { "        \($0.name): { subscribe: [\(groups)] }" }.joined(separator: "\n"))
            nodes:
            \((1...count).map {
                "  lamp-\($0): { uuid: \(uuid(UInt64($0)).rawValue.hexadecimal), profile: lamp }"
            }.joined(separator: "\n"))
            """
        let file = SourceFiles.File(path: "house.yaml", bytes: Array(text.utf8))
        let (definitions, diagnostics) = DefinitionReader.read(files: SourceFiles(files: [file]))
        guard let definition = definitions.first, diagnostics.isEmpty else {
            throw UnusableDefinition(diagnostics: diagnostics)
        }
        return definition
    }

    private static func network(_ count: Int) throws -> MeshNetwork {
        var network = try House.network(lamps: count)
        for place in network.nodes.indices.dropFirst() {
            network.nodes[place].elements[0].models =
                [Model(identifier: .configurationServer)] + models.map { Model(identifier: $0) }
        }
        return network
    }

    private static func site(_ count: Int, _ groups: String, isShared: Bool) throws -> Site {
        var settings = WorldSettings.ideal
        settings.sharesSubscriptionLists = isShared
        return try Site(
            lamps: count,
            settings: settings,
            database: try network(count),
            definition: try definition(count, groups)
        )
    }

    @Test(
        "What is shared is found out and recorded, and from then on one message serves all",
        arguments: [true, false]
    )
    func learned(isShared: Bool) throws {
        let count = 4
        let site = try Self.site(count, "all, kitchen", isShared: isShared)
        let plan = try site.plan()
        // Six messages a lamp, and two Gets for each of two models of the first one.
        #expect(plan.cost.messages == 6 * count + 4)
        let recap = try site.apply(plan)
        #expect(recap.isComplete, "\(recap)")
        #expect(isShared ? recap.messagesSent < plan.cost.messages : recap.messagesSent == plan.cost.messages)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().steps == [])
        #expect(try site.network.listSharings.map(\.isShared) == [isShared, isShared])
        for number in 1...count {
            for model in try site.lamp(number).elements[0].models.dropFirst() {
                #expect(model.subscriptions.count == 2 && model.managedSubscriptions.count == 2)
            }
        }
        // Everything is known by now: one more group, then a swap of two for one.
        for (groups, shared, separate) in [("all, kitchen, hall", 1, 3), ("hall", 1, 3), ("hall, all", 1, 3)] {
            site.definition = try Self.definition(count, groups)
            let next = try site.plan()
            #expect(next.cost.messages == count * (isShared ? shared : separate), "\(groups)")
            let recap = try site.apply(next)
            #expect(recap.isComplete && recap.messagesSent == next.cost.messages, "\(groups): \(recap)")
            #expect(try site.world.mismatches(against: site.network) == [])
            #expect(try site.plan().steps == [])
        }
        #expect(site.world.violations == [])
    }

    @Test("An old record does not make separate lists shared", arguments: [true, false])
    func oldRecord(isShared: Bool) throws {
        var air = try Self.network(3)
        let all = SubscriptionAddress.group(try required(GroupAddress(rawValue: 0xC000)))
        for place in air.nodes.indices.dropFirst() {
            for model in air.nodes[place].elements[0].models.indices.dropFirst() {
                air.nodes[place].elements[0].models[model].subscriptions = [all]
            }
        }
        var settings = WorldSettings.ideal
        settings.sharesSubscriptionLists = isShared
        let site = try Site(
            lamps: 3,
            settings: settings,
            world: air,
            database: try Self.network(3),
            definition: try Self.definition(3, "all")
        )
        #expect(try site.apply(try site.plan()).isComplete)
        #expect(try site.network.listSharings == [], "the group was there before")
        #expect(try site.plan().steps == [])
        site.definition = try Self.definition(3, "all, hall")
        #expect(try site.apply(try site.plan()).isComplete)
        #expect(try site.network.listSharings.map(\.isShared) == [isShared, isShared])
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("Models that nobody asked for hear what they share, which is no drift")
    func drift() throws {
        let site = try Self.site(1, "all", isShared: true)
        site.definition = try Self.definition(1, "all", models: [Self.models[0]])
        #expect(try site.apply(try site.plan()).isComplete)
        #expect(try site.world.mismatches(against: site.network) != [])
        #expect(try site.execute { $0.readBack([uuid(1)]) }.isComplete)
        #expect(try site.network.drifts.isEmpty)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().steps == [])
        // What somebody else adds to one of them is.
        let hall = SubscriptionAddress.group(try required(GroupAddress(rawValue: 0xC002)))
        site.world.change(uuid(1)) { $0.elements[0].models[1].subscriptions.append(hall) }
        #expect(try site.execute { $0.readBack([uuid(1)]) }.isComplete)
        #expect(try site.network.drifts.count == 1)
        #expect(try site.plan().cost.messages == 1)
    }

    @Test("A node that tells of lists that they are not shared after all is believed")
    func contradiction() throws {
        var network = try Self.network(2)
        let product = try required(network.nodes[1].product)
        for (one, other) in zip(Self.models, Self.models.dropFirst()) {
            _ = network.learn(ListSharing(product: product, element: 0, one, other, isShared: true))
        }
        let site = try Site(
            lamps: 2,
            settings: .ideal,
            database: network,
            definition: try Self.definition(2, "all")
        )
        #expect(try site.apply(try site.plan()).messagesSent == 2)
        #expect(try site.world.mismatches(against: site.network).count == 4)
        #expect(try site.execute { $0.readBack([uuid(1), uuid(2)]) }.isComplete)
        #expect(try site.network.listSharings.map(\.isShared) == [false, true, false])
        #expect(try site.apply(try site.plan()).isComplete)
        #expect(try site.execute { $0.readBack([uuid(1), uuid(2)]) }.isComplete)
        #expect(try site.apply(try site.plan()).isComplete)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().steps == [])
    }

    @Test("Devices that become nodes are asked as well", arguments: [true, false])
    func commissioned(isShared: Bool) throws {
        let devices = (1...4).map { number in
            var device = Commissioning.device(number)
            device.composition.elements[0].models = [.configurationServer, .healthServer] + Self.models
            device.sharesSubscriptionLists = isShared
            return device
        }
        let site = try Commissioning(devices)
        let text = """
            version: 1
            network: house
            subnets: { home: { index: 0 } }
            groups: { all: { address: 0xC000 }, kitchen: { address: 0xC001 } }
            nodes:
            \(devices.map { "  \($0.name): { uuid: \($0.uuid.rawValue.hexadecimal) }" }.joined(separator: "\n"))
            subscriptions:
              - { groups: [all, kitchen], models: [\(Self.models.map(\.name).joined(separator: ", "))], nodes: all }
            """
        let file = SourceFiles.File(path: "house.yaml", bytes: Array(text.utf8))
        site.definition = try required(DefinitionReader.read(files: SourceFiles(files: [file])).0.first)
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.network.listSharings.map(\.isShared) == [isShared, isShared])
        #expect(try site.plan().steps == [])
        #expect(site.world.violations == [])
    }
}
