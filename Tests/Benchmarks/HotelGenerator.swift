/// A generated hotel of any size: its definition and its factory-new devices, both as YAML.
///
/// As in a real hotel, and unlike in ``BuildingGenerator``, the nodes differ: seven products, four subnets, six
/// application keys, groups for rooms and floors, and one relay among five nodes. Hubs in the corridors are in all
/// subnets, and are the only proxies once they are configured.
struct HotelGenerator {
    /// How many devices, at least 1.
    let deviceCount: Int
    /// The TTL of all nodes. Another value gives a plan with one message per node.
    var ttl = 7
    /// Whether all lamps listen to the fire alarm and all switches report to the desk. A change gives a plan with a few
    /// messages for each of them.
    var hasAlarm = false
    /// How many of the last devices the definition leaves out, so that they are reset.
    var removed = 0

    private struct Kind {
        let name: String
        let subnet: String
        let product: String
    }

    /// The kinds of devices, repeated in this order.
    private static let kinds = [
        Kind(name: "hub", subnet: "house", product: "hub"), Kind(name: "lamp", subnet: "guests", product: "lamp"),
        Kind(name: "switch", subnet: "guests", product: "switch"),
        Kind(name: "exit-light", subnet: "house", product: "exit-light"),
        Kind(name: "climate", subnet: "guests", product: "climate"),
        Kind(name: "corridor-lamp", subnet: "house", product: "lamp"),
        Kind(name: "staff-lamp", subnet: "staff", product: "lamp"),
        Kind(name: "lamp", subnet: "guests", product: "lamp"),
        Kind(name: "pir", subnet: "house", product: "pir"), Kind(name: "fan", subnet: "plant", product: "fan"),
    ]

    private static let devicesPerRoom = 5
    private static let devicesPerFloor = 40

    private var roomCount: Int { (deviceCount - 1) / Self.devicesPerRoom + 1 }
    private var floorCount: Int { (deviceCount - 1) / Self.devicesPerFloor + 1 }

    private func kind(_ index: Int) -> Kind { Self.kinds[index % Self.kinds.count] }
    private func room(_ index: Int) -> String { "room-\(index / Self.devicesPerRoom + 1)" }
    private func floor(_ index: Int) -> String { "floor-\(index / Self.devicesPerFloor + 1)" }
    private func name(_ index: Int) -> String { "\(kind(index).name)-\(index + 1)" }

    private func uuid(_ index: Int) -> String {
        let digits = String(index + 1, radix: 16)
        return "6b0e7c1af2d84d039a40" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// The definition.
    func definition() -> String {
        var text = Self.head
        text += "groups:\n  all-lamps: { address: 0xC000 }\n  presence: {}\n  climate: {}\n  alarm: {}\n  desk: {}\n"
        for floor in 1...floorCount { text += "  floor-\(floor): { parent: all-lamps }\n" }
        for room in 1...roomCount { text += "  room-\(room): {}\n" }
        text += "profiles:\n" + profiles()
        text += "nodes:\n"
        for index in 0..<max(deviceCount - removed, 1) {
            let onRemove = ", on_remove: reset"
            text +=
                "  \(name(index)): { uuid: \(uuid(index)), profile: \(kind(index).name), "
                + "tags: { kind: \(kind(index).name), room: \(room(index)), floor: \(floor(index)) }\(onRemove) }\n"
        }
        return text + rules()
    }

    private static let head = """
        version: 1
        network: hotel
        subnets:
          house:  { index: 0 }
          guests: { index: 1 }
          staff:  { index: 2 }
          plant:  { index: 3 }
        application_keys:
          corridor:    { subnet: house }
          sensing:     { subnet: house }
          maintenance: { subnet: house }
          room:        { subnet: guests }
          service:     { subnet: staff }
          ventilation: { subnet: plant }

        """

    private func profiles() -> String {
        """
          hub:
            subnets: [house, guests, staff, plant]
            ttl: \(ttl)
            features: { relay: on, proxy: on, friend: off }
            relay_retransmit: { count: 2, interval: 20ms }
            network_transmit: { count: 2, interval: 20ms }
            elements: { 0: { health-server: { keys: [maintenance] } } }
          exit-light:
            subnets: [house, guests, staff, plant]
            ttl: \(ttl)
            features: { relay: on, proxy: off }
            relay_retransmit: { count: 2, interval: 20ms }
            elements: { 0: { generic-onoff-server: { keys: [corridor] } } }
          lamp:
            subnets: [guests]
            ttl: \(ttl)
            features: { relay: off, proxy: off }
            network_transmit: { count: 2, interval: 20ms }
            elements: { 0: { generic-onoff-server: { keys: [room] }, light-lightness-server: { keys: [room] } } }
          corridor-lamp:
            ttl: \(ttl)
            subnets: [house]
            features: { relay: off, proxy: off }
            elements: { 0: { generic-onoff-server: { keys: [corridor] }, light-lightness-server: { keys: [corridor] } } }
          staff-lamp:
            ttl: \(ttl)
            subnets: [staff]
            features: { relay: off, proxy: off }
            elements: { 0: { generic-onoff-server: { keys: [service] } } }
          switch:
            ttl: \(ttl)
            subnets: [guests]
            elements: { 0: { generic-onoff-client: { keys: [room] } }, 1: { generic-level-client: { keys: [room] } } }
          climate:
            ttl: \(ttl)
            subnets: [guests]
            features: { relay: off, proxy: off }
            elements: { 0: { generic-level-server: { keys: [room] } }, 1: { sensor-server: { keys: [room] } } }
          pir:
            ttl: \(ttl)
            subnets: [house]
            elements: { 0: { sensor-server: { keys: [sensing], publish: { to: presence, key: sensing, period: 60s } } } }
          fan:
            ttl: \(ttl)
            subnets: [plant]
            features: { relay: off, proxy: off }
            elements: { 0: { generic-level-server: { keys: [ventilation] } } }

        """
    }

    /// Rules that depend on places: lamps listen to their rooms and floors, switches publish to their rooms.
    private func rules() -> String {
        var rules: [String] = []
        var publications: [String] = []
        func rule(_ group: String, _ models: String, _ selector: String) {
            rules.append("  - { groups: [\(group)], models: [\(models)], nodes: { \(selector) } }\n")
        }
        let present = (0..<max(deviceCount - removed, 1)).map { ($0, kind($0).name) }
        for room in Set(present.filter { $0.1 == "lamp" }.map { self.room($0.0) }).sorted() {
            rule(room, "generic-onoff-server, light-lightness-server", "kind: lamp, room: \(room)")
        }
        for floor in Set(present.filter { $0.1 == "corridor-lamp" }.map { self.floor($0.0) }).sorted() {
            rule(floor, "generic-onoff-server, light-lightness-server", "kind: corridor-lamp, floor: \(floor)")
        }
        if present.contains(where: { $0.1 == "climate" }) { rule("climate", "generic-level-server", "kind: climate") }
        if hasAlarm { rule("alarm", "generic-onoff-server, light-lightness-server", "kind: lamp") }
        for (index, kind) in present where kind == "switch" {
            for model in ["generic-onoff-client", "generic-level-client"] {
                let group = hasAlarm && model == "generic-onoff-client" ? "desk" : room(index)
                publications.append("  - { node: \(name(index)), model: \(model), to: \(group), key: room }\n")
            }
        }
        return (rules.isEmpty ? "" : "subscriptions:\n" + rules.joined())
            + (publications.isEmpty ? "" : "publications:\n" + publications.joined())
    }

    /// The devices, as a file for the simulator.
    func devices() -> String {
        var text = Self.products + "devices:\n"
        for index in 0..<deviceCount {
            text += "  \(name(index)): { uuid: \(uuid(index)), product: \(kind(index).product) }\n"
        }
        return text
    }

    private static let products = """
        products:
          hub:
            company: 0x0059
            product: 0x0110
            version: 1
            replay_list: 256
            features: [relay, proxy, friend]
            elements: [ { models: [configuration-server, health-server] } ]
          exit-light:
            company: 0x0059
            product: 0x0150
            version: 1
            replay_list: 128
            features: [relay, proxy]
            elements: [ { models: [configuration-server, health-server, generic-onoff-server] } ]
          lamp:
            company: 0x0059
            product: 0x0120
            version: 3
            replay_list: 64
            features: [relay, proxy]
            elements:
              - { models: [configuration-server, health-server, generic-onoff-server, generic-level-server, generic-power-onoff-server, generic-power-onoff-setup-server, light-lightness-server, light-lightness-setup-server, scene-server, scene-setup-server] }
          switch:
            company: 0x0059
            product: 0x0130
            version: 1
            replay_list: 16
            features: []
            elements:
              - { models: [configuration-server, health-server, generic-onoff-client] }
              - { models: [generic-level-client] }
          climate:
            company: 0x0059
            product: 0x0160
            version: 2
            replay_list: 64
            features: [relay, proxy]
            elements:
              - { models: [configuration-server, health-server, generic-onoff-server, generic-level-server] }
              - { models: [sensor-server, sensor-setup-server] }
          pir:
            company: 0x0059
            product: 0x0140
            version: 2
            replay_list: 16
            features: []
            elements: [ { models: [configuration-server, health-server, sensor-server, sensor-setup-server] } ]
          fan:
            company: 0x0059
            product: 0x0170
            version: 1
            replay_list: 64
            features: [relay, proxy]
            elements: [ { models: [configuration-server, health-server, generic-onoff-server, generic-level-server] } ]

        """
}
