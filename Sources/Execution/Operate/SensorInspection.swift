package import Catalogue
package import MeshCore

/// What a sensor tells of one property.
package struct SensorReading: Hashable, Sendable {
    package let property: UInt16
    /// The raw value; nil if the sensor has none at present.
    package let value: [UInt8]?
    /// The fields of the descriptor; nil if it was not asked for, or not told.
    package fileprivate(set) var descriptor: FieldValues?
    /// What the sensor says of the cadence; nil if it was not asked for, or not told.
    package fileprivate(set) var cadence: StateReading?
}

/// What the sensor of an element tells.
package struct SensorFinding: Hashable, Sendable {
    /// The position of the node in the network.
    package let node: Int
    package let element: Int
    /// The properties in the order in which the sensor tells them.
    package fileprivate(set) var readings: [SensorReading] = []
    /// What came instead of the first answer that is missing, maybe octets that are no answer; nil if none is.
    package fileprivate(set) var missing: OperatingOutcome?
}

/// Reads every property of sensors (Mesh Model 4.2).
package struct SensorInspection: Hashable, Sendable {
    /// What else to read of each property.
    package struct Details: OptionSet, Hashable, Sendable {
        package let rawValue: Int
        /// Tolerances, sampling, and how often it is measured.
        package static let descriptor = Details(rawValue: 1)
        /// When it is published; the Sensor Setup Server tells.
        package static let cadence = Details(rawValue: 2)

        package init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// What cannot be read.
    package private(set) var refusals: [StateRefusal]
    package private(set) var needs: Set<OwnModel>
    private let inquiry: StateInquiry
    private let cadence: StateDescription
    private let details: Details
    private let network: MeshNetwork

    /// Plans to ask the sensors of a target.
    ///
    /// - Throws: ``StateError/nobodyHas(_:others:)`` if it has no sensor.
    package init(
        _ target: ResolvedTarget,
        _ details: Details,
        in network: MeshNetwork
    ) throws(StateError) {
        var selectors = [StateSelector(try StateSelector.state(named: "sensor"))]
        if details.contains(.descriptor) {
            selectors.append(StateSelector(try StateSelector.state(named: "sensor-descriptor")))
        }
        cadence = try StateSelector.state(named: "sensor-cadence")
        inquiry = try StateInquiry(target, selectors, in: network)
        self.details = details
        self.network = network
        needs = inquiry.needs
        // Values and descriptors are refused for the same reason.
        refusals = inquiry.refusals.filter { $0.place.state.name == "sensor" }
        guard details.contains(.cadence) else { return }
        for place in inquiry.places where place.state.name == "sensor" { prepareCadence(of: place) }
    }

    package var isEmpty: Bool { inquiry.requests.isEmpty }

    /// Finds the key for the cadences of a sensor.
    private mutating func prepareCadence(of sensor: StatePlace) {
        guard let server = cadence.server else { return }
        do throws(OperatingProblem) {
            let node = network.nodes[sensor.node]
            let key = try network.operatingKey(of: server, element: sensor.element, on: node)
            if let client = cadence.getMessage.clients.first { needs.insert(OwnModel(client, key: key.index)) }
        } catch {
            let place = cadencePlace(of: sensor.node, sensor.element, server, keys: FieldValues())
            refusals.append(StateRefusal(place: place, problem: error))
        }
    }

    private func cadencePlace(
        of node: Int,
        _ element: Int,
        _ server: ModelIdentifier,
        keys: FieldValues
    ) -> StatePlace {
        StatePlace(node: node, element: element, model: server, selector: StateSelector(cadence, keys: keys))
    }

    /// Asks the sensors, side by side.
    ///
    /// - Returns: what they told, in the order of their addresses.
    package func run(in session: OperatingSession) -> [SensorFinding] {
        var findings: [SensorFinding] = []
        for (place, outcome) in zip(inquiry.places, session.ask(inquiry.requests)) {
            if findings.last?.node != place.node || findings.last?.element != place.element {
                findings.append(SensorFinding(node: place.node, element: place.element))
            }
            let last = findings.count - 1
            if place.state.name == "sensor" {
                findings[last].takeValues(outcome, place.state)
            } else {
                findings[last].takeDescriptors(outcome, place.state)
            }
        }
        if details.contains(.cadence) { readCadences(&findings, in: session) }
        return findings
    }

    private func readCadences(_ findings: inout [SensorFinding], in session: OperatingSession) {
        guard let server = cadence.server else { return }
        var places: [StatePlace] = []
        var origins: [StatePlace: (finding: Int, reading: Int)] = [:]
        for (position, finding) in findings.enumerated() {
            for (index, reading) in finding.readings.enumerated() {
                let keys: FieldValues = ["property": .integer(Int64(reading.property))]
                let place = cadencePlace(of: finding.node, finding.element, server, keys: keys)
                // A sensor that names a property twice has one cadence for it.
                guard origins.updateValue((position, index), forKey: place) == nil else { continue }
                places.append(place)
            }
        }
        // What has no key was refused before.
        guard let inquiry = try? StateInquiry(places, in: network) else { return }
        for (place, outcome) in zip(inquiry.places, session.ask(inquiry.requests)) {
            guard let origin = origins[place] else { continue }
            guard case .answered(let parameters) = outcome else {
                findings[origin.finding].miss(outcome)
                continue
            }
            findings[origin.finding].readings[origin.reading].cadence = StateReading(parameters, of: cadence)
        }
    }
}

extension SensorFinding {
    fileprivate mutating func miss(_ outcome: OperatingOutcome) { missing = missing ?? outcome }

    fileprivate mutating func takeValues(_ outcome: OperatingOutcome, _ state: StateDescription) {
        guard case .answered(let parameters) = outcome,
            case .sensorData(let data)? = (try? state.statusMessage.decode(parameters))?["readings"]
        else { return miss(outcome) }
        readings = data.map { SensorReading(property: $0.property, value: $0.value) }
    }

    fileprivate mutating func takeDescriptors(_ outcome: OperatingOutcome, _ state: StateDescription) {
        guard case .answered(let parameters) = outcome,
            let values = try? state.statusMessage.decode(parameters)
        else { return miss(outcome) }
        guard case .records(let descriptors)? = values["descriptors"] else { return }
        for descriptor in descriptors {
            guard let property = descriptor.integer("property").flatMap(UInt16.init(exactly:)) else { continue }
            if !readings.contains(where: { $0.property == property }) {
                readings.append(SensorReading(property: property, value: nil))
            }
            for index in readings.indices where readings[index].property == property {
                readings[index].descriptor = descriptor
            }
        }
    }
}
