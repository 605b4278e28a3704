import DefinitionModel
import MeshCore

/// The settings that nodes start from: their profiles over the defaults that apply to them. They are merged once for
/// all nodes with the same profile and defaults.
struct SettingsBases {
    private struct Key: Hashable {
        var profile: Int?
        var selected: [Int]
    }

    private let defaults: [SettingsTemplate]
    private let profiles: [SettingsTemplate]
    private let selection: DefaultsSelection
    private var bases: [Key: SettingsTemplate] = [:]

    init(defaults: [SettingsTemplate], profiles: [SettingsTemplate], selection: DefaultsSelection) {
        self.defaults = defaults
        self.profiles = profiles
        self.selection = selection
    }

    /// What the node at an index starts from; nil if nothing.
    mutating func base(of node: Int, profile: Int?) -> SettingsTemplate? {
        if defaults.isEmpty { return profile.map { profiles[$0] } }
        let key = Key(profile: profile, selected: selection.selected(node))
        if let known = bases[key] { return known }
        let layers = (selection.general + key.selected).map { defaults[$0] } + (profile.map { [profiles[$0]] } ?? [])
        guard var base = layers.first else { return nil }
        for layer in layers.dropFirst() { base = layer.merged(over: base) }
        bases[key] = base
        return base
    }
}
