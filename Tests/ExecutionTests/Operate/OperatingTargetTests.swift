import Execution
import MeshCore
import TestSupport
import Testing

@Suite("Targets")
struct OperatingTargetTests {
    @Test(
        "are nodes, elements, groups, tags and patterns",
        arguments: [
            ("lamp-1", OperatingTarget.nodes("lamp-1", element: nil)), ("lamp-1/1", .nodes("lamp-1", element: 1)),
            ("lamp-*", .nodes("lamp-*", element: nil)), ("*/0", .nodes("*", element: 0)),
            ("0x0010", .nodes("0x0010", element: nil)), ("group.kitchen", .group("kitchen")),
            ("group.0xC001", .group("0xC001")), ("room=kit*", .tag(name: "room", value: "kit*")),
        ]
    )
    func reading(text: String, target: OperatingTarget) throws {
        #expect(try OperatingTarget(text) == target)
    }

    @Test("without a form are refused", arguments: ["", "group.", "=a", "room=", "lamp/", "lamp/x", "lamp/255", "/1"])
    func malformed(text: String) {
        #expect(throws: TargetError.malformed(text)) { try OperatingTarget(text) }
    }

    private func elements(_ text: String, tags: [DeviceUUID: [String: String]]? = nil) throws -> [String] {
        let network = try LitHouse.network(lamps: 3)
        let resolver = TargetResolver(network, names: ["old-lamp": uuid(2)], tags: tags)
        return try resolver.resolve(OperatingTarget(text)).elements.map { part in
            "\(network.nodes[part.node].name)/\(part.element)"
        }
    }

    @Test("stand for elements of the database")
    func resolving() throws {
        #expect(try elements("lamp-2") == ["lamp-2/0", "lamp-2/1"])
        #expect(try elements("lamp-2/1") == ["lamp-2/1"])
        #expect(try elements("0x0020") == ["lamp-2/0", "lamp-2/1"])
        #expect(try elements("0x0021") == ["lamp-2/1"], "the address of an element means that element")
        #expect(try elements("old-lamp/0") == ["lamp-2/0"], "a definition may have another name")
        #expect(try elements("lamp-*/0") == ["lamp-1/0", "lamp-2/0", "lamp-3/0"])
        #expect(try elements("*/0") == ["lamp-1/0", "lamp-2/0", "lamp-3/0"], "provisioners are not meant")
        #expect(try elements("group.kitchen") == ["lamp-1/0", "lamp-2/0"])
        #expect(try elements("group.0xc001") == ["lamp-1/0", "lamp-2/0"])
        let tags = [uuid(3): ["room": "kitchen"], uuid(1): ["room": "hall"]]
        #expect(try elements("room=k*", tags: tags) == ["lamp-3/0", "lamp-3/1"])
    }

    @Test("of a group are the models that subscribe to it, and those that share their list")
    func members() throws {
        var network = try LitHouse.network(lamps: 1)
        // Light Lightness extends Generic OnOff, through Generic Power OnOff; a Battery Server extends nothing.
        network.nodes[1].elements[0].models += [0x1300, 0x1006, 0x1002, 0x100C].map { Model(identifier: .sig($0)) }
        let target = try TargetResolver(network).resolve(.group("kitchen"))
        let models = try required(target.elements.first).models.map(\.identifier)
        #expect(models == [House.onOffServer, .sig(0x1300), .sig(0x1006), .sig(0x1002)])
        #expect(target.group?.name == "kitchen" && !target.isSelector)
    }

    @Test("that nothing has are told, with what is probably meant")
    func unknown() throws {
        #expect(throws: TargetError.noNode("lamp-9x", suggestion: nil)) {
            _ = try TargetResolver(try House.network(lamps: 0)).resolve(.nodes("lamp-9x", element: nil))
        }
        #expect(throws: TargetError.noNode("lampp-2", suggestion: "lamp-2")) { _ = try elements("lampp-2") }
        #expect(throws: TargetError.noNode("kitchen", suggestion: "group.kitchen")) { _ = try elements("kitchen") }
        #expect(throws: TargetError.noGroup("kitchn", suggestion: "group.kitchen")) { _ = try elements("group.kitchn") }
        #expect(throws: TargetError.noElement(2, node: "lamp-1", count: 2)) { _ = try elements("lamp-1/2") }
        #expect(throws: TargetError.noMatch("desk-*")) { _ = try elements("desk-*") }
        #expect(throws: TargetError.tagsUnknown("room=hall")) { _ = try elements("room=hall") }
        #expect(throws: TargetError.noTag("room=hal", suggestion: "room=hall")) {
            _ = try elements("room=hal", tags: [uuid(1): ["room": "hall"]])
        }
        var network = try LitHouse.network(lamps: 2)
        network.nodes[2].name = "lamp-1"
        do {
            _ = try TargetResolver(network).resolve(.nodes("lamp-1", element: nil))
            Issue.record("two nodes have the name")
        } catch {
            guard case .severalNodes("lamp-1", let texts) = error else { throw error }
            #expect(texts.count == 2 && texts[1].contains("0x0020"))
        }
    }
}
