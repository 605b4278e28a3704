import Catalogue
import DefinitionModel
import MeshCore

/// The names of a network's resources in plans and diagnostics: those of the definition, else those of the database.
struct ResourceNames {
    private var netKeys: [NetKeyIndex: String] = [:]
    private var appKeys: [AppKeyIndex: String] = [:]
    private var groups: [SubscriptionAddress: String] = [:]
    /// By index in the database.
    private var nodes: [Int: String] = [:]
    /// Devices to provision, and their fixed addresses.
    private var devices: [DeviceUUID: String] = [:]
    /// Nodes through which devices are provisioned.
    private var servers: [DeviceUUID: String] = [:]
    private var fixedAddresses: [UnicastAddress: String] = [:]
    private let network: MeshNetwork
    let models: ModelNames
    /// The models that are described, whose states are told in words.
    let known: KnownModels

    /// Only the names of the database, which has none for vendor models.
    init(network: MeshNetwork, models: ModelNames = ModelNames()) {
        self.network = network
        self.models = models
        known = .sig
    }

    init(desired: DesiredState, network: MeshNetwork) {
        self.network = network
        models = desired.modelNames
        known = desired.vendorModels.isEmpty ? .sig : KnownModels(desired.vendorModels)
        for key in desired.subnets { netKeys[key.index] = key.name.value }
        for key in desired.applicationKeys { appKeys[key.index] = key.name.value }
        for group in desired.groups { groups[group.group.address] = group.group.name }
        let serverUUIDs = Set(desired.nodes.lazy.compactMap { $0.order?.route.server })
        // By index, because a loop over the nodes would copy each of them.
        let desiredNodes = desired.nodes
        for index in desiredNodes.indices {
            let name = desiredNodes[index].name.value
            if !serverUUIDs.isEmpty, serverUUIDs.contains(desiredNodes[index].uuid(in: network)) {
                servers[desiredNodes[index].uuid(in: network)] = name
            }
            switch desiredNodes[index].origin {
            case .recorded(let position): nodes[position] = name
            case .device(let order, let device):
                devices[order.uuid] = name
                if let address = order.address { fixedAddresses[address] = name }
                // Its former addresses keep its name.
                if let position = device.replaced { nodes[position] = name }
            case .node: break
            }
        }
        // The device that takes its place has its name.
        for position in desired.substituted.keys {
            nodes[position] = "\(network.nodes[position].name) (\(network.nodes[position].unicastAddress))"
        }
    }

    /// The name of a node through which devices are provisioned.
    func node(_ server: DeviceUUID) -> String { servers[server] ?? server.description }

    mutating func name(_ name: String, at address: UnicastAddress) {
        fixedAddresses[address] = name
    }

    func model(_ identifier: ModelIdentifier) -> String { models.name(of: identifier) }

    /// What a node reported of a state of a model, in the words of definitions.
    func value(_ state: KnownModelState) -> String { state.form.text(of: state.status, in: known) }

    func netKey(_ index: NetKeyIndex) -> String {
        if let name = netKeys[index] { return name }
        let place = network.netKeys.firstPlace { $0.index >= index }
        guard place < network.netKeys.count, network.netKeys[place].index == index else { return "index \(index)" }
        return network.netKeys[place].name
    }

    func appKey(_ index: AppKeyIndex) -> String {
        if let name = appKeys[index] { return name }
        let place = network.appKeys.firstPlace { $0.index >= index }
        guard place < network.appKeys.count, network.appKeys[place].index == index else { return "index \(index)" }
        return network.appKeys[place].name
    }

    func group(_ address: SubscriptionAddress) -> String {
        if let name = groups[address] { return name }
        let index = network.groups.firstPlace { $0.address >= address }
        if index < network.groups.count, network.groups[index].address == address { return network.groups[index].name }
        switch address {
        case .group(let group): return group.fixedName ?? group.description
        case .virtual: return address.description
        case .unknownLabel: return "unknown label \(address)"
        }
    }

    /// The address of a node of the database.
    func recordedAddress(at position: Int) -> String { network.nodes[position].unicastAddress.description }

    /// The name of the owner of a 16-bit address.
    func address(_ address: Address) -> String {
        if let unicast = UnicastAddress(rawValue: address.rawValue) { return target(.unicast(unicast)) }
        if let group = GroupAddress(rawValue: address.rawValue) { return target(.group(group)) }
        let labels = groups.keys.sorted() + network.groups.map(\.address)
        for case .virtual(let label) in labels where label.virtualAddress == address { return target(.virtual(label)) }
        return address.description
    }

    func target(_ address: PublishAddress) -> String {
        switch address {
        case .group(let group): return self.group(.group(group))
        case .virtual(let label): return group(.virtual(label))
        case .unknownLabel(let virtual): return group(.unknownLabel(virtual))
        case .unicast(let unicast):
            if let name = fixedAddresses[unicast] { return name }
            guard let (position, element) = place(of: unicast) else { return unicast.description }
            return text(nodes[position] ?? network.nodes[position].name, element: element)
        }
    }

    func target(_ target: DesiredPublication.Target) -> String {
        switch target {
        case .address(let address): self.target(address)
        case .element(of: let uuid, let index): text(devices[uuid] ?? uuid.description, element: Int(index))
        }
    }

    private func text(_ node: String, element: Int) -> String { element == 0 ? node : "\(node)/\(element)" }

    /// The node and the element with the address; the nodes are sorted by address.
    private func place(of address: UnicastAddress) -> (position: Int, element: Int)? {
        let place = network.nodes.firstPlace { $0.unicastAddress > address }
        guard place > 0, network.nodes[place - 1].addresses.contains(address.rawValue) else { return nil }
        return (place - 1, Int(address.rawValue) - Int(network.nodes[place - 1].unicastAddress.rawValue))
    }
}
