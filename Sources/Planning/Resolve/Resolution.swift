import DefinitionModel
import MeshCore

/// What is desired of a network: the first stage of a plan.
struct Resolution {
    /// What should be. For a plan that destroys, nothing is left of it but what the network cannot do without.
    let definition: Definition
    /// The same with names bound to addresses and indexes.
    let desired: DesiredState
    /// What people call keys, groups and nodes.
    let names: ResourceNames
    /// The nodes that the plan is limited to, nil for all.
    let selected: Set<DeviceUUID>?
    /// The nodes of the definition that wait for a device; nothing is sent for them.
    let places: Set<DeviceUUID>
    let scope: PlanScope?
    let purpose: Plan.Purpose
    /// Whether nodes that leave are reset, whatever the definition said about them.
    let resets: Bool
    /// How many nodes the definition still has that the plan is made without.
    let removed: Int
    /// Keys that nodes have and the database does not know.
    let unknownKeys: UnknownKeys
    /// What is wrong with the definition, or worth knowing.
    let diagnostics: CountedDiagnostics

    init(of whole: Definition, against network: MeshNetwork, options: PlannerOptions) {
        var diagnostics = CountedDiagnostics()
        var desired = Resolver.resolve(whole, against: network, diagnostics: &diagnostics)
        if options.purpose == .converge {
            DefinitionChecks.report(whole, desired, in: network, to: &diagnostics)
            NLCDiagnostics.report(whole, desired, in: network, to: &diagnostics)
        }
        let selected = options.selection.selected(definition: whole, desired: desired, network: network)
        var definition = whole
        if let removal = options.removal {
            let before = desired
            definition = whole.removing(removal.nodes(of: whole))
            diagnostics = CountedDiagnostics()
            desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
            desired.leaveGroups(emptiedSince: before)
        }
        if options.purpose == .destroy {
            definition.removeAll(but: network.netKeys.filter { $0.index == .primary || $0.phase != .normal })
            diagnostics = CountedDiagnostics()
            desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        }
        var scope: PlanScope?
        if selected != nil {
            scope = PlanScope(options: [], changesLeftOut: desired.keepAll())
        }
        places = Set(definition.nodes.lazy.filter(\.awaitsDevice).map(\.uuid.value))
        unknownKeys = UnknownKeys(network)
        names = ResourceNames(desired: desired, network: network)
        desired.reportRemadeKeys(unknownKeys, network, to: &diagnostics)
        self.definition = definition
        self.desired = desired
        self.selected = selected
        self.scope = scope
        purpose = options.purpose
        resets = options.removal?.resets ?? false
        removed = whole.nodes.count - definition.nodes.count
        self.diagnostics = diagnostics
    }
}
