import DefinitionModel
import Definitions
import MeshCore
import Planning
import TestSupport

func unicast(_ value: UInt16) throws -> UnicastAddress { try required(UnicastAddress(rawValue: value)) }

func uuid(_ number: UInt64) -> DeviceUUID { DeviceUUID(rawValue: Octets16(high: 0xA0, low: number)) }

func secret(_ number: UInt64) -> KeyMaterial { KeyMaterial(Octets16(high: 0x1122_3344_5566_7788, low: number)) }

/// A house of lamps as a database knows it before anything is configured, and what its definition wants.
enum House {
    static let guests = NetKeyIndex(rawValue: 1)
    static let onOffServer = ModelIdentifier.sig(0x1000)
    static let onOffClient = ModelIdentifier.sig(0x1001)
    static let vendorModel = ModelIdentifier.vendor(company: 0x0059, model: 0x0001)

    static func lamp(_ number: Int) throws -> Node {
        var node = Node(
            uuid: uuid(UInt64(number)),
            name: "lamp-\(number)",
            unicastAddress: try unicast(UInt16(0x10 * number)),
            deviceKey: secret(0xD000 + UInt64(number)),
            elements: [
                Element(
                    location: 0x0100,
                    models: [
                        Model(identifier: .configurationServer), Model(identifier: .healthServer),
                        Model(identifier: onOffServer), Model(identifier: onOffClient),
                    ]
                ),
                Element(location: 0x0101, models: [Model(identifier: vendorModel)]),
            ],
            netKeys: [NodeKey(index: .primary)]
        )
        node.product = Node.Product(company: 0x0059, product: 1, version: 2, replayListSize: 40)
        node.features = Node.Features(
            relay: .enabled,
            proxy: number == 1 ? .enabled : .disabled,
            friend: .disabled,
            lowPower: .notSupported
        )
        node.defaultTTL = 5
        node.secureNetworkBeacon = true
        node.networkTransmit = TransmitParameters(octet: 0x0A)
        node.relayRetransmit = TransmitParameters(octet: 0x0A)
        return node
    }

    /// Ourselves at 0x0001 and that many lamps, the first of which is the proxy.
    static func network(lamps count: Int) throws -> MeshNetwork {
        let own = Node(
            uuid: uuid(0xFFFF),
            name: "meshplan",
            unicastAddress: try unicast(0x0001),
            deviceKey: secret(0xDFFF),
            netKeys: [NodeKey(index: .primary)]
        )
        let lamps = try (0..<count).map { try lamp($0 + 1) }
        return MeshNetwork(
            uuid: Octets16(high: 1, low: 2),
            name: "house",
            ivIndex: IVIndex(value: 5),
            netKeys: [NetKey(index: .primary, name: "home", key: secret(0x10))],
            provisioners: [
                Provisioner(
                    name: "meshplan",
                    uuid: own.uuid,
                    unicastRanges: [1...0x7FFF],
                    groupRanges: [0xC000...0xFEFF]
                )
            ],
            ownProvisioner: own.uuid,
            nodes: [own] + lamps
        )
    }

    /// Per lamp: two keys, two bindings, three subscriptions, a publication, and five states.
    ///
    /// - Parameter edit: changes the text before it is read.
    static func definition(lamps count: Int, _ edit: (String) -> String = { $0 }) throws -> Definition {
        let nodes = (1...count).map { number in
            "  lamp-\(number): { uuid: \(uuid(UInt64(number)).rawValue.hexadecimal), profile: lamp }"
        }
        let publications = (1...count).map { number in
            "  - { node: lamp-\(number), model: generic-onoff-client, to: \(number.isMultiple(of: 2) ? "alarm" : "all"), "
                + "key: lighting, ttl: 5, period: 10s }"
        }
        let text = """
            version: 1
            network: house
            subnets:
              home: { index: 0 }
              guests: { index: 1 }
            application_keys:
              lighting: { subnet: home }
              visitors: { subnet: guests }
            groups:
              all: { address: 0xC000 }
              kitchen: {}
              alarm: { label: 0073e7e4d8b9440faf8415df4c56c0e1 }
            profiles:
              lamp:
                ttl: 7
                subnets: [home, guests]
                features: { friend: on }
                network_transmit: { count: 3, interval: 20ms }
                relay_retransmit: { count: 3, interval: 30ms }
                elements:
                  0:
                    generic-onoff-server: { keys: [lighting, visitors], subscribe: [all, alarm] }
                    generic-onoff-client: { keys: [lighting] }
                  1:
                    0x0059:0x0001: { keys: [lighting], subscribe: [kitchen] }
            nodes:
            \(nodes.joined(separator: "\n"))
            publications:
            \(publications.joined(separator: "\n"))
            """
        let file = SourceFiles.File(path: "house.yaml", bytes: Array(edit(text).utf8))
        let (definitions, diagnostics) = DefinitionReader.read(files: SourceFiles(files: [file]))
        guard let definition = definitions.first, diagnostics.isEmpty else {
            throw UnusableDefinition(diagnostics: diagnostics)
        }
        return definition
    }
}

struct UnusableDefinition: Error {
    var diagnostics: [Diagnostic]
}
