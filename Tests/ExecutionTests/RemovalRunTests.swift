import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import Testing

@Suite("Removal over the simulated network")
struct RemovalRunTests {
    /// Without the second subnet and its key, the group of the vendor model, and the publications.
    private func reduced(_ text: String) -> String {
        text.replacing("  guests: { index: 1 }\n", with: "")
            .replacing("  visitors: { subnet: guests }\n", with: "")
            .replacing("  kitchen: {}\n", with: "")
            .replacing("subnets: [home, guests]", with: "subnets: [home]")
            .replacing("[lighting, visitors]", with: "[lighting]")
            .replacing("{ keys: [lighting], subscribe: [kitchen] }", with: "{ keys: [lighting] }")
            .split(separator: "publications:")[0].description
    }

    @Test("What a definition mentions no more leaves nodes and database, whose states agree afterwards")
    func everythingLeaves() throws {
        let site = try Site(lamps: 3)
        #expect(try site.apply(site.plan()).isComplete)
        site.definition = try House.definition(lamps: 3, reduced)
        let plan = try site.plan()
        let recap = try site.apply(plan)
        #expect(recap.isComplete, "\(recap)")
        let network = try site.network
        #expect(network.netKeys.map(\.name) == ["home"])
        #expect(network.appKeys.map(\.name) == ["lighting"])
        #expect(network.groups.map(\.name).sorted() == ["alarm", "all"])
        #expect(network.netKeys.allSatisfy(\.isManaged) && network.groups.allSatisfy(\.isManaged))
        for number in 1...3 {
            let lamp = try site.lamp(number)
            #expect(lamp.netKeys.count == 1 && lamp.appKeys.count == 1)
            #expect(lamp.elements[1].models[0].subscriptions == [])
            #expect(lamp.elements[0].models.allSatisfy { $0.publication == nil })
        }
        #expect(site.world.mismatches(against: network) == [])
        #expect(site.world.violations == [])
        let again = try site.plan()
        #expect(again.steps == [] && again.changes == [] && again.claims.isEmpty)
        // Per lamp: the publication, the vendor model's group, and the NetKey with all that is secured by it.
        #expect(recap.messagesSent == 9, "\(plan.cost.messages) planned")
    }

    @Test("A key that a node away from the air still has stays, and leaves with it when the node is back")
    func nodeIsAway() throws {
        let site = try Site(lamps: 3)
        #expect(try site.apply(site.plan()).isComplete)
        site.definition = try House.definition(lamps: 3, reduced)
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(3))
        let recap = try site.apply(site.plan())
        #expect(recap.pending.map(\.name) == ["lamp-3"])
        #expect(try site.network.netKeys.map(\.name) == ["home", "guests"])
        #expect(try site.network.appKeys.count == 2)
        #expect(try site.network.groups.contains { $0.name == "kitchen" })
        site.world.setFaults(NodeFaults(), of: uuid(3))
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.network.netKeys.map(\.name) == ["home"])
        #expect(try site.network.groups.map(\.name).sorted() == ["alarm", "all"])
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().isEmpty)
    }

    @Test("What was there before is claimed when a plan is applied, though nothing is sent for it")
    func claims() throws {
        let site = try Site(lamps: 1)
        #expect(try site.apply(site.plan()).isComplete)
        var disowned = try site.network
        disowned.netKeys[0].isManaged = false
        disowned.groups[0].isManaged = false
        for node in disowned.nodes.indices {
            for element in disowned.nodes[node].elements.indices {
                for model in disowned.nodes[node].elements[element].models.indices {
                    disowned.nodes[node].elements[element].models[model].managedBindings = []
                    disowned.nodes[node].elements[element].models[model].managedSubscriptions = []
                    disowned.nodes[node].elements[element].models[model].isPublicationManaged = false
                }
            }
        }
        let managed = try site.network
        _ = try site.execute { _ in
            var changes = StoreChanges()
            changes.network = disowned
            changes.nodes = disowned.nodes
            if let lease = site.lease { _ = try site.database.commit(changes, with: lease) }
            return Recap()
        }
        let plan = try site.plan()
        #expect(plan.isEmpty && plan.claims.resources.count == 2 && plan.claims.nodes.count == 1)
        let recap = try site.apply(plan)
        #expect(recap.messagesSent == 0)
        #expect(try site.network == managed)
        #expect(try site.plan().claims.isEmpty)
    }

    @Test("A proxy of which nobody knows that it is one leaves a subnet after those who are reached through it there")
    func unknownCarrier() throws {
        let site = try Site(lamps: 3)
        #expect(try site.apply(site.plan()).isComplete)
        // A database that has lost what lamp-1, the proxy, is made of; the others are to get more in the same run.
        var forgetful = try site.network
        let place = try #require(forgetful.nodes.firstIndex { $0.name == "lamp-1" })
        let known = try site.network
        forgetful.nodes[place].elements = forgetful.nodes[place].elements.map { _ in Element(models: []) }
        forgetful.nodes[place].features = Node.Features()
        forgetful.nodes[place].product = nil
        let run = try Site(network: forgetful, lamps: 3, world: known)
        run.definition = try House.definition(lamps: 3) { text in
            text.replacing("ttl: 7", with: "ttl: 9")
                .replacing(
                    "0000000000001, profile: lamp",
                    with: "0000000000001, profile: lamp, subnets: [home], application_keys: [lighting]"
                )
                .replacing("[lighting, visitors]", with: "[lighting]")
        }
        let plan = try run.plan()
        let recap = try run.apply(plan)
        #expect(recap.isComplete, "\(recap)")
        let guests = try #require(House.guests)
        var actions: [(DeviceUUID, ConfigurationAction)] = []
        var steps = plan.steps
        for event in run.events {
            if case .planGrown(_, let grown) = event { steps += grown }
            if case .stepSucceeded(let step, _) = event, case .configure(let node, let action) = steps[step].work {
                actions.append((node, action))
            }
        }
        let loss = try #require(actions.firstIndex { $0.0 == uuid(1) && $0.1 == .deleteNetKey(guests) })
        let others = actions[(loss + 1)...].filter { $0.0 != uuid(1) || $0.1 != .deleteNetKey(guests) }
        #expect(others.isEmpty, "after it: \(others)")
        #expect(try run.lamp(1).netKeys.map(\.index) == [.primary])
        #expect(try run.world.mismatches(against: run.network) == [])
        #expect(try run.plan().isEmpty)
    }
}
