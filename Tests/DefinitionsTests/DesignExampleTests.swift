import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Definitions that are right")
struct DesignExampleTests {
    static let text = """
        version: 1
        network: hq

        subnets:
          building: { index: 0 }
          guests:   { index: 0x001, key: { env: GUEST_KEY } }

        application_keys:
          lighting: { subnet: building }
          sensing:  { subnet: building, index: 7, key: { file: keys/sensing.hex } }

        groups:
          all-lights: { address: 0xC000 }
          kitchen:    { parent: all-lights }                    # address allocated at plan time, then kept
          alarm:      { label: 0073e7e4d8b9440faf8415df4c56c0e1 } # virtual address
          empty:

        profiles:
          luminaire:
            ttl: 5
            features: { relay: on, proxy: off, friend: no }
            secure_network_beacon: yes
            network_transmit: { count: 3, interval: 20ms }
            relay_retransmit: { count: 1 }
            elements:
              0:
                generic-onoff-server:   { keys: [lighting] }
                light-lightness-server: { keys: [lighting], subscribe: [all-lights, all-relays] }
                0x0059:0x0001:          { publish: none }
                0x1002:

        nodes:
          kitchen-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, profile: luminaire, address: 0x0010, tags: { room: kitchen } }
          kitchen-2: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0002, profile: luminaire, tags: { room: kitchen, floor: 2 } }
          switch-1:
            uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0003
            features: { proxy: on }
            protect: true
            on_remove: reset
            subnets: [building, guests]
            application_keys: []
            elements:
              1:
                generic-level-client:
                  publish:
                    to: kitchen-1/3
                    key: lighting
                    ttl: 1
                    period: 1.5s
                    retransmit: { count: 2, interval: 50ms }
                    friendship_credentials: off

        subscriptions:
          - { groups: [kitchen], models: [generic-onoff-server, light-lightness-server], nodes: { room: kitchen } }
          - { groups: [alarm], models: [0x1000], nodes: all, element: 0 }
          - { groups: [alarm], models: [generic-level-server], nodes: ["kitchen-*", switch-1] }

        publications:
          - { node: switch-1, model: generic-onoff-client, to: kitchen, key: lighting, ttl: 5, period: 10s,
              retransmit: { count: 2, interval: 50ms } }
          - { nodes: kitchen-*, model: generic-onoff-server, to: 0xC00F }
        """

    private func definition() throws -> Definition {
        let (definitions, problems) = definitions(Self.text)
        #expect(problems == [])
        return try #require(definitions.first)
    }

    private func at(_ line: UInt32, _ column: UInt32) -> DefinitionModel.SourceLocation {
        DefinitionModel.SourceLocation(file: 0, line: line, column: column)
    }

    @Test("Keys and subnets have names, indexes and sources")
    func keys() throws {
        let definition = try definition()
        #expect(definition.network == Located("hq", at: at(2, 10)))
        #expect(definition.subnets.map(\.name.value) == ["building", "guests"])
        #expect(definition.subnets[0].index == NetKeyIndex(rawValue: 0).map { Located($0, at: at(5, 22)) })
        #expect(definition.subnets[0].key == nil)
        #expect(definition.subnets[1].index?.value.rawValue == 1)
        #expect(definition.subnets[1].key?.value == .environment("GUEST_KEY"))
        #expect(definition.applicationKeys.map(\.name.value) == ["lighting", "sensing"])
        #expect(definition.applicationKeys.map(\.subnet.value) == ["building", "building"])
        #expect(definition.applicationKeys[0].index == nil)
        #expect(definition.applicationKeys[1].index?.value.rawValue == 7)
        #expect(definition.applicationKeys[1].key?.value == .file("keys/sensing.hex"))
    }

    @Test("Groups have addresses, labels, parents or nothing")
    func groups() throws {
        let definition = try definition()
        #expect(definition.groups.map(\.name.value) == ["all-lights", "kitchen", "alarm", "empty"])
        #expect(definition.groups[0].address?.value == GroupAddress(rawValue: 0xC000).map { .group($0) })
        #expect(definition.groups[1].address == nil)
        #expect(definition.groups[1].parent == Located("all-lights", at: at(14, 25)))
        let label = try #require(LabelUUID("0073e7e4d8b9440faf8415df4c56c0e1"))
        #expect(definition.groups[2].address?.value == .virtual(label))
        #expect(definition.groups[3].address == nil)
    }

    @Test("Profiles carry settings and models")
    func profiles() throws {
        let settings = try #require(try definition().profiles.first).settings
        #expect(settings.defaultTTL?.value == 5)
        #expect(settings.relay?.value == true)
        #expect(settings.proxy?.value == false)
        #expect(settings.friend?.value == false)
        #expect(settings.secureNetworkBeacon?.value == true)
        // Three transmissions are two retransmissions.
        #expect(settings.networkTransmit?.value == TransmitParameters(count: 2, steps: 1))
        #expect(settings.relayRetransmit?.value == TransmitParameters(count: 0, steps: 0))
        #expect(settings.subnets == nil)
        let models = try #require(settings.elements[0]).models
        #expect(
            models.map(\.identifier.value) == [
                .sig(0x1000), .sig(0x1300), .vendor(company: 0x0059, model: 1), .sig(0x1002),
            ]
        )
        #expect(models[0].keys?.value.map(\.value) == ["lighting"])
        #expect(models[0].subscribe == nil)
        #expect(models[1].subscribe?.value.map(\.value) == ["all-lights", "all-relays"])
        #expect(models[1].publish == nil)
        let publish = try #require(models[2].publish)
        #expect(publish.value == nil)
        #expect(models[3].keys == nil && models[3].subscribe == nil && models[3].publish == nil)
    }

    @Test("Nodes carry identity, place, tags and their own settings")
    func nodes() throws {
        let nodes = try definition().nodes
        #expect(nodes.map(\.name.value) == ["kitchen-1", "kitchen-2", "switch-1"])
        #expect(nodes[0].uuid.value == DeviceUUID("0d5c5a0e6f5b4f0ea1a50b1f1c1f0001"))
        #expect(nodes[0].profile?.value == "luminaire")
        #expect(nodes[0].address?.value.rawValue == 0x0010)
        #expect(nodes[0].tags.mapValues(\.value) == ["room": "kitchen"])
        #expect(nodes[1].tags.mapValues(\.value) == ["room": "kitchen", "floor": "2"])
        #expect(nodes[0].isProtected == nil && nodes[0].removalPolicy == nil && nodes[1].address == nil)
        #expect(nodes[2].isProtected?.value == true)
        #expect(nodes[2].removalPolicy?.value == .reset)
        #expect(nodes[2].settings.subnets?.value.map(\.value) == ["building", "guests"])
        #expect(nodes[2].settings.applicationKeys?.value == [])
        #expect(nodes[2].settings.proxy?.value == true && nodes[2].settings.relay == nil)
    }

    @Test("A model's publication has all its parts")
    func publication() throws {
        let model = try #require(try definition().nodes[2].settings.elements[1]?.models.first)
        let settings = try #require(model.publish?.value)
        #expect(settings.target.value == .element(node: "kitchen-1", index: 3))
        #expect(settings.key?.value == "lighting")
        #expect(settings.ttl?.value == 1)
        #expect(settings.period?.value == PublishPeriod(steps: 15, resolution: .hundredMilliseconds))
        #expect(settings.retransmit?.value == PublishRetransmit(count: 2, steps: 0))
        #expect(settings.usesFriendshipCredentials?.value == false)
    }

    @Test("Rules select nodes by tag, by name, by pattern or all")
    func rules() throws {
        let definition = try definition()
        let subscriptions = definition.subscriptions
        #expect(subscriptions.map(\.location.line) == [54, 55, 56])
        #expect(subscriptions[0].groups.map(\.value) == ["kitchen"])
        #expect(subscriptions[0].models.map(\.value) == [.sig(0x1000), .sig(0x1300)])
        #expect(subscriptions[0].nodes.tags.mapValues(\.value) == ["room": "kitchen"])
        #expect(subscriptions[0].nodes.names == nil && subscriptions[0].element == nil)
        #expect(subscriptions[1].nodes.names == nil && subscriptions[1].nodes.tags.isEmpty)
        #expect(subscriptions[1].element?.value == 0)
        #expect(subscriptions[2].nodes.names?.map(\.value) == ["kitchen-*", "switch-1"])
        let publications = definition.publications
        #expect(publications.map(\.model.value) == [.sig(0x1001), .sig(0x1000)])
        #expect(publications[0].nodes.names?.map(\.value) == ["switch-1"])
        #expect(publications[0].settings.target.value == .name("kitchen"))
        #expect(publications[0].settings.period?.value == PublishPeriod(steps: 10, resolution: .seconds))
        #expect(publications[1].nodes.names?.map(\.value) == ["kitchen-*"])
        #expect(publications[1].settings.target.value == .address(Address(rawValue: 0xC00F)))
    }
}
