import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Execution

@Suite("A bearer that hears nobody")
struct DeafBearerTests {
    private let home = [ProxyField.home]
    private let gone = BearerError("the gateway does not answer", hint: "Start it again.")

    @Test("why it hears nobody is told to the end, not that nobody is in reach", arguments: [false, true])
    func told(demandsProxy: Bool) throws {
        var policy = LinkPolicy()
        if demandsProxy { policy.proxy = try .node(unicast(0x10), name: "lamp") }
        let field = try ProxyField(policy: policy)
        let lamp = try field.add("lamp", 0x10, home)
        lamp.isOn = false
        field.deafness = gone
        try field.request(lamp)
        try field.run(for: .seconds(120))
        let down = field.logged("down")
        #expect(down.count == policy.maximumAttempts)
        #expect(down.allSatisfy { $0.hasPrefix("down: the gateway does not answer") }, "\(down)")
        #expect(down.last?.hasSuffix("for good") == true)
    }

    @Test("once it hears again, a proxy is found, and an empty building is called one")
    func hearsAgain() throws {
        let field = try ProxyField(policy: LinkPolicy())
        let lamp = try field.add("lamp", 0x10, home)
        lamp.isOn = false
        field.deafness = gone
        try field.request(lamp)
        try field.run(for: .seconds(12))
        #expect(field.logged("down").count == 1)
        field.deafness = nil
        try field.run(for: .seconds(12))
        #expect(field.logged("down").last?.contains("no proxy of the network is in reach") == true)
        lamp.isOn = true
        try field.run(for: .seconds(20))
        #expect(field.logged("answered").count == 1)
    }
}
