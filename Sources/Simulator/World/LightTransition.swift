package import MeshCore

/// A lamp that is changing, or waits for the delay before it changes.
package struct LightTransition: Hashable, Sendable {
    package let uuid: DeviceUUID
    package let element: Int
    /// When the delay is over.
    package let begin: Instant
    /// When the lamp arrives.
    package let end: Instant
    /// The lightness with which it ends, 0 to 65535.
    package let target: Int64
}

extension SimulatedWorld {
    /// The transitions of lightness that are under way, in the order of ``nodeIdentifiers``.
    package var lightTransitions: [LightTransition] {
        nodes.flatMap { node -> [LightTransition] in
            let fades = node.models?.fades.filter { $0.key.item == .lightness } ?? [:]
            return fades.sorted { $0.key < $1.key }.map { key, fade in
                LightTransition(
                    uuid: node.state.uuid,
                    element: Int(key.element),
                    begin: fade.begin,
                    end: fade.end,
                    target: fade.value(at: fade.end)
                )
            }
        }
    }
}
