import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import TestSupport

/// A proxy, nodes with a Remote Provisioning Server that it hears, and devices that hear some of those.
enum RemoteCommissioning {
    /// A device that offers PB-ADV alone, so that no bearer hears it.
    static func device(_ number: Int, isServer: Bool = false) -> DeviceDescription {
        var device = Commissioning.device(number)
        device.provisioningBearers = .advertising
        if isServer { device.composition.elements[0].models.append(.remoteProvisioningServer) }
        return device
    }

    /// A site whose lamp 1 is the proxy and whose other lamps are servers.
    ///
    /// - Parameters:
    ///   - servers: how many there are, 0 or more.
    ///   - heard: who hears a device; `(lamp, device)`, from 1. Nil if every server hears every device.
    ///   - chained: devices that hear each other.
    static func site(
        _ devices: [DeviceDescription],
        servers: Int = 1,
        heard: [(lamp: Int, device: Int, copyLoss: Double?)]? = nil,
        chained: [(Int, Int)] = [],
        settings: WorldSettings = .ideal,
        seed: UInt64 = 1
    ) throws -> Commissioning {
        var settings = settings
        let lamps = (1...servers + 1).map { uuid(UInt64($0)) }
        let every = devices.indices.flatMap { device in
            (0..<servers).map { (lamp: $0 + 2, device: device + 1, copyLoss: Double?.none) }
        }
        var links = lamps.dropFirst().map { WorldSettings.RadioLink(lamps[0], $0) }
        for entry in heard ?? every {
            var link = WorldSettings.RadioLink(lamps[entry.lamp - 1], devices[entry.device - 1].uuid)
            link.copyLoss = entry.copyLoss
            links.append(link)
        }
        for (first, second) in chained {
            links.append(WorldSettings.RadioLink(devices[first - 1].uuid, devices[second - 1].uuid))
        }
        settings.topology = .links(links)
        return try Commissioning(devices, lamps: servers + 1, settings: settings, seed: seed) { network in
            for place in network.nodes.indices {
                guard let number = lamps.firstIndex(of: network.nodes[place].uuid), number > 0 else { continue }
                network.nodes[place].elements[0].models.append(Model(identifier: .remoteProvisioningServer))
            }
        }
    }
}

extension Commissioning {
    /// The devices that were provisioned through nodes, in the order of their links, with the number of the lamp.
    var carried: [(device: DeviceUUID, server: DeviceUUID)] {
        events.compactMap { event in
            guard case .provisioningStage(let device, .connectingThrough(let server)) = event else { return nil }
            return (device, server)
        }
    }
}
