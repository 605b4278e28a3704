import DefinitionModel
import MeshCore

/// Values as changes show them, in the language of definitions.
enum ValueText {
    static func state(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    static func index(_ index: NetKeyIndex) -> String { "index " + index.description }

    static func index(_ index: AppKeyIndex) -> String { "index " + index.description }

    static func transmit(_ parameters: TransmitParameters) -> String {
        "count \(parameters.transmissions), interval \(duration(parameters.intervalMilliseconds))"
    }

    /// A publication whose target may have no address yet. A nil key stands for the model's only one.
    static func publication(_ publication: DesiredPublication, key: AppKeyIndex?, names: ResourceNames) -> String {
        let target = names.target(publication.target)
        guard let key else { return "to \(target)" }
        // Everything except the target is written as for a publication with an address.
        let known = publication.publication(to: .group(.allNodes), key: key)
        return self.publication(known, to: target, names: names)
    }

    static func publication(_ publication: Publication, names: ResourceNames) -> String {
        self.publication(publication, to: names.target(publication.address), names: names)
    }

    private static func publication(_ publication: Publication, to target: String, names: ResourceNames) -> String {
        var text = ""
        // Enough memory for everything that may follow.
        text.reserveCapacity(target.utf8.count + 96)
        text += "to "
        text += target
        text += ", key "
        text += names.appKey(publication.appKeyIndex)
        if publication.ttl != Publication.defaultTTL { text += ", ttl \(publication.ttl)" }
        if publication.period.steps > 0 { text += ", period \(duration(publication.period.milliseconds))" }
        if publication.retransmit.count > 0 {
            text += ", retransmit count \(publication.retransmit.count)"
            text += " interval \(duration(publication.retransmit.intervalMilliseconds))"
        }
        if publication.usesFriendshipCredentials { text += ", friendship credentials" }
        return text
    }

    private static func duration(_ milliseconds: Int) -> String { DurationText.text(milliseconds: milliseconds) }
}

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
