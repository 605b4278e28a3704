import Catalogue
import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("Application models: light control")
struct LightControlTests {
    private static let site: [[UInt16]] = [LightModelTests.lamp, [0x130F, 0x1310, 0x1000]]

    /// A lamp whose controller is on.
    private func bench(mode: Int64 = 1, occupancy: Int64 = 1) throws -> ModelBench {
        let bench = try ModelBench(Self.site)
        try bench.ask("light-lc-om-set", ["mode": .integer(occupancy)], element: 1)
        try bench.ask("light-lc-mode-set", ["mode": .integer(mode)], element: 1)
        return bench
    }

    private func report(_ property: UInt16, _ value: [UInt8], to bench: ModelBench) throws {
        let reading = MarshalledSensorData(property: property, value: value)
        try bench.client.send(
            ModelBench.payload("sensor-status", ["readings": .sensorData([reading])]),
            to: .group(ModelBench.room),
            under: .application(ModelBench.key)
        )
    }

    private func lightness(_ bench: ModelBench) -> Int64? { bench.world.lights.first?.level }

    @Test("Occupancy takes the lamp through all phases, as in the time line of the facts")
    func timeLine() throws {
        let bench = try bench()
        let start = bench.world.now
        try report(0x004D, [1], to: bench)
        while lightness(bench) == 0, start.duration(to: bench.world.now) < .seconds(1) {
            try bench.client.wait(.milliseconds(5))
        }
        let begin = bench.world.now
        func at(_ seconds: Double) throws -> Int64? {
            try bench.client.wait(begin.duration(to: bench.world.now) * -1 + .milliseconds(Int64(seconds * 1_000)))
            return lightness(bench)
        }
        #expect((28_000...31_000).contains(try #require(try at(0.1))))
        #expect((45_500...47_500).contains(try #require(try at(0.25))))
        #expect(try at(0.6) == 65_535)
        #expect(try at(60.4) == 65_535)
        #expect((46_500...47_300).contains(try #require(try at(63))))
        #expect(try at(66) == 10_000)
        #expect(try at(95.4) == 10_000)
        #expect((6_900...7_300).contains(try #require(try at(98))))
        #expect(try at(101) == 0)
    }

    @Test("Occupancy switches on only with Occupancy Mode 1, and never with the controller off")
    func occupancyMode() throws {
        for (mode, occupancy) in [(Int64(1), Int64(0)), (0, 1)] {
            let bench = try bench(mode: mode, occupancy: occupancy)
            try report(0x0042, [100], to: bench)
            try bench.client.wait(.seconds(2))
            #expect(lightness(bench) == 0)
        }
    }

    @Test(
        "Light OnOff switches the controller, its status tells the phase, and the Generic OnOff beside it is the same"
    )
    func lightOnOff() throws {
        let bench = try bench()
        #expect(try bench.ask("light-lc-light-onoff-get", element: 1) == ["onoff": 0])
        let on = try bench.ask("light-lc-light-onoff-set", ["onoff": 1, "transition": 0x14, "delay": 0], element: 1)
        #expect(on == ["onoff": 1, "target_onoff": 1, "remaining": 0x14])
        try bench.client.wait(.seconds(3))
        #expect(try bench.ask("generic-onoff-get", element: 1) == ["onoff": 1])
        #expect(lightness(bench) == 65_535)
        let off = try bench.ask("generic-onoff-set", ["onoff": 0, "transition": 0x0A, "delay": 0], element: 1)
        #expect(off == ["onoff": 1, "target_onoff": 0, "remaining": 0x0A])
        try bench.client.wait(.seconds(2))
        #expect(try bench.ask("light-lc-light-onoff-get", element: 1) == ["onoff": 0])
        #expect(lightness(bench) == 0)
    }

    @Test("A direct command takes the lamp away from the controller")
    func override() throws {
        let bench = try bench()
        try bench.ask("generic-onoff-set", ["onoff": 1], element: 1)
        #expect(try bench.ask("light-lc-mode-get", element: 1) == ["mode": 1])
        try bench.ask("light-lightness-set", ["lightness": 500])
        #expect(try bench.ask("light-lc-mode-get", element: 1) == ["mode": 0])
        try bench.client.wait(.seconds(120))
        #expect(lightness(bench) == 500)
    }

    @Test("Properties are told and set; what is no value of theirs is ignored")
    func properties() throws {
        let bench = try bench()
        let run: FieldValues = ["property": 0x003C]
        #expect(try bench.ask("light-lc-property-get", run, element: 1)?.octets("value") == [0x60, 0xEA, 0])
        let set: FieldValues = ["property": 0x003C, "value": .octets([0xE8, 3, 0])]
        #expect(try bench.ask("light-lc-property-set", set, element: 1) == set)
        #expect(try bench.ask("light-lc-property-get", ["property": 0x1234], element: 1) == nil)
        for wrong: FieldValues in [
            ["property": 0x003C, "value": .octets([1])], ["property": 0x0032, "value": .octets([0, 0, 0xC0, 0x7F])],
        ] {
            #expect(try bench.ask("light-lc-property-set", wrong, element: 1) == nil)
        }
        // One second of Run, as set.
        try bench.ask("generic-onoff-set", ["onoff": 1], element: 1)
        try bench.client.wait(.seconds(4))
        #expect(try #require(lightness(bench)) < 60_000)
    }

    @Test("An occupancy delay lets the light wait")
    func occupancyDelay() throws {
        let bench = try bench()
        let delay: FieldValues = ["property": 0x003A, "value": .octets([0x88, 0x13, 0])]
        try bench.ask("light-lc-property-set", delay, element: 1)
        try report(0x004D, [1], to: bench)
        try bench.client.wait(.seconds(4))
        #expect(lightness(bench) == 0)
        try bench.client.wait(.seconds(3))
        #expect(lightness(bench) == 65_535)
    }

    @Test("The regulator computes the worked example")
    func regulator() {
        let settings = LightRegulator.Settings(accuracy: 2, kid: 25, kiu: 250, kpd: 80, kpu: 80)
        var regulator = LightRegulator()
        let outputs = [300.0, 400, 480, 496, 520, 600].map { regulator.step(target: 500, ambient: $0, settings) }
        #expect(outputs == [20_475, 14_850, 8_825, 7_625, 6_387, 0])
    }

    @Test("A dark room is lit by the regulator, and a bright one is not")
    func ambientLight() throws {
        let bench = try bench()
        // The phase alone gives nothing, so all light is the regulator's.
        for property: Int64 in [0x2E, 0x2F] {
            let set: FieldValues = ["property": .integer(property), "value": .octets([0, 0])]
            try bench.ask("light-lc-property-set", set, element: 1)
        }
        try bench.ask("generic-onoff-set", ["onoff": 1], element: 1)
        try bench.client.wait(.seconds(1))
        #expect(lightness(bench) == 0)
        let seen = bench.client.messages.count
        try report(0x004E, [0x30, 0x75, 0], to: bench)
        try bench.client.wait(.seconds(1))
        #expect(try #require(lightness(bench)) > 30_000)
        try report(0x004E, [0x60, 0xEA, 0], to: bench)
        try bench.client.wait(.seconds(25))
        #expect(lightness(bench) == 0)
        #expect(bench.client.messages.count == seen, "what a regulator does is not told")
    }
}
