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
                sent = SentMessage(try world.press(try uuid(of: node), element: element, isOn: isOn))
            case .sense(let node, let property, let value):
                let uuid = try uuid(of: node)
                sent = publication(of: .sig(0x1100), "the sensor", at: uuid, to: [.sig(0x130F)])
                try world.sense(uuid, property: property, value)
            case .fault(let node, let name):
                let uuid = try uuid(of: node)
                sent = publication(of: .healthServer, "the health-server", at: uuid, to: [])
                try world.toggleFault(uuid, name)
            case .power(let selector, let isOn):
                for position in rehearsal.selectors.matches(selector) {
                    world.setPower(rehearsal.definition.nodes[position].uuid.value, isOn: isOn)
                }
            case .wait(let milliseconds): world.advance(to: world.now.advanced(by: .milliseconds(milliseconds)))
            case .set, .recall: return command(action)
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

    /// What a model of a node publishes; nil if there is none, or if it publishes nothing.
    private func publication(
        of model: ModelIdentifier,
        _ sender: String,
        at uuid: DeviceUUID,
        to servers: [ModelIdentifier]
    ) -> SentMessage? {
        guard let node = rehearsal.network.nodes.first(where: { $0.uuid == uuid }) else { return nil }
        for (index, element) in node.elements.enumerated() {
            guard let publication = element.models.first(where: { $0.identifier == model })?.publication,
                let source = node.unicastAddress.element(UInt8(clamping: index))
            else { continue }
            return SentMessage(sender, source, publication, servers)
        }
        return nil
    }

    /// Sets a state from outside, through a proxy.
    private mutating func command(_ action: TestAction) -> String? {
        let network = rehearsal.network
        transaction &+= 1
        do throws(OutsideCommand.Problem) {
            let command = try OutsideCommand(
                action,
                rehearsal.definition,
                rehearsal.models,
                in: network,
                transaction: transaction
            )
            guard let command else { return nil }
            let (result, ending) = rehearsal.executor(of: world).operate(with: command.needs) { session in
                Result { () throws(OutsideCommand.Problem) -> [Int: StateSettingOutcome] in
                    try command.carryOut(in: session)
                }
            }
            guard let result else { return "nothing could be sent: \(ending.reason)" }
            let answers = try result.get().map { (network.nodes[$0.key].uuid, $0.value) }
            sent = SentMessage(
                commandFrom: network.nodes.first { $0.uuid == network.ownProvisioner }?.unicastAddress,
                to: command.target.group.map { $0.address.publishAddress },
                command.servers,
                answers: Dictionary(uniqueKeysWithValues: answers)
            )
            return nil
        } catch {
            return error.text
        }
    }
}

extension SubscriptionAddress {
    fileprivate var publishAddress: PublishAddress {
        switch self {
        case .group(let group): .group(group)
        case .virtual(let label): .virtual(label)
        case .unknownLabel(let address): .unknownLabel(address)
        }
    }
}
