import DefinitionModel
import MeshCore

/// The provisioning settings of a definition's devices: those of the device, over those of its profile, over the
/// defaults.
struct DeclaredProvisioning {
    private let definition: Definition
    private let defaults: DefaultsSelection
    private let profiles: [String: ProvisioningSettings]

    /// Reads the settings of a definition.
    ///
    /// - Parameter defaults: which defaults apply to which nodes.
    init(_ definition: Definition, _ defaults: DefaultsSelection) {
        self.definition = definition
        self.defaults = defaults
        let pairs = definition.profiles.compactMap { profile in profile.provisioning.map { (profile.name.value, $0) } }
        profiles = Dictionary(pairs) { first, _ in first }
    }

    /// The settings of the node at that index of the definition; nil if there are none.
    func settings(of number: Int) -> ProvisioningSettings? {
        // Field by field, because a copy of the node takes longer than all the rest.
        let profile = profiles.isEmpty ? nil : definition.nodes[number].profile.flatMap { profiles[$0.value] }
        let own = ProvisioningSettings.merged(definition.nodes[number].provisioning, over: profile)
        return ProvisioningSettings.merged(own, over: defaults.provisioning(of: number, in: definition))
    }

    func fill(_ order: inout ProvisioningOrder, _ settings: ProvisioningSettings?) {
        order.assurance = definition.provisioning?.requirement?.value ?? .nothing
        guard let settings else { return }
        order.method = settings.method?.value
        order.staticValue = settings.staticValue?.value
        order.publicKeyFile = settings.publicKeyFile?.value
        order.algorithm = settings.algorithm?.value
        order.attention = settings.attention?.value ?? 0
    }
}
