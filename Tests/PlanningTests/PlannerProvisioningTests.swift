import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Plans that provision, replace and reset")
struct PlannerProvisioningTests {
    private let lamp3 = "  lamp-3: { uuid: 00000000000000000000000000000031, "

    @Test("A device that is no node is provisioned, configured, and completed when its composition is known")
    func provision() throws {
        let yaml =
            Office.nodes() + lamp3
            + "ttl: 9, features: { relay: on, proxy: off }, "
            + "elements: { 0: { generic-onoff-server: { keys: [lighting], subscribe: [all-lights] } } } }\n"
            + "subscriptions: [{ groups: [alarm], models: [generic-level-server], nodes: lamp-3 }]"
        #expect(
            try Office().plan(yaml) == """
                + node.lamp-3 -> [at an address that apply chooses, in subnet building]
                ~ node.lamp-3.composition
                + node.lamp-3.application_key.lighting -> [index 0]
                ~ node.lamp-3.ttl -> [9]
                + node.lamp-3.element[0].generic-onoff-server.binding.lighting -> [index 0] (deferred)
                + node.lamp-3.element[0].generic-onoff-server.subscription.all-lights -> [0xC000] (deferred)
                + node.lamp-3.element[0].generic-level-server.subscription.alarm \
                -> [000000000000000a000000000000000b] (deferred)
                ~ node.lamp-3.relay -> [on] (deferred)
                ~ node.lamp-3.proxy -> [off] (deferred)
                0 lamp-3: provision in 0
                1 lamp-3: read composition 0 after 0
                2 lamp-3: add AppKey 0 in 0 after 0
                3 lamp-3: set TTL 9 after 0
                4 lamp-3: configure when known after 0,1
                | 5 lamp-3: configure when known after 0,1
                """
        )
        let plan = try #require(try Office().result(Office.definition + yaml).plan)
        let lamp = try #require(plan.nodes.first)
        #expect(lamp.action == .provision && lamp.address == nil)
        #expect(plan.notes.first == "1 device is provisioned into subnet building.")
    }

    @Test("A fixed address, the network's demands and the node's settings are in the order")
    func order() throws {
        let yaml =
            "provisioning: { require: authenticated }\n"
            + "profiles: { lamp: { provisioning: { oob: static, attention: 5s } } }\n" + Office.nodes() + lamp3
            + "profile: lamp, address: 0x0020, protect: on, on_remove: reset, "
            + "provisioning: { static: { env: LAMP }, public_key: { file: k } } }\n"
        let plan = try #require(try Office().result(Office.definition + yaml).plan)
        var order = ProvisioningOrder(
            uuid: DeviceUUID(rawValue: Octets16(high: 0, low: 0x31)),
            name: "lamp-3",
            netKeyIndex: .primary
        )
        order.address = UnicastAddress(rawValue: 0x0020)
        order.isProtected = true
        order.removalPolicy = .reset
        order.method = .staticOOB
        order.assurance = .authenticated
        order.staticValue = .environment("LAMP")
        order.publicKeyFile = "k"
        order.attention = 5
        #expect(plan.steps.first?.work == .provision(order))
        #expect(plan.changes.first?.after == "at 0x0020, in subnet building, Static OOB, public key from k")
        #expect(plan.nodes.first?.address == order.address)
    }

    @Test("A plan says what a claim is worth, and the order goes through a saved plan")
    func claimed() throws {
        let yaml =
            "provisioning: { require: claimed }\n" + Office.nodes() + lamp3 + "product: 0x0059:0x0007 }\n"
        let plan = try #require(try Office().result(Office.definition + yaml).plan)
        let words = "at an address that apply chooses, in subnet building, "
        #expect(plan.changes.first?.after == words + "claimed at least (an answer under AES-CMAC can be made up)")
        guard case .provision(let order)? = plan.steps.first?.work else {
            Issue.record("\(plan.steps)")
            return
        }
        #expect(order.assurance == .claimed)
        #expect(order.product == ProductIdentifier(company: 0x0059, product: 7))
    }

    @Test("Others publish to a device's fixed address at once, to one that is chosen later after it was provisioned")
    func publications() throws {
        let yaml =
            Office.nodes(
                lamp1: "elements: { 0: { generic-onoff-server: { publish: { to: lamp-3, key: lighting } } } }",
                lamp2: "elements: { 0: { generic-onoff-server: { publish: { to: lamp-4/1, key: lighting } } } }"
            ) + lamp3 + "address: 0x0020 }\n  lamp-4: { uuid: 00000000000000000000000000000041 }\n"
        #expect(
            try Office().plan(yaml) == """
                + node.lamp-1.element[0].generic-onoff-server.publication -> [to lamp-3, key lighting]
                + node.lamp-2.element[0].generic-onoff-server.publication -> [to lamp-4/1, key lighting] (deferred)
                + node.lamp-3 -> [at 0x0020, in subnet building]
                ~ node.lamp-3.composition
                + node.lamp-4 -> [at an address that apply chooses, in subnet building]
                ~ node.lamp-4.composition
                0 lamp-1: publish 0/generic-onoff-server 0x0020
                1 lamp-3: provision at 0x0020 in 0
                2 lamp-3: read composition 0 after 1
                3 lamp-4: provision in 0
                4 lamp-4: read composition 0 after 3
                5 lamp-2: configure when known to publish to lamp-4 after 3
                """
        )
    }

    @Test("A node that was seen unprovisioned is provisioned again with all it had, and others follow it")
    func replacement() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.unprovisionedSeenAt = Timestamp(rawValue: 1) }
        let yaml = Office.nodes(
            lamp1: "ttl: 5",
            switch1: "elements: { 0: { generic-onoff-client: { publish: { to: lamp-1, key: lighting } } } }"
        )
        #expect(
            try office.plan(yaml) == """
                -/+ node.lamp-1 [0x0010, seen unprovisioned] \
                -> [at an address that apply chooses, in subnet building]
                ~ node.lamp-1.composition
                ~ node.lamp-1.ttl -> [5]
                ~ node.switch-1.element[0].generic-onoff-client.publication \
                [to kitchen, key lighting] -> [to lamp-1, key lighting] (deferred)
                0 lamp-1: provision again in 0
                1 lamp-1: read composition 0 after 0
                2 lamp-1: set TTL 5 after 0
                3 switch-1: configure when known to publish to lamp-1 after 0
                """
        )
    }

    @Test("A proxy that carries another subnet is provisioned first and gets its key before others are spoken to in it")
    func carriers() throws {
        let yaml =
            Office.nodes() + "  sensor: { uuid: 00000000000000000000000000000041, subnets: [guests] }\n" + lamp3
            + "subnets: [building, guests], features: { proxy: on } }\n"
        #expect(
            try Office().plan(yaml) == """
                + node.sensor -> [at an address that apply chooses, in subnet guests]
                ~ node.sensor.composition
                + node.lamp-3 -> [at an address that apply chooses, in subnet building]
                ~ node.lamp-3.composition
                + node.lamp-3.subnet.guests -> [index 1]
                ~ node.lamp-3.proxy -> [on] (deferred)
                0 lamp-3: provision in 0
                1 lamp-3: add NetKey 1 after 0
                | 2 sensor: provision in 1
                3 sensor: read composition 0 after 2
                4 lamp-3: read composition 0 after 0
                5 lamp-3: configure when known after 0,4
                """
        )
    }

    @Test("Nodes that are to be reset leave last, proxies and relays after the others")
    func reset() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.removalPolicy = .reset }
        try office.change("lamp-2") { node in
            node.removalPolicy = .reset
            node.features = Node.Features(relay: .disabled, proxy: .disabled)
        }
        let yaml = "nodes: { switch-1: { uuid: 00000000000000000000000000000013, ttl: 9, on_remove: reset } }"
        #expect(
            try office.plan(yaml) == """
                ~ node.switch-1 [name switch-1] -> [name switch-1, reset when removed]
                ~ node.switch-1.ttl [5] -> [9]
                - node.lamp-1 [0x0010]
                - node.lamp-2 [0x0012]
                0 manage switch-1 reset
                1 switch-1: set TTL 9
                | 2 lamp-2: reset
                | 3 lamp-1: reset
                """
        )
    }

    @Test("An earlier attempt whose outcome nobody knows is told, and the database may know devices nobody asks for")
    func pending() throws {
        var office = try Office()
        for low: UInt64 in [0x31, 0x51] {
            office.network.recordAttempt(
                PendingProvisioning(
                    uuid: DeviceUUID(rawValue: Octets16(high: 0, low: low)),
                    name: "lamp",
                    address: try #require(UnicastAddress(rawValue: UInt16(low))),
                    elementCount: 2,
                    deviceKeys: [KeyMaterial(Octets16(high: 1, low: 1))],
                    netKeyIndex: .primary,
                    isSecurelyProvisioned: false,
                    attemptedAt: Timestamp(rawValue: 1)
                )
            )
        }
        let result = try office.result(Office.definition + Office.nodes() + lamp3 + "}\n")
        let plan = try #require(result.plan)
        #expect(
            plan.changes.first?.after == "at an address that apply chooses, in subnet building "
                + "(an earlier attempt may have succeeded; apply finds out first)"
        )
        #expect(
            plan.notes.last
                == "1 device that is not in the definition may have been provisioned; its address stays reserved."
        )
        #expect(
            try office.diagnostics(Office.nodes() + lamp3 + "address: 0x0033 }") == """
                5 error: an earlier attempt may have given node `lamp-3` the address 0x0031, not 0x0033; \
                Leave the address out, or write 0x0031, until apply has found out the result
                """
        )
        #expect(
            try office.diagnostics(
                Office.nodes() + "  lamp-3: { uuid: 00000000000000000000000000000032, address: 0x0052 }"
            ) == """
                5 error: address 0x0052 of node `lamp-3` is reserved for `lamp`, whose provisioning may have \
                succeeded; \
                Leave the address out, or give one that is free
                """
        )
    }

    @Test(
        "A fixed address must be free",
        arguments: [
            ("0x0013", "address 0x0013 of node `lamp-3` is taken by node `lamp-2`"),
            ("0x0100", "address 0x0100 of node `lamp-3` is not in the range of meshplan's provisioner"),
            (
                "0x0030",
                "address 0x0030 of node `lamp-3` was in use by a node that is gone and cannot be assigned before IV "
                    + "index 9 (now 8)"
            ),
            ("0x0031", nil),
        ] as [(String, String?)]
    )
    func fixedAddress(_ address: String, _ expected: String?) throws {
        var office = try Office()
        office.network.ivIndex = IVIndex(value: 6)
        office.network.exclude([0x0031])
        office.network.ivIndex = IVIndex(value: 7)
        office.network.exclude([0x0030])
        office.network.ivIndex = IVIndex(value: 8)
        let yaml = Office.definition + Office.nodes() + lamp3 + "address: \(address) }"
        #expect(try office.result(yaml).diagnostics.first?.message == expected)
    }

    @Test("A replaced node cannot keep its address, two devices cannot share one, and a UUID stands for one node")
    func conflicts() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.unprovisionedSeenAt = Timestamp(rawValue: 1) }
        #expect(
            try office.diagnostics(Office.nodes(lamp1: "address: 0x0010")) == """
                2 error: address 0x0010 of node `lamp-1` was in use by it before its reset and cannot be assigned \
                before IV index 2 (now 0); Leave the address out, or give one that is free
                """
        )
        let twice = lamp3 + "address: 0x0020 }\n  lamp-4: { uuid: 00000000000000000000000000000041, address: 0x0020 }"
        let result = try Office().result(Office.definition + Office.nodes() + twice, isChecked: false)
        #expect(result.diagnostics.map(\.message).contains("address 0x0020 of node `lamp-4` is that of node `lamp-3`"))
        let same = lamp3 + "}\n  lamp-4: { uuid: 00000000000000000000000000000031 }"
        let second = try Office().result(Office.definition + Office.nodes() + same, isChecked: false)
        #expect(second.diagnostics.map(\.message) == ["node `lamp-4` has the UUID of node `lamp-3`"])
        let recorded = "  lamp-4: { uuid: 00000000000000000000000000000011 }"
        let third = try Office().result(Office.definition + Office.nodes() + recorded, isChecked: false)
        #expect(third.diagnostics.map(\.message) == ["node `lamp-4` has the UUID of node `lamp-1`"])
    }

    @Test("A node without a device key cannot be reset, unless it was seen to be unprovisioned")
    func unreachable() throws {
        var office = try Office()
        try office.change("lamp-2") { node in
            node.removalPolicy = .reset
            node.deviceKey = nil
        }
        let yaml = "nodes: { lamp-1: { uuid: 00000000000000000000000000000011 } }"
        #expect(
            try office.diagnostics(yaml).hasPrefix(
                "- error: node `lamp-2` (0x0012) has no device key in the database, so it cannot be reset"
            )
        )
        try office.change("lamp-2") { $0.unprovisionedSeenAt = Timestamp(rawValue: 1) }
        #expect(try office.plan(yaml).contains("- node.lamp-2 [0x0012, seen unprovisioned]"))
        try office.change("lamp-2") { $0.isProtected = true }
        #expect(try office.result(Office.definition + yaml).refusals == [.protectedNode])
    }
}
