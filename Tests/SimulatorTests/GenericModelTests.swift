import Catalogue
import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("Application models: generic")
struct GenericModelTests {
    @Test("A lone OnOff is set, told and switched by a group; a level beside it stands alone")
    func onOff() throws {
        let bench = try ModelBench([[0x1000, 0x1002]])
        #expect(try bench.ask("generic-onoff-get") == ["onoff": 0])
        #expect(try bench.ask("generic-onoff-set", ["onoff": 1]) == ["onoff": 1])
        #expect(try bench.ask("generic-level-get") == ["level": 0])
        #expect(try bench.send("generic-onoff-set-unacknowledged", ["onoff": 0], to: .group(ModelBench.room)) == [])
        #expect(try bench.ask("generic-onoff-get") == ["onoff": 0])
        #expect(try bench.ask("generic-level-set", ["level": -5]) == ["level": -5])
    }

    @Test("A model answers only with a key bound to it, and only for addresses of its own")
    func keysAndAddresses() throws {
        let bench = try ModelBench([[0x1000], [0x1000]]) { node in
            node.elements[1].models[0].subscriptions = []
        }
        let other = TestNetwork.appKey(1)
        #expect(try bench.send("generic-onoff-set", ["onoff": 1], to: .unicast(bench.address(0)), key: other) == [])
        #expect(try bench.ask("generic-onoff-get") == ["onoff": 0])
        let answers = try bench.send("generic-onoff-set", ["onoff": 1], to: .group(ModelBench.room))
        #expect(answers.map(\.values) == [["onoff": 1]])
        #expect(try bench.ask("generic-onoff-get", element: 1) == ["onoff": 0])
        #expect(try bench.send("generic-onoff-set", ["onoff": 0], to: .group(TestNetwork.group(0xC001))) == [])
        #expect(try bench.ask("generic-onoff-get") == ["onoff": 1])
        #expect(try bench.send("light-lightness-get", to: .unicast(bench.address(0))) == [], "no such model")
    }

    @Test(
        "Wrong lengths and prohibited values are ignored silently",
        arguments: ["820202", "82020107", "8202010701", "820601"]
    )
    func malformed(payload: String) throws {
        let bench = try ModelBench([[0x1000, 0x1002]])
        let isValid = payload == "82020107"
        let answers = try bench.send(hex(payload), to: .unicast(bench.address(0)))
        #expect(answers.isEmpty == !isValid)
    }

    @Test("An unknown transition time is refused: nothing changes, nobody answers")
    func unknownTransition() throws {
        let bench = try ModelBench([[0x1000]])
        #expect(try bench.send(hex("820201013f00"), to: .unicast(bench.address(0))) == [])
        #expect(try bench.ask("generic-onoff-get") == ["onoff": 0])
    }

    @Test("A message of the same transaction is answered, but not carried out again within six seconds")
    func transactions() throws {
        let bench = try ModelBench([[0x1000, 0x1002]])
        #expect(try bench.ask("generic-onoff-set", ["onoff": 1, "tid": 9]) == ["onoff": 1])
        #expect(try bench.ask("generic-onoff-set", ["onoff": 0, "tid": 9]) == ["onoff": 1])
        #expect(try bench.ask("generic-onoff-set", ["onoff": 0, "tid": 10]) == ["onoff": 0])
        try bench.client.wait(.seconds(6))
        #expect(try bench.ask("generic-onoff-set", ["onoff": 1, "tid": 10]) == ["onoff": 1])
    }

    @Test("Deltas of a transaction count from its beginning, as in the worked example")
    func delta() throws {
        let bench = try ModelBench([[0x1002]])
        #expect(try bench.number("generic-delta-set", "level", ["delta": 1000, "tid": 5]) == 1000)
        #expect(try bench.number("generic-delta-set", "level", ["delta": 3000, "tid": 5]) == 3000)
        #expect(try bench.number("generic-delta-set", "level", ["delta": 3000, "tid": 5]) == 3000)
        #expect(try bench.number("generic-delta-set", "level", ["delta": 1000, "tid": 6]) == 4000)
        #expect(try bench.number("generic-delta-set", "level", ["delta": 100_000, "tid": 7]) == 32_767)
    }

    @Test("A move goes to the limit in the time that its speed takes, and stops on demand")
    func move() throws {
        let bench = try ModelBench([[0x1002]])
        let values: FieldValues = ["delta": 3277, "transition": 0x0A, "delay": 0]
        let status = try #require(try bench.ask("generic-move-set", values))
        #expect(status.integer("target_level") == 32_767)
        #expect(status.integer("remaining") == 0x4A, "9999 ms are nearest to 10 s")
        try bench.client.wait(.milliseconds(4_400))
        let halfway = try #require(try bench.ask("generic-level-get")?.integer("level"))
        #expect((14_000...19_000).contains(halfway))
        let stopped = try #require(try bench.ask("generic-move-set", ["delta": 0]))
        #expect(stopped.names == ["level"])
        try bench.client.wait(.seconds(10))
        #expect(try bench.ask("generic-level-get") == stopped)
        try bench.ask("generic-move-set", values)
        try bench.client.wait(.seconds(12))
        #expect(try bench.ask("generic-level-get") == ["level": 32_767])
    }

    @Test("On is told at once while a transition to on runs, and until its end on the way to off; a delay comes first")
    func transition() throws {
        let bench = try ModelBench([[0x1000]])
        let on = try bench.ask("generic-onoff-set", ["onoff": 1, "transition": 0x32, "delay": 0])
        #expect(on == ["onoff": 1, "target_onoff": 1, "remaining": 0x32])
        try bench.client.wait(.seconds(5))
        #expect(try bench.ask("generic-onoff-get") == ["onoff": 1])
        let off = try bench.ask("generic-onoff-set", ["onoff": 0, "transition": 0x32, "delay": 200])
        #expect(off == ["onoff": 1, "target_onoff": 0, "remaining": 0x32])
        try bench.client.wait(.milliseconds(5_000))
        #expect(try bench.number("generic-onoff-get", "onoff") == 1, "the delay of a second comes first")
        try bench.client.wait(.seconds(1))
        #expect(try bench.ask("generic-onoff-get") == ["onoff": 0])
    }

    @Test("The default transition time of the element counts where a message has none")
    func defaultTransition() throws {
        let bench = try ModelBench([[0x1002, 0x1004], [0x1002]])
        #expect(try bench.ask("generic-default-transition-time-get") == ["transition_time": 0])
        #expect(
            try bench.ask("generic-default-transition-time-set", ["transition_time": 0x14]) == ["transition_time": 0x14]
        )
        #expect(try bench.ask("generic-level-set", ["level": 100])?.integer("target_level") == 100)
        try bench.client.wait(.seconds(2))
        #expect(try bench.ask("generic-level-get") == ["level": 100])
        #expect(try bench.ask("generic-level-set", ["level": 50, "transition": 0, "delay": 0]) == ["level": 50])
        #expect(try bench.ask("generic-level-set", ["level": 50], element: 1) == ["level": 50])
    }

    @Test("Power level is bound to OnOff and Level, within its range, and remembers")
    func powerLevel() throws {
        let bench = try ModelBench([[0x1000, 0x1002, 0x1004, 0x1006, 0x1007, 0x1009, 0x100A]])
        #expect(try bench.ask("generic-power-range-set", ["minimum": 1000, "maximum": 50_000])?.integer("status") == 0)
        #expect(try bench.ask("generic-power-level-set", ["power": 60_000]) == ["power": 50_000])
        #expect(try bench.ask("generic-level-get") == ["level": 17_232])
        #expect(try bench.ask("generic-onoff-set", ["onoff": 0]) == ["onoff": 0])
        #expect(try bench.ask("generic-power-level-get") == ["power": 0])
        #expect(try bench.ask("generic-power-last-get") == ["power": 50_000])
        #expect(try bench.ask("generic-power-default-set", ["power": 2_000]) == ["power": 2_000])
        #expect(try bench.ask("generic-onoff-set", ["onoff": 1]) == ["onoff": 1])
        #expect(try bench.ask("generic-power-level-get") == ["power": 2_000])
        #expect(
            try bench.send("generic-power-range-set", ["minimum": 9, "maximum": 5], to: .unicast(bench.address(0)))
                == []
        )
    }

    @Test("OnPowerUp decides what comes back with the power", arguments: [0, 1, 2])
    func powerUp(behaviour: Int64) throws {
        let bench = try ModelBench([[0x1000, 0x1002, 0x1004, 0x1006, 0x1007, 0x1300, 0x1301]])
        #expect(
            try bench.number("generic-onpowerup-set", "on_power_up", ["on_power_up": .integer(behaviour)]) == behaviour
        )
        try bench.ask("light-lightness-default-set", ["lightness": 9_000])
        try bench.ask("light-lightness-set", ["lightness": 30_000, "transition": 0x4A, "delay": 0])
        bench.world.setPower(bench.node.uuid, isOn: false)
        bench.world.setPower(bench.node.uuid, isOn: true)
        try bench.client.open()
        #expect(try bench.number("light-lightness-get", "lightness") == [0, 9_000, 30_000][Int(behaviour)])
    }

    @Test("A change is published at its start and end where a publication is configured, and only there")
    func publication() throws {
        let bench = try ModelBench([[0x1000, 0x1002]], ModelBench.publish(0x1000))
        let seen = bench.client.messages.count
        try bench.send("generic-level-set-unacknowledged", ["level": 7], to: .unicast(bench.address(0)))
        try bench.send("generic-onoff-set-unacknowledged", ["onoff": 0], to: .unicast(bench.address(0)))
        #expect(try bench.published(since: seen).isEmpty)
        try bench.ask("generic-onoff-set", ["onoff": 1, "transition": 0x0A, "delay": 0])
        try bench.client.wait(.seconds(2))
        #expect(
            try bench.published(since: seen).map(\.values) == [
                ["onoff": 1, "target_onoff": 1, "remaining": 0x0A], ["onoff": 1],
            ]
        )
    }

    @Test("A model publishes by its period, from the configuration of a client as from the database")
    func period() throws {
        let period = try #require(PublishPeriod(milliseconds: 10_000))
        let bench = try ModelBench([[0x1000]], ModelBench.publish(0x1000, period: period))
        let seen = bench.client.messages.count
        try bench.client.wait(.seconds(60))
        #expect(try bench.published(since: seen).map(\.values) == Array(repeating: ["onoff": 0], count: 6))
        bench.world.change(bench.node.uuid) { $0.elements[0].models[1].publication = nil }
        let end = bench.client.messages.count
        try bench.client.wait(.seconds(60))
        #expect(try bench.published(since: end).isEmpty)
        bench.world.change(bench.node.uuid) {
            $0.elements[0].models[1].publication = Publication(
                address: .group(ModelBench.reports),
                appKeyIndex: ModelBench.key,
                period: period,
                retransmit: PublishRetransmit(octet: 1)
            )
        }
        try bench.client.wait(.seconds(40))
        #expect(try bench.published(since: end).count == 8, "each is sent twice")
    }
}
