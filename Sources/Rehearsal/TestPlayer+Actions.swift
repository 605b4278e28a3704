import Catalogue
import DefinitionModel
import Execution
import MeshCore
import Simulator

extension TestPlayer {
    /// Does what a step says.
    ///
    /// - Returns: why it could not be done, as a clause without a full stop; nil if it was done.
    mutating func carryOut(_ action: TestAction) -> String? {
        do throws(OperationError) {
            switch action {
            case .press(let node, let element, let isOn):
                pressed = try world.press(try uuid(of: node), element: element, isOn: isOn)
            case .sense(let node, let property, let value):
                try world.sense(try uuid(of: node), property: property, value)
            case .fault(let node, let name): try world.toggleFault(try uuid(of: node), name)
            case .power(let selector, let isOn):
                for position in rehearsal.selectors.matches(selector) {
                    world.setPower(rehearsal.definition.nodes[position].uuid.value, isOn: isOn)
                }
            case .wait(let milliseconds): world.advance(to: world.now.advanced(by: .milliseconds(milliseconds)))
            case .set(let target, let state, let words): return set(target, state, words)
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func uuid(of node: Located<String>) throws(OperationError) -> DeviceUUID {
        guard let position = rehearsal.selectors.position(named: node.value) else { throw .notThere }
        return rehearsal.definition.nodes[position].uuid.value
    }

    /// Sets a state from outside, through a proxy, as a person does with a command.
    private mutating func set(_ target: String, _ name: String, _ words: [String]) -> String? {
        let network = rehearsal.network
        let nodes = rehearsal.definition.nodes
        let resolver = TargetResolver(
            network,
            names: Dictionary(nodes.map { ($0.name.value, $0.uuid.value) }, uniquingKeysWith: { first, _ in first }),
            tags: Dictionary(
                nodes.map { ($0.uuid.value, $0.tags.mapValues(\.value)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
        let resolved: ResolvedTarget
        do throws(TargetError) { resolved = try resolver.resolve(try OperatingTarget(target)) } catch {
            return error.message
        }
        transaction &+= 1
        do throws(StateError) {
            let state = try StateSelector.state(named: name, of: rehearsal.models)
            let change = try StateChange(
                state,
                words: words,
                transition: resolved.isForSeveral && state.hasTransition ? 0 : nil
            )
            let places = try StateChangePlaces(change, on: resolved, of: rehearsal.models, in: network)
            if places.places.isEmpty { return "no key is bound under which \(name) could be set" }
            let setting = StateSetting(change, at: places, in: network, transaction: transaction)
            let cover = places.cover(change, named: resolved.group?.address, in: network)
            let isTogether = resolved.isForSeveral && (!cover.groups.isEmpty || places.places.count > 1)
            let (outcomes, ending) = rehearsal.executor(of: world).operate(with: places.needs(under: cover)) {
                session in
                Result { () throws(StateError) -> [StateSettingOutcome] in
                    isTogether ? try setting.setTogether(cover, in: session) : try setting.setEach(in: session)
                }
            }
            guard let outcomes else { return "nothing could be sent: \(ending)" }
            _ = try outcomes.get()
            return nil
        } catch {
            return error.message
        }
    }
}
