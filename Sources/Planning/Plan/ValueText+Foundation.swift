import DefinitionModel
import MeshCore

extension ValueText {
    /// A state of the foundation models in the language of definitions.
    static func state(_ state: FoundationState, names: ResourceNames) -> String {
        state.text(address: names.address, subnet: names.netKey)
    }

    /// A state whose addresses may not be known yet.
    static func state(_ state: DesiredFoundationState, on node: Node, names: ResourceNames) -> String {
        // Elements without an address get temporary ones, only to write the text.
        var standIns: [Address: DesiredPublication.Target] = [:]
        let known = state.replacingTargets { target in
            guard target.address == nil else { return target }
            guard let address = UnicastAddress(rawValue: UnicastAddress.last.rawValue - UInt16(standIns.count)) else {
                return nil
            }
            standIns[address.address] = target
            return .address(.unicast(address))
        }
        guard let value = known?.value(on: node) else { return "" }
        return value.text(
            address: { address in
                if let target = standIns[address] { return names.target(target) }
                return address == node.unicastAddress.address ? "itself" : names.address(address)
            },
            subnet: names.netKey
        )
    }

    /// The name of a bridging table entry in addresses of resources: `kitchen-1@building.lamps@guests`.
    static func bridgeName(_ entry: BridgingTableEntry, names: ResourceNames) -> String {
        "\(names.address(entry.addresses.first.address))@\(names.netKey(entry.subnets.first))"
            + ".\(names.address(entry.addresses.second))@\(names.netKey(entry.subnets.second))"
    }

    static func bridgeName(_ bridge: DesiredBridge, names: ResourceNames) -> String {
        "\(names.target(bridge.first))@\(names.netKey(bridge.subnets.first))"
            + ".\(names.target(bridge.second))@\(names.netKey(bridge.subnets.second))"
    }

    static func direction(_ directions: BridgingDirections) -> String {
        switch directions {
        case .oneWay: "one way"
        case .bothWays: "both ways"
        }
    }
}
