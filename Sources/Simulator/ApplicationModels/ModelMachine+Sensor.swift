import Catalogue
import MeshCore

// Sensors (Mesh Model 4.1). What they measure is what somebody beside them says.

extension ModelMachine {
    /// What a sensor measures as long as nobody has said anything: whether somebody is present.
    private static let initialProperty: UInt16 = 0x004D

    /// The properties of a sensor with their values, sorted.
    func readings(_ element: Int) -> [(property: UInt16, value: [UInt8])] {
        let known = models.stored.octets.filter { Int($0.key.element) == element && $0.key.item == .sensorValue }
        guard !known.isEmpty else { return [(Self.initialProperty, [0])] }
        return known.map { (property: $0.key.index, value: $0.value) }.sorted { $0.property < $1.property }
    }

    /// A sensor measures something.
    mutating func sense(_ property: UInt16, _ value: [UInt8], _ element: Int) {
        let before = models.stored.octets[StateKey(element, .sensorValue, index: property)]
        models.stored.octets[StateKey(element, .sensorValue, index: property)] = value
        guard before != value, let cadence = cadence(property, element) else { return }
        // With a cadence, only a change that is large and late enough is published at once.
        let shown = models.sensed[StateKey(element, .sensorValue, index: property)]
        let isDue: Bool
        if let shown {
            let change = Self.number(value) - Self.number(shown.value)
            let limit = change < 0 ? cadence.down : cadence.up
            let threshold =
                cadence.isPercent ? Self.number(shown.value).magnitude * limit.magnitude / 10_000 : limit.magnitude
            isDue = change.magnitude > threshold && shown.at.advanced(by: cadence.interval) <= now
        } else {
            isDue = true
        }
        if isDue {
            models.sensed[StateKey(element, .sensorValue, index: property)] = SensedValue(value: value, at: now)
        } else {
            withheld.insert(StatePublication(element: element, model: .sensorServer))
        }
    }

    private static func number(_ octets: [UInt8]) -> Int64 {
        octets.prefix(7).reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    /// What a cadence says about triggers.
    private func cadence(
        _ property: UInt16,
        _ element: Int
    ) -> (isPercent: Bool, down: Int64, up: Int64, interval: Duration)? {
        guard let values = cadenceFields(property, element) else { return nil }
        func delta(_ name: String) -> Int64 {
            values.integer(name) ?? values.octets(name).map(Self.number) ?? 0
        }
        let exponent = values.integer("minimum_interval") ?? 0
        return (
            values.integer("trigger") == 1, delta("delta_down"), delta("delta_up"),
            .milliseconds(Int64(1) << min(max(exponent, 0), 26))
        )
    }

    /// The fields of the Sensor Cadence state of a property; nil if none was set.
    private func cadenceFields(_ property: UInt16, _ element: Int) -> FieldValues? {
        guard let octets = models.stored.octets[StateKey(element, .sensorCadence, index: property)],
            let message = MessageCatalogue.sig.message(named: "sensor-cadence-set")
        else { return nil }
        return try? message.decode(octets)
    }

    /// How many times faster than its period a sensor publishes, because a value is in the range of its fast cadence.
    func sensorDivisor(_ element: Int) -> Int64 {
        readings(element).compactMap { reading -> Int64? in
            guard let values = cadenceFields(reading.property, element),
                let low = values.octets("fast_low").map(Self.number),
                let high = values.octets("fast_high").map(Self.number),
                let exponent = values.integer("divisor"), (0...15).contains(exponent)
            else { return nil }
            let value = Self.number(reading.value)
            let isFast = low <= high ? (low...high).contains(value) : !(high...low).contains(value)
            return isFast ? Int64(1) << exponent : nil
        }.max() ?? 1
    }

    private func property(_ values: FieldValues, _ name: String = "property") -> UInt16? {
        values.integer(name).flatMap(UInt16.init(exactly:))
    }

    private func reading(_ property: UInt16, _ element: Int) -> [UInt8]? {
        readings(element).first { $0.property == property }?.value
    }

    private static func descriptor(_ property: UInt16) -> FieldValues {
        [
            "property": .integer(Int64(property)), "positive_tolerance": 0, "negative_tolerance": 0,
            "sampling_function": 0, "measurement_period": 0, "update_interval": 0,
        ]
    }

    static let sensorActions: [(String, Action)] = [
        (
            "sensor-cadence-set",
            Action { machine, request in
                guard let property = machine.property(request.values),
                    machine.reading(property, request.element) != nil,
                    let octets = try? MessageCatalogue.sig.message(named: "sensor-cadence-set")?.encode(request.values)
                else { return }
                machine.models.stored.octets[StateKey(request.element, .sensorCadence, index: property)] = octets
            }
        )
    ]

    static let sensorStatuses: [(String, Status)] = [
        (
            "sensor-status",
            { machine, element, request in
                if let property = machine.property(request) {
                    let value = machine.reading(property, element)
                    return ["readings": .sensorData([MarshalledSensorData(property: property, value: value)])]
                }
                let readings = machine.readings(element)
                return ["readings": .sensorData(readings.map { .init(property: $0.property, value: $0.value) })]
            }
        ),
        (
            "sensor-descriptor-status",
            { machine, element, request in
                if let property = machine.property(request), machine.reading(property, element) == nil {
                    return ["property": .integer(Int64(property))]
                }
                let asked = machine.property(request)
                let properties = asked.map { [$0] } ?? machine.readings(element).map(\.property)
                return ["descriptors": .records(properties.map(descriptor))]
            }
        ),
        (
            "sensor-cadence-status",
            { machine, element, request in
                guard let property = machine.property(request) else { return nil }
                return machine.cadenceFields(property, element) ?? ["property": .integer(Int64(property))]
            }
        ),
        (
            // A simulated sensor has no settings.
            "sensor-settings-status",
            { machine, _, request in
                guard let property = machine.property(request) else { return nil }
                return ["property": .integer(Int64(property)), "settings": .integers([])]
            }
        ),
        (
            "sensor-setting-status",
            { machine, _, request in
                guard let property = machine.property(request), let setting = machine.property(request, "setting")
                else { return nil }
                return ["property": .integer(Int64(property)), "setting": .integer(Int64(setting))]
            }
        ),
        (
            // Nor has it columns.
            "sensor-column-status",
            { machine, _, request in
                guard let property = machine.property(request), let x = request.octets("x") else { return nil }
                return ["property": .integer(Int64(property)), "x": .octets(x)]
            }
        ),
        (
            "sensor-series-status",
            { machine, _, request in
                guard let property = machine.property(request) else { return nil }
                return ["property": .integer(Int64(property)), "columns": .columns([])]
            }
        ),
    ]
}

/// A value that a sensor has published.
struct SensedValue: Hashable, Sendable {
    let value: [UInt8]
    let at: Instant
}
