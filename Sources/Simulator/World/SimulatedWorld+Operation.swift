import Catalogue
package import MeshCore

/// Why a person beside a node cannot do something.
package enum OperationError: Error, Hashable, Sendable {
    /// There is no such node, or it has no power.
    case notThere
    /// The node has no element with that index.
    case noElement
    /// The element has no model of that kind.
    case noModel(String)
    /// The model does not publish anywhere.
    case noPublication(String)
    /// The value or the name is not known.
    case value(String)
    /// The change could not be recorded.
    case notRecorded
}

extension OperationError: CustomStringConvertible {
    /// A clause for people, without a full stop.
    package var description: String {
        switch self {
        case .notThere: "there is no such node with power"
        case .noElement: "the node has no such element"
        case .noModel(let kind): "there is no \(kind) there"
        case .noPublication(let kind): "the \(kind) there publishes to nobody"
        case .value(let problem): problem
        case .notRecorded: "the simulator cannot record it"
        }
    }
}

/// What a switch sends when it is pressed.
package struct PressedSwitch: Hashable, Sendable {
    /// The address of its element.
    package let source: UnicastAddress
    /// Where its client publishes to, and how.
    package let publication: Publication
    /// The models that act on the message.
    package let servers: [ModelIdentifier]
}

/// A lamp, or what else an element switches.
package struct LightState: Hashable, Sendable {
    package let uuid: DeviceUUID
    package let name: String
    package let element: Int
    /// The present level of 0 to 65535.
    package let level: Int64
    /// Whether there is more than on and off.
    package let isDimmable: Bool
    /// The colour temperature in kelvin; nil if it has none.
    package let temperature: Int64?
}

extension SimulatedWorld {
    /// Somebody presses a switch: the OnOff Client of an element, or else its Level or Lightness Client, publishes what
    /// it is configured to.
    ///
    /// - Returns: what it sends.
    /// - Throws: ``OperationError`` if nothing is there that could be pressed, or if it publishes nowhere.
    @discardableResult
    package func press(_ uuid: DeviceUUID, element: Int, isOn: Bool) throws(OperationError) -> PressedSwitch {
        let node = try powered(uuid)
        let state = nodes[node].state
        guard state.elements.indices.contains(element) else { throw .noElement }
        let choices: [(ModelIdentifier, String, FieldValues)] = [
            (.onOffClient, "generic-onoff-set-unacknowledged", ["onoff": isOn ? 1 : 0]),
            (.sig(0x1003), "generic-level-set-unacknowledged", ["level": isOn ? 32_767 : -32_768]),
            (.sig(0x1302), "light-lightness-set-unacknowledged", ["lightness": isOn ? 65_535 : 0]),
        ]
        let present = choices.compactMap { model, message, values in
            state.elements[element].models.first { $0.identifier == model }.map { ($0, message, values) }
        }
        guard !present.isEmpty else { throw .noModel("switch") }
        guard let (model, name, fields) = present.first(where: { $0.0.publication != nil }),
            let publication = model.publication
        else { throw .noPublication("switch") }
        pressCount = (pressCount + 1) % 256
        var values = fields
        values["tid"] = .integer(pressCount)
        guard let message = MessageCatalogue.sig.message(named: name),
            let payload = payload(of: message.opcode, values),
            let source = nodes[node].state.elementAddress(element)
        else { throw .noModel("switch") }
        publish(payload, publication, fromElement: element, of: node)
        return PressedSwitch(source: source, publication: publication, servers: message.servers)
    }

    /// The sensor of a node measures something; its first sensor, if it has several.
    ///
    /// - Parameters:
    ///   - property: the name or number of a device property; nil for the only one that the sensor measures.
    ///   - text: the value as people write it: `1`, `21.5 °C`.
    /// - Throws: ``OperationError`` if there is no sensor, or if the value is none of the property.
    package func sense(_ uuid: DeviceUUID, property: String? = nil, _ text: String) throws(OperationError) {
        let node = try powered(uuid)
        let element = try element(of: node, with: .sensorServer, "sensor")
        let identifier: UInt16
        if let property {
            guard let found = DeviceProperty.identifier(named: property) else {
                throw .value("no device property is called \(property)")
            }
            identifier = found
        } else {
            let machine = ModelMachine(nodes[node].models, of: nodes[node].state, now: now)
            let known = machine.readings(element).map(\.property)
            guard let only = known.first, known.count == 1 else {
                throw .value("the sensor measures \(known.map(DeviceProperty.name).joined(separator: ", ")): say which")
            }
            identifier = only
        }
        let octets: [UInt8]
        do throws(TextError) {
            octets = try DeviceProperty.octets(reading: Self.truth(text, identifier), property: identifier)
        } catch { throw .value("\(DeviceProperty.name(of: identifier)): \(error)") }
        guard work(at: node, { $0.sense(identifier, octets, element) }) != nil else { throw .notRecorded }
    }

    /// People write whether somebody is there as 1 or 0.
    private static func truth(_ text: String, _ property: UInt16) -> String {
        guard let field = DeviceProperty.property(property)?.fields.first, field.type.notation == .boolean else {
            return text
        }
        return text == "1" ? "true" : text == "0" ? "false" : text
    }

    /// A fault appears at the Health Server of a node or, if it is there, goes away.
    ///
    /// - Parameter name: the name of a fault without `-warning` or `-error`, which then means the error, or with it, or
    ///   its number.
    /// - Returns: whether the fault is there now.
    /// - Throws: ``OperationError`` if there is no Health Server or no such fault.
    @discardableResult
    package func toggleFault(_ uuid: DeviceUUID, _ name: String) throws(OperationError) -> Bool {
        let node = try powered(uuid)
        let element = try element(of: node, with: .healthServer, "Health Server")
        guard let fault = FaultNames.number(named: name) else { throw .value("no fault is called \(name)") }
        guard
            let isThere = work(
                at: node,
                { machine -> Bool in
                    machine.toggleFault(fault, element)
                    return machine.currentFaults(element).contains(fault)
                }
            )
        else { throw .notRecorded }
        return isThere
    }

    /// The battery of a node has so many percent left.
    ///
    /// - Throws: ``OperationError`` if there is no Battery Server, or if it is more than 100 %.
    package func setBattery(_ uuid: DeviceUUID, percent: Int64) throws(OperationError) {
        let node = try powered(uuid)
        let element = try element(of: node, with: .batteryServer, "battery")
        guard (0...100).contains(percent) else { throw .value("a battery has 0 to 100 %") }
        guard work(at: node, { $0[.battery, element] = percent }) != nil else { throw .notRecorded }
    }

    /// Gives an element a property for its property servers, as its maker does.
    ///
    /// - Parameters:
    ///   - property: the device property.
    ///   - isManufacturers: whether it is one of the manufacturer, which only the manufacturer changes.
    ///   - access: what users may do with it: 1 to read, 2 to write, 3 for both, 0 for nothing.
    ///   - value: its raw value.
    package func defineProperty(
        _ uuid: DeviceUUID,
        element: Int,
        _ property: UInt16,
        isManufacturers: Bool,
        access: Int64,
        _ value: [UInt8]
    ) throws(OperationError) {
        let node = try powered(uuid)
        guard nodes[node].state.elements.indices.contains(element) else { throw .noElement }
        let owner: ModelMachine.PropertyOwner = isManufacturers ? .manufacturer : .admin
        guard work(at: node, { $0.define(property, owner, access: access, value, element) }) != nil else {
            throw .notRecorded
        }
    }

    private func powered(_ uuid: DeviceUUID) throws(OperationError) -> Int {
        guard let node = positions[uuid], !nodes[node].faults.isOff else { throw .notThere }
        return node
    }

    private func element(
        of node: Int,
        with model: ModelIdentifier,
        _ kind: String
    ) throws(OperationError) -> Int {
        let elements = nodes[node].state.elements
        guard let element = elements.indices.first(where: { elements[$0].place(of: model) != nil }) else {
            throw .noModel(kind)
        }
        return element
    }

    // MARK: What is seen

    /// What the lamps and switched things of all nodes with power do at present, in the order of ``nodeIdentifiers``.
    package var lights: [LightState] {
        nodes.indices.flatMap { node -> [LightState] in
            guard nodes[node].isAlive else { return [] }
            let state = nodes[node].state
            let machine = ModelMachine(nodes[node].models, of: state, now: now)
            return state.elements.indices.compactMap { element in
                guard let level = machine.light(element) else { return nil }
                let colour = machine.temperatureElement(of: element)
                let hasColour = machine.has(.ctlServer, element)
                return LightState(
                    uuid: state.uuid,
                    name: state.name,
                    element: element,
                    level: level,
                    isDimmable: machine.output(of: element) != nil,
                    temperature: hasColour ? machine.present(.temperature, colour) : nil
                )
            }
        }
    }

    /// Takes the present levels of a node's lamps as known to the people nearby.
    func expectLights(of node: Int) {
        let machine = ModelMachine(nodes[node].models, of: nodes[node].state, now: now)
        for element in machine.elements.indices { nodes[node].toldLights[element] = machine.light(element) }
    }

    /// Tells the people nearby which lamps have reached a level that they did not have.
    func tell(_ after: ModelMachine, of node: Int) {
        guard nodes[node].isAlive, !after.isQuiet else { return }
        for key in after.settled {
            let element = Int(key.element)
            guard key.item == after.onOffItem(of: element), let level = after.light(element),
                nodes[node].toldLights[element] ?? 0 != level
            else { continue }
            nodes[node].toldLights[element] = level
            observe(
                .light(element: element, level: level, isDimmable: after.output(of: element) != nil),
                of: node
            )
        }
    }
}

extension ModelMachine {
    /// The level of what an element switches, 0 to 65535; nil if it switches nothing.
    func light(_ element: Int) -> Int64? {
        if let output = output(of: element) { return present(output, element) }
        guard has(.onOffServer, element), !has(.lightControlServer, element) else { return nil }
        return isOn(element) ? 0xFFFF : 0
    }
}
