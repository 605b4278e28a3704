import Catalogue
import MeshCore

// Scenes (Mesh Model 5.1.3). A scene holds the states of its element and of those behind it, up to the next element
// with a Scene Server.

/// A recall under way.
struct SceneRecall: Hashable, Sendable {
    let scene: Int64
    let end: Instant
}

extension ModelMachine {
    /// How many scenes an element can hold.
    private static let registerSize = 16

    /// The elements whose states a scene server stores.
    private func reach(of server: Int) -> Range<Int> {
        server..<(neighbour(of: server, with: .sceneServer) ?? elements.count)
    }

    /// The states that a scene holds: of each element what its models are bound to.
    private func sceneKeys(of server: Int) -> [StateKey] {
        reach(of: server).flatMap { element -> [StateKey] in
            var items: [StateItem] = []
            if let output = output(of: element) {
                items.append(output)
            } else {
                if has(.onOffServer, element), !has(.lightControlServer, element) { items.append(.onOff) }
                if has(.levelServer, element), levelItem(of: element) == .level { items.append(.level) }
            }
            if has(.ctlTemperatureServer, element) { items += [.temperature, .deltaUV] }
            if has(.hslHueServer, element) { items.append(.hue) }
            if has(.hslSaturationServer, element) { items.append(.saturation) }
            if has(.xylServer, element) { items += [.chromaticityX, .chromaticityY] }
            if has(.lightControlServer, element) { items += [.occupancyMode, .controlMode, .controlLight] }
            return items.map { StateKey(element, $0) }
        }
    }

    /// A state has changed that scenes hold: no scene is current any more.
    mutating func sceneChanges(_ element: Int) {
        guard !isRecalling, let server = elements.indices.prefix(element + 1).last(where: { has(.sceneServer, $0) })
        else { return }
        models.recalls[server] = nil
        if self[.currentScene, server] != 0 { self[.currentScene, server] = 0 }
    }

    /// The scenes of an element, sorted.
    private func scenes(of server: Int) -> [Int64] {
        models.stored.octets.keys.filter { Int($0.element) == server && $0.item == .scene }
            .map { Int64($0.index) }.sorted()
    }

    private func key(_ scene: Int64, _ server: Int) -> StateKey {
        StateKey(server, .scene, index: UInt16(truncatingIfNeeded: scene))
    }

    private mutating func store(_ request: ModelRequest) {
        guard let scene = request.values.integer("scene") else { return }
        let server = request.element
        let key = key(scene, server)
        guard models.stored.octets[key] != nil || scenes(of: server).count < Self.registerSize else {
            result = 1
            return
        }
        var values = StoredModels()
        for key in sceneKeys(of: server) {
            let element = Int(key.element)
            // The light of a controller follows from its phase.
            values.numbers[key] =
                key.item == .controlLight
                ? (controller(element).light.target ?? controller(element).light.present ? 1 : 0)
                : self[key.item, element]
        }
        var writer = ByteWriter()
        writer.write(values)
        models.stored.octets[key] = writer.bytes
        models.recalls[server] = nil
        self[.currentScene, server] = scene
    }

    private mutating func delete(_ request: ModelRequest) {
        guard let scene = request.values.integer("scene") else { return }
        let server = request.element
        models.stored.octets[key(scene, server)] = nil
        if self[.currentScene, server] == scene { self[.currentScene, server] = 0 }
        if models.recalls[server]?.scene == scene { models.recalls[server] = nil }
    }

    /// Brings back the states of a scene.
    mutating func recall(_ scene: Int64, _ server: Int, _ timing: FadeTiming) {
        guard let octets = models.stored.octets[key(scene, server)] else {
            result = 2
            return
        }
        if self[.currentScene, server] == scene, models.recalls[server] == nil { return }
        var reader = ByteReader(octets)
        guard let values = try? reader.readStoredModels() else { return }
        isRecalling = true
        defer { isRecalling = false }
        for (key, value) in values.numbers.sorted(by: { $0.key < $1.key }) where !key.item.isOfController {
            move(key.item, Int(key.element), to: value, timing)
        }
        // A lamp that was moved is free of its controller; the scene may bring it back.
        for (key, value) in values.numbers where key.item == .occupancyMode {
            self[.occupancyMode, Int(key.element)] = value
        }
        for (key, value) in values.numbers where key.item == .controlMode {
            let element = Int(key.element)
            control(element, value == 1 ? .modeOn : .modeOff)
            self[.controlMode, element] = value
            if value == 1, values.numbers[StateKey(element, .controlLight)] == 1 { control(element, .lightOn) }
        }
        let end = now.advanced(by: timing.delay + timing.transition)
        if end > now {
            models.recalls[server] = SceneRecall(scene: scene, end: end)
            self[.currentScene, server] = 0
        } else {
            models.recalls[server] = nil
            self[.currentScene, server] = scene
        }
    }

    /// Ends the recalls that are over.
    mutating func advanceScenes() {
        for (server, recall) in models.recalls.sorted(by: { $0.key < $1.key }) where recall.end <= now {
            models.recalls[server] = nil
            self[.currentScene, server] = recall.scene
        }
    }

    static let sceneActions: [(String, Action)] = [
        ("scene-store", Action { $0.store($1) }),
        ("scene-delete", Action { $0.delete($1) }),
        (
            "scene-recall",
            Action { machine, request in
                guard let scene = request.values.integer("scene") else { return }
                machine.recall(scene, request.element, machine.timing(of: request))
            }
        ),
    ]

    static let sceneStatuses: [(String, Status)] = [
        (
            "scene-status",
            { machine, element, _ in
                var values: FieldValues = [
                    "status": .integer(machine.result), "scene": .integer(machine[.currentScene, element]),
                ]
                if let recall = machine.models.recalls[element] {
                    values["target_scene"] = .integer(recall.scene)
                    let rest = machine.now.duration(to: max(recall.end, machine.now))
                    values["remaining"] = .integer(TransitionOctet.octet(rest))
                }
                return values
            }
        ),
        (
            "scene-register-status",
            { machine, element, _ in
                [
                    "status": .integer(machine.result), "scene": .integer(machine[.currentScene, element]),
                    "scenes": .integers(machine.scenes(of: element)),
                ]
            }
        ),
    ]
}
