import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Scenes of definitions")
struct SceneReadingTests {
    private static func text(
        scenes: String = "presentation: 1, evening: 0x0002",
        lightness: String = "presentation: { lightness: 20% }, evening: { lightness: 80% }",
        server: String = "scene-server: { keys: [lighting] }"
    ) -> String {
        head + """
            subnets: { home: {} }
            application_keys: { lighting: { subnet: home } }
            scenes: { \(scenes) }
            nodes:
              lamp:
                uuid: \(uuid(1))
                elements:
                  0:
                    \(server)
                    light-lightness-server:
                      keys: [lighting]
                      scenes: { \(lightness) }

            """
    }

    @Test("Scenes have numbers, and models say what they do in them")
    func reading() throws {
        let (read, problems) = definitions(Self.text())
        #expect(problems == [])
        let definition = try #require(read.first)
        #expect(definition.scenes.map(\.name.value) == ["presentation", "evening"])
        #expect(definition.scenes.map(\.number.value) == [1, 2])
        let models = try #require(definition.nodes.first?.settings.elements[0]?.models)
        let scenes = models[1].scenes
        #expect(scenes.map(\.scene.value) == ["presentation", "evening"])
        #expect(
            scenes.map { $0.states.map { "\($0.value.path) \($0.value.text)" } } == [
                ["lightness 20%"], ["lightness 80%"],
            ]
        )
        // Light Lightness Set of 20 %, as a scene stores it: without a transition.
        #expect(scenes[0].states[0].value.state.setPayload == [0x82, 0x4C, 0x33, 0x33, 0x00])
    }

    @Test("What is read is written so that it reads the same")
    func roundTrip() throws {
        let definition = try #require(definitions(Self.text()).definitions.first)
        let written = DefinitionWriter.text(of: definition)
        let (again, problems) = definitions(written)
        #expect(problems == [], "\(written)")
        #expect(again.first.map { DefinitionWriter.text(of: $0) } == written)
        #expect(written.contains("presentation: { lightness: 20% }"), "\(written)")
    }

    @Test("Several documents share scenes; a number is given once")
    func merged() {
        let other = "version: 1\nnetwork: hq\nscenes: { night: 1 }\n"
        #expect(
            diagnose(Self.text(), other) == [
                "b.yaml:3:18: error: the number 1 of a scene is given twice [a.yaml:5:25: first here]"
            ]
        )
    }

    private static let mistakes: [(String, String)] = [
        (
            text(lightness: "presentatoin: { lightness: 20% }"),
            "a.yaml:14:21: error: there is no scene `presentatoin` (did you mean `presentation`? "
                + "declared: evening, presentation)"
        ),
        (
            text(lightness: "evening: { level: 3 }"),
            "a.yaml:14:32: error: light-lightness-server has no state `level` "
                + "(states of this model in scenes: lightness)"
        ),
        (
            text(lightness: "evening: { range: [5%, 10%] }"),
            "a.yaml:14:32: error: no scene holds the state `range` of light-lightness-server "
                + "(write it under `states:`)"
        ),
        (
            text(lightness: "evening: {}"),
            "a.yaml:14:21: error: the scene `evening` has no value here "
                + "(write for example `evening: { lightness: 50% }`)"
        ),
        (
            text(server: "generic-onoff-server: { keys: [lighting] }"),
            "a.yaml:14:21: error: no Scene Server of `lamp` can store the scene `presentation` here "
                + "(add `scene-server: { keys: [KEY] }` to element 0 or to one before it)"
        ),
        (
            text(scenes: "presentation: 0, evening: 2"),
            "a.yaml:5:25: error: `0` is out of range for the number of a scene (it can be 1 to 65535)"
        ),
        (
            text(scenes: "presentation: , evening: 2"),
            "a.yaml:5:11: error: the scene `presentation` has no number (nodes know scenes by number: presentation: 1)"
        ),
    ]

    @Test("Mistakes are shown where they are", arguments: mistakes)
    func mistake(_ text: String, _ problem: String) {
        let problems = diagnose(text)
        #expect(problems.contains(problem), "\(problems.joined(separator: "\n"))")
    }
}
