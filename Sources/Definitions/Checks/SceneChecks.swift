import DefinitionModel
import MeshCore

/// Checks scenes: names and numbers are given once, what models and schedules name exists, and the values of a scene
/// stand where a Scene Server of the definition can store them.
enum SceneChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let definition = network.definition
        var numbers = Uniqueness<UInt16>()
        for scene in definition.scenes {
            let resource = "scene.\(scene.name.value)"
            numbers.check(scene.number, resource: resource, into: &diagnostics) { "the number \($0) of a scene" }
        }
        for schedule in definition.schedules {
            guard case .recall(let name) = schedule.action.value else { continue }
            let scene = Located(name, at: schedule.action.location)
            let resource = "schedule.\(schedule.name.value)"
            diagnostics.checkReference(scene, to: .scenes, "scene", in: network, resource: resource)
        }
        checkModels(network, &diagnostics)
    }

    private static func checkModels(_ network: CheckedNetwork, _ diagnostics: inout DiagnosticCollector) {
        let definition = network.definition
        let nodes = definition.nodes
        // Most definitions have no scenes, and each look at a node costs something.
        guard
            definition.profiles.contains(where: { hasScenes($0.settings) })
                || nodes.indices.contains(where: { hasScenes(nodes[$0].settings) })
        else { return }
        for profile in definition.profiles {
            checkReferences(profile.settings, "profile.\(profile.name.value)", network, &diagnostics)
        }
        let profiles = definition.profiles.map { Parts(of: $0.settings) }
        var reported: Set<SourceLocation> = []
        // What a profile lacks is the same for all of its nodes whose first Scene Server is the same.
        var checked: Set<CheckedProfile> = []
        for node in nodes {
            let resource = "node.\(node.name.value)"
            checkReferences(node.settings, resource, network, &diagnostics)
            let profile = node.profile.flatMap { network.profiles[$0.value] }
            let own = Parts(of: node.settings)
            let server = [own.firstServer, profile.flatMap { profiles[$0].firstServer }].compactMap { $0 }.min()
            var scenes = own.scenes
            if let profile, checked.insert(CheckedProfile(profile: profile, server: server)).inserted {
                scenes += profiles[profile].scenes
            }
            for (element, scene) in scenes where server.map({ element < $0 }) ?? true {
                guard reported.insert(scene.location).inserted else { continue }
                diagnostics.report(
                    "no Scene Server of `\(node.name.value)` can store the scene \(quoted(scene.value)) here",
                    at: scene.location,
                    length: scene.value.utf8.count,
                    resource: resource,
                    hint: "add `scene-server: { keys: [KEY] }` to element \(element) or to one before it"
                )
            }
        }
    }

    private static func hasScenes(_ settings: NodeSettings) -> Bool {
        settings.elements.values.contains { element in
            element.models.indices.contains { !element.models[$0].scenes.isEmpty }
        }
    }

    /// Where scene servers and values of scenes stand.
    private struct Parts {
        /// The first element with a scene server; nil if there is none.
        var firstServer: UInt8?
        var scenes: [(element: UInt8, scene: Located<String>)] = []

        init(of settings: NodeSettings) {
            for (element, definition) in settings.elements {
                for index in definition.models.indices {
                    let model = definition.models[index].identifier.value
                    if model == .sceneServer || model == .sceneSetupServer {
                        firstServer = min(firstServer ?? element, element)
                    }
                    scenes += definition.models[index].scenes.map { (element, $0.scene) }
                }
            }
            scenes.sort { $0.scene.location < $1.scene.location }
        }
    }

    private struct CheckedProfile: Hashable {
        var profile: Int
        var server: UInt8?
    }

    private static func checkReferences(
        _ settings: NodeSettings,
        _ resource: @autoclosure () -> String,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        for element in settings.elements.keys.sorted() {
            guard let definition = settings.elements[element] else { continue }
            for index in definition.models.indices where !definition.models[index].scenes.isEmpty {
                for scene in definition.models[index].scenes {
                    diagnostics.checkReference(scene.scene, to: .scenes, "scene", in: network, resource: resource())
                }
            }
        }
    }
}
