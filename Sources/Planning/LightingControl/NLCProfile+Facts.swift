package import DefinitionModel
package import MeshCore

/// What is known of the profiles of Networked Lighting Control without their texts, which only members of the Bluetooth
/// SIG may use. So nothing here can say that a node fulfils a profile, only that something speaks against it.
extension NLCProfile {
    /// Where a fact comes from, in words that people can weigh.
    package enum Source: String, Sendable {
        /// Several independent sources agree.
        case sure = "certain"
        /// One stack demands it for these profiles.
        case oneStack = "one source: Nordic's option for these profiles"
        /// Sample products have it; it may not be a requirement.
        case samples = "as in sample products"
    }

    /// The models that sample products have on the elements of the profile.
    package var sampleModels: [ModelIdentifier] {
        let names: [String]
        switch self {
        case .blc: names = ["light-lightness-server", "light-lc-server"]
        case .als, .enm, .ocs: names = ["sensor-server"]
        case .bss: names = ["scene-client"]
        case .dic: names = ["generic-level-client"]
        case .hvi: names = ["sensor-client"]
        }
        return names.compactMap { ModelCatalogue.model(named: $0)?.identifier }
    }

    /// The properties, one of which the sensor of the profile measures; empty if it is no sensor.
    package var sensorProperties: [String] {
        switch self {
        case .als: ["present-ambient-light-level"]
        case .enm: ["precise-total-device-energy-use"]
        case .ocs: ["presence-detected", "motion-sensed", "people-count"]
        case .blc, .bss, .dic, .hvi: []
        }
    }
}

/// The room that a node with profiles of Networked Lighting Control promises, after one source: the option of Nordic's
/// stack for these profiles. The highest figure of several profiles counts.
package struct NLCMinima: Hashable, Sendable {
    /// The profiles, ascending.
    package let profiles: [NLCProfile]
    /// Sources in the replay protection list.
    package let replayList: Int
    /// Groups in each model's subscription list; nil if unknown.
    package let subscriptions: Int?
    package let appKeys = 3
    package let netKeys = 2

    /// What profiles promise; nil without any.
    package init?(_ profiles: [NLCProfile]) {
        guard !profiles.isEmpty else { return nil }
        self.profiles = profiles.sorted()
        let isLight = profiles.contains(.blc)
        replayList = isLight ? 255 : 32
        subscriptions = isLight ? 32 : nil
    }

    /// The profiles for people: `blc, ocs`.
    package var names: String { profiles.map(\.word).joined(separator: ", ") }

    /// The room in a list; nil if nothing is known.
    func room(in list: ListCapacity.List) -> Int? {
        switch list {
        case .netKeys: netKeys
        case .appKeys: appKeys
        case .subscriptions: subscriptions
        case .bindings: nil
        }
    }
}

extension Definition {
    /// The profiles of Networked Lighting Control that the node at an index is meant to fulfil: its own list, or that
    /// of its profile; nil if neither has one.
    package func lightingProfiles(ofNode index: Int) -> Located<[Located<NLCProfile>]>? {
        if let own = nodes[index].settings.lightingProfiles { return own }
        guard let name = nodes[index].profile?.value else { return nil }
        return profiles.first { $0.name.value == name }?.settings.lightingProfiles
    }

    /// The same for all nodes, with one look at each profile.
    func lightingProfilesOfNodes() -> [Located<[Located<NLCProfile>]>?] {
        var known: [String: Located<[Located<NLCProfile>]>] = [:]
        for profile in profiles { known[profile.name.value] = profile.settings.lightingProfiles }
        return nodes.map { $0.settings.lightingProfiles ?? $0.profile.flatMap { known[$0.value] } }
    }

    /// What the nodes promise, by their UUIDs.
    var lightingMinima: [DeviceUUID: NLCMinima] {
        guard hasLightingProfiles else { return [:] }
        var minima: [DeviceUUID: NLCMinima] = [:]
        for (node, profiles) in zip(nodes, lightingProfilesOfNodes()) {
            minima[node.uuid.value] = profiles.flatMap { NLCMinima($0.value.map(\.value)) }
        }
        return minima
    }

    /// Whether any node or profile names a profile of Networked Lighting Control.
    var hasLightingProfiles: Bool {
        profiles.contains { $0.settings.lightingProfiles != nil }
            || nodes.contains { $0.settings.lightingProfiles != nil }
    }
}
