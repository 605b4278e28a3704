import DefinitionModel
import Definitions
import Foundation
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Adopted networks")
struct AdoptionTests {
    /// A building of equal lamps, one of which may be changed.
    private func building(lamps: Int, _ change: (Int, inout Node) throws -> Void = { _, _ in }) throws -> MeshNetwork {
        var network = try Office().network
        let lamp = try #require(network.nodes.first { $0.name == "lamp-1" })
        network.nodes.removeAll { $0.uuid != network.ownProvisioner }
        for number in 0..<lamps {
            var node = lamp
            node.uuid = DeviceUUID(rawValue: Octets16(high: 1, low: UInt64(number)))
            node.name = "Lamp \(number + 1)"
            node.unicastAddress = try #require(UnicastAddress(rawValue: UInt16(0x0100 + number * 2)))
            node.isManaged = false
            try change(number, &node)
            network.nodes.append(node)
        }
        return network
    }

    @Test(
        "A hundred equal lamps are one profile and a hundred short lines, three odd ones say what they have otherwise"
    )
    func lamps() throws {
        let kitchen = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC001)))
        let network = try building(lamps: 103) { number, node in
            switch number {
            case 7: node.defaultTTL = 9
            case 50:
                node.elements[0].models[1].subscriptions.append(kitchen)
                node.features.relay = .disabled
            case 99: node.elements[1].models[0].bindings = []
            default: break
            }
        }
        let adopted = try AdoptedNetwork(network, "lamps")
        expectSnapshot(adopted.text, "adopted-lamps.yaml")
        #expect(adopted.adoption.leftOut.isEmpty && adopted.adoption.notes.isEmpty)
        let lines = adopted.text.split(separator: "\n").filter { $0.hasSuffix("profile: lamp }") }
        #expect(lines.count == 100)
    }

    @Test("Rooms, and switches that publish to them, become rules; what a composition lacks makes a kind of its own")
    func rooms() throws {
        var network = try Office().network
        let lighting = try #require(AppKeyIndex(rawValue: 0))
        let rooms = try ["Hall", "Kitchen", "Bad / Süd"].enumerated().map { number, name in
            Group(name: name, address: .group(try #require(GroupAddress(rawValue: UInt16(0xC100 + number)))))
        }
        network.groups += rooms
        let names = ["Hall", "Kitchen", "Bath"]
        var nodes = try building(lamps: 12) { number, node in
            node.name = "\(names[number % 3]) Lamp \(number / 3)"
            node.elements[0].models[1].subscriptions.append(rooms[number % 3].address)
            node.elements[0].models[2].subscriptions.append(rooms[number % 3].address)
        }.nodes
        let client = try #require(network.nodes.first { $0.name == "switch-1" })
        for (number, room) in rooms.enumerated() {
            guard case .group(let address) = room.address else { continue }
            var node = client
            node.uuid = DeviceUUID(rawValue: Octets16(high: 2, low: UInt64(number)))
            node.name = "switch \(names[number])"
            node.unicastAddress = try #require(UnicastAddress(rawValue: UInt16(0x0200 + number)))
            node.isManaged = false
            node.elements[0].models[0].publication = Publication(
                address: .group(address),
                appKeyIndex: lighting,
                period: try #require(PublishPeriod(steps: 1, resolution: .tenMinutes))
            )
            nodes.append(node)
        }
        network.nodes = nodes
        expectSnapshot(try AdoptedNetwork(network, "rooms").text, "adopted-rooms.yaml")
    }

    @Test("A profile is not called by a kind of lamp that only some of its nodes are")
    func names() throws {
        func profiles(_ name: (Int) -> String) throws -> [String] {
            let network = try building(lamps: 9) { number, node in node.name = name(number) }
            return try AdoptedNetwork(network, "names").definition.profiles.map(\.name.value)
        }
        #expect(try profiles { "lamp-\($0 < 6 ? "wall" : "window")-\($0)" } == ["lamp"])
        #expect(try profiles { "lamp-wall-\($0)" } == ["lamp-wall"])
        // One of its own kind is an exception.
        #expect(try profiles { $0 < 8 ? "lamp-wall-\($0)" : "lamp-special" } == ["lamp-wall"])
    }

    @Test("A group that all nodes share is a rule for all, if their profile has no groups; others are told by name")
    func everybody() throws {
        let groups = try (0..<3).map { number in
            Group(
                name: "hall-\(number)",
                address: .group(try #require(GroupAddress(rawValue: UInt16(0xC100 + number))))
            )
        }
        // Most nodes have each group, and none has all of them, so that no list suits a profile.
        var network = try building(lamps: 3) { number, node in
            for other in groups.indices where other != number {
                node.elements[0].models[1].subscriptions.append(groups[other].address)
            }
        }
        network.groups += groups
        let rules = try AdoptedNetwork(network, "everybody").definition.subscriptions.map { rule in
            let nodes = rule.nodes.names?.map(\.value).joined(separator: ", ") ?? "all"
            return "\(rule.groups.map(\.value).joined(separator: ", ")) of \(nodes)"
        }
        #expect(
            rules == [
                "all-lights of all", "hall-1 of lamp-1, lamp-3", "hall-2 of lamp-1, lamp-2",
                "hall-0 of lamp-2, lamp-3",
            ]
        )
    }

    @Test("What a definition cannot say is named and left alone")
    func notes() throws {
        var network = try Office().network
        let virtual = try #require(VirtualAddress(rawValue: 0x8123))
        let unused = try #require(AppKeyIndex(rawValue: 1))
        for place in network.nodes.indices { network.nodes[place].isManaged = false }
        func change(_ name: String, _ change: (inout Node) -> Void) throws {
            let place = try #require(network.nodes.firstIndex { $0.name == name })
            change(&network.nodes[place])
        }
        try change("lamp-1") { node in
            node.elements[0].models[1].subscriptions = [.unknownLabel(virtual)]
            node.elements[0].models[2].bindings.append(unused)
            node.record(
                .heartbeatSubscription(
                    HeartbeatSubscription(source: .first, destination: Address(rawValue: 0xC000), periodLog: nil)
                )
            )
            node.elements[1].models[0].publication = Publication(address: .unknownLabel(virtual), appKeyIndex: .first)
        }
        try change("lamp-2") { $0.elements = [Element(), Element()] }
        try change("switch-1") { $0.isExcluded = true }
        let adopted = try AdoptedNetwork(network, "notes")
        let lines = (adopted.adoption.leftOut + adopted.adoption.notes).map { "\($0.subject): \($0.text)" }
        #expect(
            lines.joined(separator: "\n") == """
                node lamp-2 (0x0012): its elements and models are unknown; add it by hand, and apply reads them
                node switch-1 (0x0014): excluded from the network
                node lamp-1 (0x0010): the heartbeats it counts: for how long is not known; reading the nodes back finds out
                node lamp-1 (0x0010): the subscriptions of generic-onoff-server: 0x8123 cannot be declared
                node lamp-1 (0x0010): the application keys of light-lightness-server: the node, or the database, lacks one of them
                node lamp-1 (0x0010): the publication of generic-level-server on element 1: the database does not know \
                the label of 0x8123
                """
        )
    }

    @Test(
        "Names of databases become names of definitions",
        arguments: [
            (["kitchen"], ["kitchen"]), (["Küche Süd"], ["kuche-sud"]), (["Straße"], ["strasse"]),
            (["Brian\u{2019}s Lamp"], ["brians-lamp"]), (["灯", "灯"], ["node-0010", "node-0012"]),
            (["Lamp", "Lamp"], ["Lamp-0010", "Lamp-0012"]), (["a b", "a-b"], ["a-b-0010", "a-b-0012"]),
            (["all", "provisioner"], ["all-0010", "provisioner-0012"]),
            (["kitchen!", "alarm"], ["kitchen-0010", "alarm-0012"]),
            (["Lamp", "Lamp", "Lamp-0010"], ["Lamp-0010-2", "Lamp-0012", "Lamp-0010"]),
        ] as [([String], [String])]
    )
    func names(recorded: [String], expected: [String]) throws {
        var network = try building(lamps: recorded.count)
        for (number, name) in recorded.enumerated() {
            network.nodes[number + 1].name = name
            network.nodes[number + 1].unicastAddress = try #require(UnicastAddress(rawValue: UInt16(0x10 + number * 2)))
        }
        if !recorded.contains("kitchen!") { network.groups.removeAll { $0.name == "kitchen" } }
        let adopted = try AdoptedNetwork(network, "\(recorded)")
        #expect(adopted.definition.nodes.map(\.name.value) == expected)
        #expect(adopted.network.nodes.dropFirst().map(\.name) == expected)
    }

    @Test("What is written of a network that was applied is what is managed already")
    func managed() throws {
        var office = try Office()
        try office.apply(Office.definition + Office.nodes(lamp1: "protect: on", lamp2: "on_remove: reset"))
        let adopted = try AdoptedNetwork(office.network, "managed")
        #expect(adopted.text.contains("protect: on") && adopted.text.contains("on_remove: reset"))
        #expect(adopted.network.nodes.map(\.name) == office.network.nodes.map(\.name))
    }

    @Test("A lamp of which the bindings are not known shares no profile with lamps of which the groups are not known")
    func kinds() throws {
        let virtual = try #require(VirtualAddress(rawValue: 0x8123))
        let strange = try #require(AppKeyIndex(rawValue: 9))
        let network = try building(lamps: 4) { number, node in
            if number < 3 {
                node.elements[0].models[1].subscriptions = [.unknownLabel(virtual)]
            } else {
                node.elements[0].models[1].bindings = [strange]
            }
        }
        let adopted = try AdoptedNetwork(network, "kinds")
        #expect(adopted.definition.nodes.map { $0.profile?.value } == ["lamp", "lamp", "lamp", nil])
    }
}
