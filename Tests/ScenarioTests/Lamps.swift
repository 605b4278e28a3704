import Foundation

/// Three unprovisioned lamps, and the definition of a network of them.
enum Lamps {
    /// The path of their file in a house.
    static let devices = "box/devices.yaml"

    /// The UUID of one of them, 1...3.
    static func uuid(_ lamp: Int) -> String { "5b0e7c52-6b7e-4d39-9a40-5e2d0000000\(lamp)" }

    /// A house with only the devices and the definition.
    static func house() async throws -> House {
        let house = try House.empty()
        try house.write(box, to: devices)
        try house.write(definition, to: "villa.yaml")
        let start = try await house.meshplan(["init", "--network", "villa"])
        guard start.status == 0 else { throw ScenarioError(start.output) }
        return house
    }

    /// The file with the devices.
    static let box = """
        products:
          lamp:
            company: 0x0059
            features: [relay, proxy]
            elements:
              - { models: [configuration-server, health-server, generic-onoff-server, generic-level-server] }
            provisioning: { algorithms: [cmac] }
        devices:
          lamp-1: { uuid: \(uuid(1)), product: lamp }
          lamp-2: { uuid: \(uuid(2)), product: lamp }
          lamp-3: { uuid: \(uuid(3)), product: lamp }
        """

    /// The definition for them.
    private static let definition = """
        version: 1
        network: villa
        subnets: { home: { index: 0 } }
        application_keys: { light: { subnet: home, index: 0 } }
        groups: { lamps: {} }
        profiles:
          lamp:
            features: { relay: on }
            elements: { 0: { generic-onoff-server: { keys: [light], subscribe: [lamps] } } }
        nodes:
          lamp-1: { uuid: \(uuid(1)), profile: lamp, address: 0x0011 }
          lamp-2: { uuid: \(uuid(2)), profile: lamp, address: 0x0012 }
          lamp-3: { uuid: \(uuid(3)), profile: lamp, address: 0x0013 }
        """
}
