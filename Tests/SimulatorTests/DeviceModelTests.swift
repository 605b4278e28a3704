import Catalogue
import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("Application models: health, sensors, battery, location, properties, and people beside them")
struct DeviceModelTests {
    private static let sensor: [[UInt16]] = [[0x0002, 0x1100, 0x1101]]

    @Test("Faults appear, stay registered until they are cleared, and are published")
    func health() throws {
        let bench = try ModelBench(Self.sensor, ModelBench.publish(0x0002))
        let seen = bench.client.messages.count
        let uuid = bench.node.uuid
        #expect(try bench.world.toggleFault(uuid, "overheat"))
        #expect(try bench.world.toggleFault(uuid, "0x81"))
        #expect(try !bench.world.toggleFault(uuid, "overheat-error"))
        try bench.client.wait(.seconds(1))
        #expect(
            try bench.published(since: seen).map { $0.values["faults"] } == [
                .integers([14]), .integers([14, 0x81]), .integers([0x81]),
            ]
        )
        let company: FieldValues = ["company": 0x0059]
        let both: FieldValues = ["test": 0, "company": 0x0059, "faults": .integers([14, 0x81])]
        #expect(try bench.ask("health-fault-get", company) == both)
        #expect(try bench.ask("health-fault-get", ["company": 1]) == nil, "no other company's faults are known")
        #expect(try bench.ask("health-fault-clear", company)?["faults"] == .integers([]))
        let tested: FieldValues = ["test": 4, "company": 0x0059, "faults": .integers([0x81])]
        #expect(try bench.ask("health-fault-test", ["test": 4, "company": 0x0059]) == tested)
        #expect(throws: OperationError.self) { try bench.world.toggleFault(uuid, "boredom") }
    }

    @Test("Faults shorten the period by the divisor")
    func healthPeriod() throws {
        let period = try #require(PublishPeriod(milliseconds: 16_000))
        let bench = try ModelBench(Self.sensor, ModelBench.publish(0x0002, period: period))
        #expect(try bench.ask("health-period-set", ["divisor": 3]) == ["divisor": 3])
        var seen = bench.client.messages.count
        try bench.client.wait(.seconds(32))
        #expect(try bench.published(since: seen).count == 2)
        try bench.world.toggleFault(bench.node.uuid, "overload")
        seen = bench.client.messages.count
        try bench.client.wait(.seconds(32))
        #expect((15...17).contains(try bench.published(since: seen).count))
    }

    @Test("A sensor tells what somebody lets it measure, and publishes when that changes")
    func sensor() throws {
        let bench = try ModelBench(Self.sensor, ModelBench.publish(0x1100))
        func values(_ request: FieldValues = FieldValues()) throws -> [MarshalledSensorData]? {
            guard case .sensorData(let data)? = try bench.ask("sensor-get", request)?["readings"] else { return nil }
            return data
        }
        #expect(try values() == [MarshalledSensorData(property: 0x4D, value: [0])])
        let seen = bench.client.messages.count
        try bench.world.sense(bench.node.uuid, "1")
        try bench.world.sense(bench.node.uuid, "1")
        try bench.client.wait(.seconds(1))
        #expect(try bench.published(since: seen).map(\.text) == ["sensor-status readings=presence-detected true"])
        try bench.world.sense(bench.node.uuid, property: "present-ambient-light-level", "350 lx")
        #expect(
            try values() == [
                MarshalledSensorData(property: 0x4D, value: [1]),
                MarshalledSensorData(property: 0x4E, value: [0xB8, 0x88, 0]),
            ]
        )
        #expect(try values(["property": 0x55]) == [MarshalledSensorData(property: 0x55, value: nil)])
        guard case .records(let descriptors)? = try bench.ask("sensor-descriptor-get")?["descriptors"] else {
            Issue.record("no descriptors")
            return
        }
        #expect(descriptors.map { $0.integer("property") } == [0x4D, 0x4E])
        #expect(try bench.ask("sensor-descriptor-get", ["property": 0x55]) == ["property": 0x55])
        #expect(throws: OperationError.self) { try bench.world.sense(bench.node.uuid, "1") }
        #expect(throws: OperationError.self) {
            try bench.world.sense(bench.node.uuid, property: "present-ambient-light-level", "blue")
        }
    }

    @Test("A cadence is kept, and only larger changes are published at once")
    func cadence() throws {
        let bench = try ModelBench(Self.sensor, ModelBench.publish(0x1100))
        let light = "present-ambient-light-level"
        try bench.world.sense(bench.node.uuid, property: light, "100 lx")
        #expect(try bench.ask("sensor-cadence-get", ["property": 0x4E]) == ["property": 0x4E])
        let cadence: FieldValues = [
            "property": 0x4E, "divisor": 0, "trigger": 0, "delta_down": .octets([0x88, 0x13, 0]),
            "delta_up": .octets([0x88, 0x13, 0]), "minimum_interval": 0, "fast_low": .octets([0, 0, 0]),
            "fast_high": .octets([0, 0, 0]),
        ]
        #expect(try bench.ask("sensor-cadence-set", cadence) == cadence)
        try bench.world.sense(bench.node.uuid, property: light, "101 lx")
        try bench.client.wait(.seconds(1))
        let seen = bench.client.messages.count
        try bench.world.sense(bench.node.uuid, property: light, "120 lx")
        try bench.client.wait(.seconds(1))
        #expect(try bench.published(since: seen).isEmpty)
        try bench.world.sense(bench.node.uuid, property: light, "152 lx")
        try bench.client.wait(.seconds(1))
        #expect(try bench.published(since: seen).count == 1)
    }

    @Test("What a simulated sensor lacks is answered as the specification says")
    func settings() throws {
        let bench = try ModelBench(Self.sensor)
        #expect(
            try bench.ask("sensor-settings-get", ["property": 0x4D]) == ["property": 0x4D, "settings": .integers([])]
        )
        let setting: FieldValues = ["property": 0x4D, "setting": 0x11]
        #expect(try bench.ask("sensor-setting-get", setting) == setting)
        #expect(try bench.ask("sensor-setting-set", setting.merging(["value": .octets([1])])) == setting)
        #expect(try bench.ask("sensor-series-get", ["property": 0x4D])?.integer("property") == 0x4D)
        let column: FieldValues = ["property": 0x4D, "x": .octets([1, 0])]
        #expect(try bench.ask("sensor-column-get", column) == column)
    }

    @Test("A battery that nobody has spoken of is not known, and a location not configured")
    func batteryAndLocation() throws {
        let bench = try ModelBench([[0x100C, 0x100E, 0x100F]])
        #expect(try bench.number("generic-battery-get", "level") == 0xFF)
        try bench.world.setBattery(bench.node.uuid, percent: 41)
        #expect(try bench.number("generic-battery-get", "level") == 41)
        #expect(throws: OperationError.self) { try bench.world.setBattery(bench.node.uuid, percent: 101) }
        #expect(try bench.number("generic-location-global-get", "latitude") == -0x8000_0000)
        let place: FieldValues = ["latitude": 1_523_043_124, "longitude": 5, "altitude": 12]
        #expect(try bench.ask("generic-location-global-set", place) == place)
        #expect(try bench.ask("generic-location-global-get") == place)
        #expect(try bench.number("generic-location-local-get", "floor") == 0xFF)
        var local = try #require(try bench.ask("generic-location-local-get"))
        local["floor"] = 23
        #expect(try bench.ask("generic-location-local-set", local) == local)
    }

    @Test("Users may do with properties what the administrator allows")
    func properties() throws {
        let bench = try ModelBench([[0x1011, 0x1012, 0x1013, 0x1014]])
        let uuid = bench.node.uuid
        try bench.world.defineProperty(uuid, element: 0, 0x0055, isManufacturers: false, access: 1, [1, 2])
        try bench.world.defineProperty(uuid, element: 0, 0x0011, isManufacturers: true, access: 0, [9])
        #expect(try bench.ask("generic-user-properties-get") == ["properties": .integers([0x55])])
        #expect(try bench.ask("generic-manufacturer-properties-get") == ["properties": .integers([0x11])])
        let one: FieldValues = ["property": 0x55]
        #expect(
            try bench.ask("generic-user-property-get", one)
                == ["property": 0x55, "access": 1, "value": .octets([1, 2])]
        )
        let write = one.merging(["value": .octets([3, 4])])
        #expect(try bench.ask("generic-user-property-set", write)?.octets("value") == [], "users may not write")
        let admin: FieldValues = ["property": 0x55, "access": 3, "value": .octets([5, 6])]
        #expect(try bench.ask("generic-admin-property-set", admin) == admin)
        #expect(try bench.ask("generic-user-property-set", write)?.octets("value") == [3, 4])
        #expect(try bench.ask("generic-user-property-get", ["property": 0x11]) == ["property": 0x11])
        try bench.ask("generic-manufacturer-property-set", ["property": 0x11, "access": 1])
        #expect(try bench.ask("generic-user-property-get", ["property": 0x11])?.octets("value") == [9])
        try bench.ask("generic-client-properties-get", ["property": 0x50])
        // A long list takes many segments.
        try bench.client.wait(.seconds(5))
        let last = try MessageCatalogue.sig.decode(try #require(bench.client.messages.last).payload[...])
        guard case .integers(let known)? = last.values["properties"] else {
            Issue.record("no list")
            return
        }
        #expect(known.first == 0x50 && known == known.sorted() && known.count > 50)
    }

    @Test("A switch that is pressed sends where its client publishes, also to a lamp on its own node")
    func press() throws {
        let bench = try ModelBench([[0x1001], [0x1000], [0x1000]]) { node in
            ModelBench.publish(0x1001)(&node)
            node.elements[0].models[1].publication?.address = .group(ModelBench.room)
            node.elements[2].models[0].subscriptions = []
        }
        let uuid = bench.node.uuid
        try bench.client.configure(.addAddresses([ModelBench.room.address]))
        let seen = bench.client.messages.count
        try bench.world.press(uuid, element: 0, isOn: true)
        try bench.client.wait(.seconds(1))
        let sent = try bench.client.messages[seen...].map { try MessageCatalogue.sig.decode($0.payload[...]) }
        #expect(sent.map(\.description.name) == ["generic-onoff-set-unacknowledged"])
        #expect(bench.world.lights.map(\.level) == [0xFFFF, 0])
        #expect(bench.world.observations.map(\.description) == ["node-1 element 1 is on"])
        try bench.world.press(uuid, element: 0, isOn: false)
        #expect(bench.world.observations.map(\.description).last == "node-1 element 1 is off")
        #expect(throws: OperationError.noModel("switch")) { try bench.world.press(uuid, element: 1, isOn: true) }
        #expect(throws: OperationError.noElement) { try bench.world.press(uuid, element: 9, isOn: true) }
        bench.world.change(uuid) { $0.elements[0].models[1].publication = nil }
        #expect(throws: OperationError.noPublication("switch")) { try bench.world.press(uuid, element: 0, isOn: true) }
    }

    @Test("People nearby see a lamp once it has arrived")
    func observations() throws {
        let bench = try ModelBench([LightModelTests.lamp])
        try bench.ask("light-lightness-set", ["lightness": 26_214, "transition": 0x0A, "delay": 0])
        #expect(bench.world.observations == [])
        try bench.client.wait(.seconds(1))
        #expect(bench.world.observations.map(\.description) == ["node-1 is at 40 %"])
        try bench.ask("generic-onoff-set", ["onoff": 1])
        #expect(bench.world.observations.count == 1)
        let second = try ModelBench([LightModelTests.lamp], state: bench.recorded)
        try second.ask("generic-onoff-set", ["onoff": 0])
        #expect(second.world.observations.map(\.description) == ["node-1 is at 0 %"])
    }
}
