import Catalogue
import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("Application models: scenes, time and schedules")
struct SceneModelTests {
    private static let site: [[UInt16]] = [
        LightModelTests.lamp + [0x1303, 0x1304, 0x1203, 0x1204, 0x1200, 0x1201, 0x1206, 0x1207], [0x1306, 0x1002],
        [0x1000],
    ]

    @Test("A scene brings back all states of its elements, and any later change makes it not current")
    func recall() throws {
        let bench = try ModelBench(Self.site)
        try bench.ask("light-ctl-set", ["lightness": 5_000, "temperature": 3_000, "delta_uv": 0])
        try bench.ask("generic-onoff-set", ["onoff": 1], element: 2)
        #expect(
            try bench.ask("scene-store", ["scene": 7]) == ["status": 0, "scene": 7, "scenes": .integers([7])]
        )
        try bench.ask("generic-onoff-set", ["onoff": 0])
        #expect(try bench.ask("scene-get") == ["status": 0, "scene": 0])
        try bench.ask("light-ctl-temperature-set", ["temperature": 6_000, "delta_uv": 0], element: 1)
        try bench.ask("generic-onoff-set", ["onoff": 0], element: 2)
        let during = try bench.ask("scene-recall", ["scene": 7, "transition": 0x14, "delay": 0])
        #expect(during == ["status": 0, "scene": 0, "target_scene": 7, "remaining": 0x14])
        try bench.client.wait(.seconds(3))
        #expect(try bench.ask("scene-get") == ["status": 0, "scene": 7])
        #expect(try bench.ask("light-ctl-get") == ["lightness": 5_000, "temperature": 3_000])
        #expect(try bench.ask("generic-onoff-get", element: 2) == ["onoff": 1])
        #expect(try bench.number("scene-recall", "status", ["scene": 8]) == 2)
    }

    @Test("The register holds sixteen scenes, sorted, and forgets those that are deleted, with the current one")
    func register() throws {
        let bench = try ModelBench(Self.site)
        for scene in 1...16 {
            #expect(try bench.number("scene-store", "status", ["scene": .integer(Int64(scene))]) == 0)
        }
        #expect(try bench.number("scene-store", "status", ["scene": 17]) == 1)
        #expect(try bench.number("scene-store", "status", ["scene": 16]) == 0, "a stored one is replaced")
        let status = try bench.ask("scene-delete", ["scene": 16])
        #expect(status == ["status": 0, "scene": 0, "scenes": .integers(Array(1...15))])
        #expect(try bench.ask("scene-delete", ["scene": 99])?.integer("status") == 0)
    }

    @Test("Scenes survive the end of the simulator")
    func stored() throws {
        let first = try ModelBench(Self.site)
        try first.ask("light-lightness-set", ["lightness": 321])
        try first.ask("scene-store", ["scene": 3])
        try first.ask("light-lightness-set", ["lightness": 0])
        let bytes = StateFile.header + first.recorded.records.flatMap(StateFile.encode)
        let second = try ModelBench(Self.site, state: try StateFile.decode(bytes).state)
        #expect(try second.number("scene-recall", "scene", ["scene": 3]) == 3)
        #expect(try second.number("light-lightness-get", "lightness") == 321)
    }

    /// 2026-11-23 12:00:00 UTC, a Monday, with a zone of one hour.
    private static let monday: FieldValues = [
        "tai": 0x3296_E765, "subsecond": 0, "uncertainty": 0, "authority": 1, "tai_utc_delta": 292, "zone": 68,
    ]

    private func entry(_ changes: FieldValues) -> FieldValues {
        let entry: FieldValues = [
            "index": 3, "year": 100, "months": 0xFFF, "day": 0, "hour": 24, "minute": 60, "second": 0,
            "weekdays": 0x7F, "action": 1, "transition": 0, "scene": 0,
        ]
        return entry.merging(changes)
    }

    @Test("The time runs on from what was set, and a node that does not know it says so")
    func time() throws {
        let bench = try ModelBench(Self.site)
        #expect(try bench.ask("time-get") == ["tai": 0])
        #expect(try bench.number("time-set", "zone", Self.monday) == 68)
        try bench.client.wait(.seconds(10))
        let tai = try #require(try bench.number("time-get", "tai"))
        #expect((10...13).contains(tai - 0x3296_E765))
        #expect(try bench.ask("time-role-set", ["role": 2]) == ["role": 2])
        let change: FieldValues = ["new_zone": 72, "change": .integer(tai + 5)]
        #expect(try bench.ask("time-zone-set", change)?.integer("zone") == 68)
        try bench.client.wait(.seconds(6))
        #expect(try bench.number("time-zone-get", "zone") == 72)
    }

    @Test("Only relays and clients of the time take over a status")
    func timeStatus() throws {
        let bench = try ModelBench(Self.site)
        try bench.send("time-status", Self.monday, to: .group(ModelBench.room))
        #expect(try bench.ask("time-get") == ["tai": 0])
        try bench.ask("time-role-set", ["role": 3])
        try bench.send("time-status", Self.monday, to: .group(ModelBench.room))
        #expect(try bench.number("time-get", "tai_utc_delta") == 292)
    }

    /// What an entry says, and in how many seconds from 13:00:00 on it is due.
    private static let entries: [(FieldValues, Int?)] = [
        (["minute": 1, "hour": 13], 60), (["minute": 61], 900), (["minute": 62], 1_200),
        // The next hour, tomorrow, another month whose last day is meant, a weekday.
        (["hour": 14, "minute": 0], 3_600), (["hour": 12, "minute": 0], 82_800),
        (["months": 0x800, "day": 31, "hour": 13, "minute": 0], 38 * 86_400),
        (["weekdays": 2, "hour": 13, "minute": 0], 86_400),
        // Never.
        (["months": 0], nil), (["weekdays": 0], nil), (["year": 25], nil),
    ]

    @Test("A schedule is due at its local time", arguments: entries)
    func schedule(changes: FieldValues, seconds: Int?) throws {
        let bench = try ModelBench(Self.site)
        try bench.ask("time-set", Self.monday)
        #expect(try bench.ask("scheduler-action-set", entry(changes)) == entry(changes))
        #expect(try bench.ask("scheduler-get") == ["schedules": 8])
        let start = bench.world.now
        let isLit = { bench.world.lights.first.map { $0.level > 0 } ?? false }
        bench.world.advance(to: start.advanced(by: .seconds((seconds ?? 41 * 86_400) - 5)))
        #expect(!isLit())
        bench.world.advance(to: start.advanced(by: .seconds((seconds ?? 41 * 86_400) + 5)))
        #expect(isLit() == (seconds != nil))
    }

    @Test("Without the time a schedule is never due, and one without an action is gone")
    func unknownTime() throws {
        let bench = try ModelBench(Self.site)
        try bench.ask("scheduler-action-set", entry([:]))
        bench.world.advance(to: bench.world.now.advanced(by: .seconds(7_200)))
        #expect(bench.world.lights.first?.level == 0)
        try bench.ask("scheduler-action-set", entry(["action": 15]))
        #expect(try bench.ask("scheduler-get") == ["schedules": 0])
        #expect(try bench.ask("scheduler-action-get", ["index": 3]) == ["index": 3])
    }

    @Test("A schedule recalls a scene")
    func scheduledScene() throws {
        let bench = try ModelBench(Self.site)
        try bench.ask("light-lightness-set", ["lightness": 4_321])
        try bench.ask("scene-store", ["scene": 5])
        try bench.ask("light-lightness-set", ["lightness": 0])
        try bench.ask("time-set", Self.monday)
        try bench.ask("scheduler-action-set", entry(["action": 2, "scene": 5]))
        bench.world.advance(to: bench.world.now.advanced(by: .seconds(65)))
        #expect(bench.world.lights.first?.level == 4_321)
    }
}
