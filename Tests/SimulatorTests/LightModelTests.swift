import Catalogue
import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("Application models: lights")
struct LightModelTests {
    static let lamp: [UInt16] = [0x1000, 0x1002, 0x1004, 0x1006, 0x1007, 0x1300, 0x1301]
    private static let colourLamp: [[UInt16]] = [
        lamp + [0x1303, 0x1304, 0x1307, 0x1308, 0x130C, 0x130D], [0x1306, 0x1002], [0x130A, 0x1002], [0x130B, 0x1002],
    ]

    @Test("Lightness is one state with OnOff, Level and Linear")
    func bindings() throws {
        let bench = try ModelBench([Self.lamp])
        #expect(try bench.ask("light-lightness-set", ["lightness": 32_768]) == ["lightness": 32_768])
        #expect(try bench.ask("light-lightness-linear-get") == ["lightness": 16_385])
        #expect(try bench.ask("generic-level-get") == ["level": 0])
        #expect(try bench.ask("generic-onoff-get") == ["onoff": 1])
        #expect(try bench.ask("generic-level-set", ["level": -32_768]) == ["level": -32_768])
        #expect(try bench.ask("generic-onoff-get") == ["onoff": 0])
        #expect(try bench.ask("light-lightness-last-get") == ["lightness": 32_768])
        #expect(try bench.ask("generic-onoff-set", ["onoff": 1]) == ["onoff": 1])
        #expect(try bench.ask("light-lightness-get") == ["lightness": 32_768])
    }

    @Test(
        "Linear values are those of the facts",
        arguments: [(0, 0), (65_535, 65_535), (16_385, 32_768), (24_415, 40_000), (1, 255), (100, 2_559)]
    )
    func linear(linear: Int64, actual: Int64) throws {
        let bench = try ModelBench([Self.lamp])
        try bench.ask("light-lightness-linear-set", ["lightness": .integer(linear)])
        #expect(try bench.number("light-lightness-get", "lightness") == actual)
    }

    @Test("Default goes before Last, and both are moved into the range")
    func onValues() throws {
        let bench = try ModelBench([Self.lamp])
        try bench.ask("light-lightness-range-set", ["minimum": 1_000, "maximum": 20_000])
        try bench.ask("generic-onoff-set", ["onoff": 1])
        #expect(try bench.number("light-lightness-get", "lightness") == 20_000, "Last is 65535 at first")
        try bench.ask("light-lightness-default-set", ["lightness": 500])
        try bench.ask("generic-onoff-set", ["onoff": 1])
        #expect(try bench.number("light-lightness-get", "lightness") == 1_000)
        #expect(try bench.number("light-lightness-set", "lightness", ["lightness": 0]) == 0)
    }

    @Test("A range is told with a status; 0 is refused, and a minimum above the maximum ignored")
    func range() throws {
        let bench = try ModelBench([Self.lamp])
        try bench.ask("light-lightness-set", ["lightness": 500])
        let set: FieldValues = ["minimum": 1_000, "maximum": 20_000]
        #expect(try bench.ask("light-lightness-range-set", set) == ["status": 0, "minimum": 1_000, "maximum": 20_000])
        #expect(try bench.number("light-lightness-get", "lightness") == 500, "what is outside stays")
        #expect(
            try bench.ask("light-lightness-range-set", ["minimum": 0, "maximum": 30_000])
                == ["status": 1, "minimum": 1_000, "maximum": 30_000]
        )
        #expect(
            try bench.ask("light-lightness-range-set", ["minimum": 2_000, "maximum": 0])
                == ["status": 2, "minimum": 2_000, "maximum": 30_000]
        )
        #expect(try bench.ask("light-lightness-range-set", ["minimum": 9, "maximum": 8]) == nil)
        #expect(
            try bench.ask("light-lightness-range-get") == ["status": 0, "minimum": 2_000, "maximum": 30_000]
        )
    }

    @Test("Switching on with a transition goes to Last as in the worked example")
    func onWithTransition() throws {
        let bench = try ModelBench([Self.lamp])
        try bench.ask("light-lightness-set", ["lightness": 40_000])
        try bench.ask("generic-onoff-set", ["onoff": 0])
        let values: FieldValues = ["onoff": 1, "transition": 0x32, "delay": 0]
        #expect(try bench.ask("generic-onoff-set", values) == ["onoff": 1, "target_onoff": 1, "remaining": 0x32])
        try bench.client.wait(.milliseconds(1_880))
        let halfway = try #require(try bench.ask("light-lightness-get"))
        #expect((18_500...21_500).contains(try #require(halfway.integer("lightness"))))
        #expect(halfway.integer("target_lightness") == 40_000)
        try bench.client.wait(.seconds(3))
        #expect(try bench.ask("light-lightness-get") == ["lightness": 40_000])
        #expect(
            try bench.ask("generic-onoff-set", ["onoff": 0, "transition": 0x32, "delay": 0])
                == ["onoff": 1, "target_onoff": 0, "remaining": 0x32]
        )
    }

    @Test("A move down ends at the range minimum, one up begins there")
    func move() throws {
        let bench = try ModelBench([Self.lamp])
        try bench.ask("light-lightness-range-set", ["minimum": 100, "maximum": 65_535])
        try bench.ask("light-lightness-set", ["lightness": 32_768])
        let down = try bench.ask("generic-move-set", ["delta": -6_554, "transition": 0x0A, "delay": 0])
        #expect(down?.integer("target_level") == 100 - 32_768)
        #expect(down?.integer("remaining") == 0x32, "4984 ms are nearest to 5 s")
        try bench.client.wait(.milliseconds(5_200))
        #expect(try bench.ask("light-lightness-get") == ["lightness": 100])
        try bench.ask("light-lightness-set", ["lightness": 0])
        #expect(try bench.ask("generic-move-set", ["delta": -500, "transition": 0x0A, "delay": 0])?.names == ["level"])
        try bench.ask("generic-move-set", ["delta": 20_000, "transition": 0x0A, "delay": 0])
        try bench.client.wait(.seconds(4))
        #expect(try bench.ask("light-lightness-get") == ["lightness": 65_535])
    }

    @Test("Dimming to off by deltas leaves the level from before as Last")
    func deltaToOff() throws {
        let bench = try ModelBench([Self.lamp])
        try bench.ask("light-lightness-set", ["lightness": 30_000])
        for delta: Int64 in [-10_000, -20_000, -40_000] {
            try bench.ask("generic-delta-set", ["delta": .integer(delta), "tid": 77])
        }
        #expect(try bench.ask("light-lightness-get") == ["lightness": 0])
        #expect(try bench.ask("light-lightness-last-get") == ["lightness": 30_000])
    }

    @Test("What is bound is published through its own models")
    func boundPublications() throws {
        let bench = try ModelBench([Self.lamp]) { node in
            for model: UInt16 in [0x1000, 0x1002, 0x1300] { ModelBench.publish(model)(&node) }
        }
        let seen = bench.client.messages.count
        try bench.send("light-lightness-set-unacknowledged", ["lightness": 65_535], to: .group(ModelBench.room))
        let names = try bench.published(since: seen).map(\.text).sorted()
        #expect(
            names == [
                "generic-level-status level=32767", "generic-onoff-status onoff=on",
                "light-lightness-status lightness=100 %",
            ]
        )
    }

    @Test("CTL drives lightness and the temperature of a later element, which is also its level")
    func ctl() throws {
        let bench = try ModelBench(Self.colourLamp)
        let set: FieldValues = ["lightness": 1_000, "temperature": 4_000, "delta_uv": 12]
        #expect(try bench.ask("light-ctl-set", set) == ["lightness": 1_000, "temperature": 4_000])
        #expect(try bench.ask("light-ctl-temperature-get", element: 1) == ["temperature": 4_000, "delta_uv": 12])
        let level = try #require(try bench.number("generic-level-get", "level", element: 1))
        #expect([-21_846, -21_845].contains(level))
        let range: FieldValues = ["minimum": 2_700, "maximum": 6_500]
        #expect(try bench.number("light-ctl-temperature-range-set", "status", range) == 0)
        #expect(try bench.number("generic-level-get", "level", element: 1) == -10_348)
        try bench.ask("generic-level-set", ["level": 32_767], element: 1)
        #expect(try bench.number("light-ctl-temperature-get", "temperature", element: 1) == 6_500)
        #expect(
            try bench.number("light-ctl-set", "temperature", ["lightness": 1, "temperature": 1_000, "delta_uv": 0])
                == 2_700
        )
        #expect(try bench.number("light-ctl-temperature-range-set", "status", ["minimum": 700, "maximum": 6_500]) == 1)
        #expect(
            try bench.number("light-ctl-temperature-range-set", "status", ["minimum": 900, "maximum": 0xFFFF]) == 2
        )
        let fading = try bench.ask(
            "light-ctl-set",
            ["lightness": 1, "temperature": 5_000, "delta_uv": 0, "transition": 0x0A, "delay": 0]
        )
        #expect(fading?.integer("target_temperature") == 5_000 && fading?.integer("remaining") == 0x0A)
        let standard: FieldValues = ["lightness": 9, "temperature": 3_000, "delta_uv": -1]
        #expect(try bench.ask("light-ctl-default-set", standard) == standard)
    }

    @Test("HSL spans three elements, and a hue goes the shorter way round")
    func hsl() throws {
        let bench = try ModelBench(Self.colourLamp)
        let set: FieldValues = ["lightness": 1_000, "hue": 60_000, "saturation": 500]
        #expect(try bench.ask("light-hsl-set", set) == set)
        #expect(try bench.ask("light-hsl-hue-get", element: 2) == ["hue": 60_000])
        #expect(try bench.ask("generic-level-get", element: 3) == ["level": -32_268])
        try bench.ask("light-hsl-hue-set", ["hue": 1_000, "transition": 0x14, "delay": 0], element: 2)
        try bench.client.wait(.milliseconds(400))
        let halfway = try #require(try bench.number("light-hsl-hue-get", "hue", element: 2))
        #expect(halfway > 60_000 || halfway < 1_000)
        let target = try #require(try bench.ask("light-hsl-target-get"))
        #expect(target.integer("target_hue") == 1_000)
        try bench.client.wait(.seconds(2))
        let range: FieldValues = [
            "hue_minimum": 50_000, "hue_maximum": 10_000, "saturation_minimum": 5, "saturation_maximum": 400,
        ]
        #expect(try bench.number("light-hsl-range-set", "status", range) == 0)
        #expect(try bench.number("light-hsl-hue-set", "hue", ["hue": 12_000], element: 2) == 10_000)
        #expect(try bench.number("light-hsl-hue-set", "hue", ["hue": 45_000], element: 2) == 50_000)
        #expect(try bench.number("light-hsl-saturation-set", "saturation", ["saturation": 900], element: 3) == 400)
        var wrong = range
        wrong["saturation_minimum"] = 401
        #expect(try bench.ask("light-hsl-range-set", wrong) == nil)
    }

    @Test("xyL keeps its chromaticity in its range and shares lightness")
    func xyl() throws {
        let bench = try ModelBench(Self.colourLamp)
        let range: FieldValues = ["x_minimum": 10, "x_maximum": 20, "y_minimum": 0, "y_maximum": 65_535]
        #expect(try bench.number("light-xyl-range-set", "status", range) == 0)
        let set: FieldValues = ["lightness": 7, "x": 30, "y": 40]
        #expect(try bench.ask("light-xyl-set", set) == ["lightness": 7, "x": 20, "y": 40])
        #expect(try bench.number("light-lightness-get", "lightness") == 7)
        let standard: FieldValues = ["lightness": 1, "x": 2, "y": 3]
        #expect(try bench.ask("light-xyl-default-set", standard) == standard)
        #expect(try bench.number("light-lightness-default-get", "lightness") == 1)
    }

    @Test("What models hold survives the end of the simulator, and a reset forgets it")
    func stateFile() throws {
        let first = try ModelBench([Self.lamp])
        try first.ask("light-lightness-set", ["lightness": 12_345, "transition": 0x4A, "delay": 0])
        let bytes = StateFile.header + first.recorded.records.flatMap(StateFile.encode)
        let (state, whole) = try StateFile.decode(bytes)
        #expect(whole == bytes.count && state == first.recorded)
        let second = try ModelBench([Self.lamp], state: state)
        #expect(try second.ask("light-lightness-get") == ["lightness": 12_345], "a transition has ended meanwhile")
        second.world.factoryReset(second.node.uuid)
        #expect(second.recorded.models.isEmpty)
    }

    @Test("Reading costs a node nothing")
    func lazy() throws {
        let bench = try ModelBench([Self.lamp])
        try bench.ask("light-lightness-get")
        try bench.ask("generic-onoff-get")
        #expect(bench.recorded.models.isEmpty)
    }

    @Test("Every message of these models that reads is answered, and every one that sets too")
    func complete() throws {
        let bench = try ModelBench(Self.colourLamp + [[0x1000, 0x1002, 0x1004, 0x1006, 0x1007, 0x1009, 0x100A]])
        for (element, models) in bench.node.elements.enumerated() {
            for model in models.models.map(\.identifier) where model.model >= 0x1000 {
                for message in MessageCatalogue.sig.messages(of: model) where message.answer != nil {
                    guard message.servers.contains(model), message.fields.isEmpty else { continue }
                    #expect(try bench.ask(message.name, element: element) != nil, "\(message.name)")
                }
            }
        }
        #expect(bench.world.violations == [])
    }
}
