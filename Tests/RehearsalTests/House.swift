import DefinitionModel
import MeshCore

/// A small building: two rooms with two lamps and a switch each, and a relay between all of them.
enum House {
    /// The names of the nodes; the first is the relay.
    static let names = [
        "hub", "lamp-hall-1", "lamp-hall-2", "lamp-cellar-1", "lamp-cellar-2", "switch-hall", "switch-cellar",
    ]

    /// The UUID of a node.
    static func uuid(of name: String) -> DeviceUUID {
        let number = names.firstIndex(of: name).map { UInt64($0 + 1) } ?? 0
        return DeviceUUID(rawValue: Octets16(high: 0x0D5C_5A0E_6F5B_4F0E, low: 0xA1A5_0B1F_1C1F_0000 + number))
    }

    /// The definition with tests.
    static func text(_ tests: String) -> String {
        let nodes = names.map { name in
            let parts = name.split(separator: "-")
            let profile = ["lamp": "lamp", "switch": "switch", "hub": "relay"][String(parts[0])] ?? ""
            let room = parts.count > 1 ? ", room: \(parts[1])" : ""
            return "  \(name): { uuid: \(uuid(of: name)), profile: \(profile), tags: { kind: \(parts[0])\(room) } }\n"
        }
        return """
            version: 1
            network: hq
            subnets: { building: { index: 0 } }
            application_keys: { lighting: { subnet: building } }
            groups: { hall: { address: 0xC000 }, cellar: { address: 0xC001 }, status: { address: 0xC002 } }
            profiles:
              relay:
                features: { relay: on, proxy: on }
                elements: { 0: { generic-onoff-client: { keys: [lighting] } } }
              switch: { features: { relay: off, proxy: off } }
              lamp:
                features: { relay: off, proxy: off }
                elements:
                  0:
                    generic-onoff-server: { keys: [lighting], publish: { to: status, key: lighting } }
                    light-lightness-server: { keys: [lighting] }
                    health-server: { keys: [lighting], publish: { to: status, key: lighting } }
            nodes:
            \(nodes.joined())
            subscriptions:
              - { groups: [hall], models: [generic-onoff-server], nodes: { kind: lamp, room: hall } }
              - { groups: [cellar], models: [generic-onoff-server], nodes: { kind: lamp, room: cellar } }
            publications:
              - { node: switch-hall, model: generic-onoff-client, to: hall, key: lighting }
              - { node: switch-cellar, model: generic-onoff-client, to: cellar, key: lighting }
            tests:
            \(tests)
            """
    }
}
