package import Catalogue
package import DefinitionModel
package import Execution
package import MeshCore

/// One run of a test on a real mesh: what is sent, and what is read back. Everything is found before anything is sent.
package struct MeshTest {
    /// A state that is expected at one place.
    struct Expected {
        /// The position of the node in the network.
        let node: Int
        let name: String
        let value: ExpectedValue
        let within: Duration
        let request: OperatingRequest
    }

    /// A lamp that must stay as it is.
    struct Bystander {
        let name: String
        let state: StateDescription
        let request: OperatingRequest
    }

    /// A step with what it needs.
    struct Step {
        let step: TestStep
        var command: OutsideCommand?
        var expected: [Expected] = []
        var bystanders: [Bystander] = []
        let ear: ProvisionerEar
    }

    package let run: TestVariant
    package private(set) var needs: Set<OwnModel> = []
    /// What cannot be done in this network; nil if everything can.
    package private(set) var flaw: TestFailure?
    private(set) var steps: [Step] = []

    private let definition: Definition
    private let models: KnownModels
    private let network: MeshNetwork

    /// Finds what a run is about in a network.
    ///
    /// - Parameter transaction: tells the next command from those before; goes on with each command.
    package init(
        _ run: TestVariant,
        _ definition: Definition,
        _ models: KnownModels,
        in network: MeshNetwork,
        transaction: inout UInt8
    ) {
        self.run = run
        self.definition = definition
        self.models = models
        self.network = network
        let selectors = NodeSelectorIndex(definition.nodes)
        for (index, step) in run.steps.enumerated() {
            var prepared = Step(step: step, ear: ProvisionerEar(step, definition, in: network))
            var problems: [TestFailure.Problem] = []
            if let action = step.action {
                do throws(OutsideCommand.Problem) {
                    // A command that has to be repeated takes the numbers that follow.
                    transaction &+= 4
                    let command = try OutsideCommand(action, definition, models, in: network, transaction: transaction)
                    prepared.command = command
                    needs.formUnion(command?.needs ?? [])
                } catch {
                    problems.append(TestFailure.Problem(node: nil, text: error.text))
                }
            }
            for expectation in step.expectations {
                for node in selectors.matches(expectation.nodes).map({ definition.nodes[$0] }) {
                    expect(expectation, of: node, &prepared, &problems)
                }
            }
            if step.keepsOthers {
                let spared = Set(
                    step.expectations.flatMap { selectors.matches($0.nodes) }.map { definition.nodes[$0].uuid.value }
                )
                prepared.bystanders = bystanders(besides: spared)
            }
            guard problems.isEmpty else {
                flaw = TestFailure(number: index + 1, step: step, problems: problems)
                return
            }
            steps.append(prepared)
        }
    }

    /// What our own node has to listen to; nil if to nothing.
    package var wish: WatchWish? {
        let ears = steps.map(\.ear).filter { !$0.isEmpty }
        let addresses: Set<Address> = ears.reduce(into: []) { $0.formUnion($1.addresses) }
        return ears.isEmpty ? nil : ProvisionerEar.wish(addresses, in: network)
    }

    /// The commands that act on so many nodes that somebody has to approve them, as their words.
    package var commandsToApprove: [String] {
        steps.compactMap { step in
            guard let command = step.command, let words = step.step.action?.words else { return nil }
            let count = Set(command.places.places.map(\.node)).count
            return command.target.needsApproval(actingOn: count, in: network) ? words : nil
        }
    }

    func name(_ node: Node) -> String {
        definition.nodes.first { $0.uuid.value == node.uuid }?.name.value ?? node.name
    }

    private mutating func expect(
        _ expectation: TestExpectation,
        of node: NodeDefinition,
        _ step: inout Step,
        _ problems: inout [TestFailure.Problem]
    ) {
        let name = node.name.value
        func lacks(_ text: String) { problems.append(TestFailure.Problem(node: name, text: text)) }
        guard let position = network.nodes.firstIndex(where: { $0.uuid == node.uuid.value }) else {
            return lacks("it is in the definition, but not yet in the network")
        }
        let milliseconds = expectation.within?.value ?? step.step.within?.value ?? TestStep.usualTime
        for state in expectation.states {
            guard let value = ExpectedValue(state.value, models), let server = value.state.server,
                let element = element(of: position, with: server, expectation.element)
            else {
                lacks("it has no state \(state.value.name)")
                continue
            }
            switch request(for: value.state, value.keys, of: server, element, position) {
            case .success(let request):
                let within = Duration.milliseconds(milliseconds)
                step.expected.append(
                    Expected(node: position, name: name, value: value, within: within, request: request)
                )
            case .failure(let problem): lacks("its \(value.state.name) cannot be read: \(problem.text)")
            }
        }
    }

    private func element(of node: Int, with server: ModelIdentifier, _ wanted: Located<UInt8>?) -> Int? {
        network.nodes[node].elements.indices.first { element in
            wanted.map { Int($0.value) == element } ?? true
                && network.nodes[node].elements[element].models.contains { $0.identifier == server }
        }
    }

    private mutating func request(
        for state: StateDescription,
        _ keys: FieldValues,
        of server: ModelIdentifier,
        _ element: Int,
        _ node: Int
    ) -> Result<OperatingRequest, OutsideCommand.Problem> {
        let place = StatePlace(
            node: node,
            element: element,
            model: server,
            selector: StateSelector(state, keys: keys)
        )
        do throws(StateError) {
            let inquiry = try StateInquiry([place], in: network)
            needs.formUnion(inquiry.needs)
            if let request = inquiry.requests.first { return .success(request) }
            return .failure(
                OutsideCommand.Problem(text: "it " + (inquiry.refusals.first?.problem.clause ?? "is not there"))
            )
        } catch {
            return .failure(OutsideCommand.Problem(text: error.message))
        }
    }

    /// The lamps of all other nodes, as far as they can be asked.
    private mutating func bystanders(besides spared: Set<DeviceUUID>) -> [Bystander] {
        var found: [Bystander] = []
        let known = Set(definition.nodes.map(\.uuid.value))
        for (position, node) in network.nodes.enumerated()
        where known.contains(node.uuid) && !spared.contains(node.uuid) {
            for element in node.elements.indices {
                // A lamp that can be dimmed has both.
                let states = ["lightness", "onoff"].compactMap { models.state(named: $0) }
                let state = states.first { state in
                    node.elements[element].models.contains { $0.identifier == state.server }
                }
                guard let state, let server = state.server,
                    case .success(let request) = self.request(for: state, [:], of: server, element, position)
                else { continue }
                found.append(Bystander(name: name(node), state: state, request: request))
            }
        }
        return found
    }
}
