package import MeshCore

extension ModelIdentifier {
    /// Scene Server (Mesh Model 5.3.2).
    package static let sceneServer = ModelIdentifier.sig(0x1203)
    /// Scene Setup Server (Mesh Model 5.3.3).
    package static let sceneSetupServer = ModelIdentifier.sig(0x1204)
    /// Light LC Server (Mesh Model 6.5.1).
    package static let lightControlServer = ModelIdentifier.sig(0x130F)
    /// Scheduler Server (Mesh Model 5.3.4).
    package static let schedulerServer = ModelIdentifier.sig(0x1206)
    /// Scheduler Setup Server (Mesh Model 5.3.5).
    package static let schedulerSetupServer = ModelIdentifier.sig(0x1207)
    /// Time Server (Mesh Model 5.3.1).
    package static let timeServer = ModelIdentifier.sig(0x1200)
    /// Time Setup Server (Mesh Model 5.3.1.2).
    package static let timeSetupServer = ModelIdentifier.sig(0x1201)
}

/// A scene as its YAML declares it: a name for a number. What it is, is said under the models.
package struct SceneDefinition: Hashable, Sendable {
    package var name: Located<String>
    /// Its number in the registers of all nodes, 1 to 65535 (Mesh Model 5.1.3.2).
    package var number: Located<UInt16>

    package init(name: Located<String>, number: Located<UInt16>) {
        self.name = name
        self.number = number
    }
}

/// The values that states of one model have in a scene.
package struct SceneSettings: Hashable, Sendable {
    package var scene: Located<String>
    /// The states, each once, in reading order. The location of each is that of its value.
    package var states: [Located<ModelStateSetting>]

    package init(scene: Located<String>, states: [Located<ModelStateSetting>]) {
        self.scene = scene
        self.states = states
    }
}
