import Foundation
import MeshCore
import SystemLayer
import TestSupport
import Testing

@testable import Store

@Suite("Exports for other tools")
struct CDBExportTests {
    private static let samples = ["01-spec-example-kotlin-lib", "02-coral-reexport"]

    private static func document(_ name: String = samples[0]) throws -> CDBDocument {
        try CDBImport.read(CDBRoundTripTests.sample(name))
    }

    private func expectStrict(_ bytes: [UInt8], at location: Testing.SourceLocation = #_sourceLocation) {
        let problems = (try? StrictCDBReader.problems(of: bytes)) ?? ["no JSON"]
        #expect(problems.isEmpty, "\(problems.prefix(5))", sourceLocation: location)
    }

    @Test("a strict reader accepts what is written, whatever was read", arguments: samples)
    func strict(_ name: String) throws {
        let document = try Self.document(name)
        var generator = SplitMix64(seed: 7)
        let joined = try document.joined(using: &generator)
        for network in [document.network, joined] {
            let bytes = CDBExport.write(network, extras: document.extras, timestamp: Timestamp(rawValue: 1_800_000_000))
            expectStrict(bytes)
            let primary = CDBContents(subnets: [.primary])
            let part = CDBExport.write(network, extras: document.extras, contents: primary)
            expectStrict(part)
            let public_ = CDBExport.write(network, contents: CDBContents(keys: .network))
            expectStrict(public_)
        }
    }

    @Test("the strict reader notices what is wrong")
    func strictness() throws {
        let bytes = try CDBRoundTripTests.sample("02-coral-reexport")
        let problems = try StrictCDBReader.problems(of: bytes)
        #expect(problems.contains { $0.contains("networkTransmit/count: ") })
        #expect(problems.contains { $0.hasPrefix("/version") })
    }

    @Test("a network with everything that a strict reader refuses is written so that it accepts it")
    func mended() throws {
        var network = try Self.document().network
        network.name = " "
        network.nodes[0].name = ""
        network.nodes[1].deviceKey = nil
        network.groups[0].name = "\t"
        network.nodes[1].record(.heartbeatPublication(.off(netKeyIndex: .primary)))
        network.nodes[1].record(.heartbeatSubscription(.off))
        let bytes = CDBExport.write(network)
        expectStrict(bytes)
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"partial\": true"))
    }

    @Test("a part of the network holds nothing of other subnets")
    func part() throws {
        let network = try Self.document().network
        let second = try #require(network.netKeys.last?.index)
        let part = network.limited(to: [second])
        #expect(part.netKeys.map(\.index) == [second])
        #expect(part.appKeys.allSatisfy { $0.boundNetKey == second })
        #expect(!part.nodes.isEmpty && part.nodes.count < network.nodes.count)
        #expect(part.nodes.allSatisfy { $0.netKeys.map(\.index) == [second] })
        let keys = Set(part.appKeys.map(\.index))
        for model in part.nodes.flatMap(\.elements).flatMap(\.models) {
            #expect(keys.isSuperset(of: model.bindings))
            #expect(model.publication.map { keys.contains($0.appKeyIndex) } ?? true)
        }
        #expect(part.provisioners == network.provisioners)
        let text = String(decoding: CDBExport.write(network, contents: CDBContents(subnets: [second])), as: UTF8.self)
        for key in network.netKeys where key.index != second {
            #expect(!text.contains(key.key.octets.hexadecimal.uppercased()))
        }
        #expect(network.limited(to: Set(network.netKeys.map(\.index))).nodes == network.nodes)
    }

    @Test("groups of a part are those that its nodes use, with those that these belong to")
    func groups() throws {
        var network = try Self.document().network
        let outer = Group(name: "outer", address: .group(GroupAddress(rawValue: 0xC100)!), parent: nil)
        let inner = Group(name: "inner", address: .group(GroupAddress(rawValue: 0xC101)!), parent: outer.address)
        network.groups += [
            outer, inner, Group(name: "idle", address: .group(GroupAddress(rawValue: 0xC102)!), parent: nil),
        ]
        let place = try #require(network.nodes.firstIndex { !$0.elements.isEmpty && !$0.elements[0].models.isEmpty })
        network.nodes[place].elements[0].models[0].subscriptions = [inner.address]
        let names = network.limited(to: Set(network.netKeys.map(\.index))).groups.map(\.name)
        #expect(names.contains("outer") && names.contains("inner") && !names.contains("idle"))
    }

    @Test(
        "without keys there is no key in it, not even in what nobody knows",
        arguments: [CDBContents.Keys.network, .none]
    )
    func keys(_ keys: CDBContents.Keys) throws {
        let document = try Self.document()
        var extras = document.extras
        extras.keep([JSONMember("token", .string("0123456789ABCDEF"))], at: "")
        let contents = CDBContents(keys: keys)
        let text = String(
            decoding: CDBExport.write(document.network, extras: extras, contents: contents),
            as: UTF8.self
        )
        #expect(!text.contains("token") && text.contains("\"partial\": true"))
        for key in document.network.nodes.compactMap(\.deviceKey) {
            #expect(!text.contains(key.octets.hexadecimal.uppercased()))
        }
        for key in document.network.netKeys.flatMap({ [$0.key, $0.oldKey].compactMap(\.self) }) {
            #expect(text.contains(key.octets.hexadecimal.uppercased()) == (keys == .network))
        }
    }

    @Test("an export over an earlier one changes only with the network, and never takes the place of anything else")
    func renewal() throws {
        let document = try Self.document()
        func renew(_ earlier: [UInt8], _ network: MeshNetwork) -> CDBExport.Renewal {
            CDBExport.renew(
                earlier,
                with: network,
                extras: document.extras,
                contents: CDBContents(),
                timestamp: Timestamp(rawValue: 1_900_000_000)
            )
        }
        let earlier = CDBExport.write(
            document.network,
            extras: document.extras,
            timestamp: Timestamp(rawValue: 1_800_000_000)
        )
        #expect(renew(earlier, document.network) == .unchanged)
        var changed = document.network
        changed.nodes[0].name = "another"
        guard case .document(let bytes) = renew(earlier, changed) else { return #expect(Bool(false), "not written") }
        #expect(String(decoding: bytes, as: UTF8.self).contains("2030-03-17T17:46:40Z"))
        var other = document.network
        other.uuid = Octets16(high: 1, low: 2)
        #expect(renew(earlier, other) == .foreign)
        #expect(renew(try CDBRoundTripTests.sample(Self.samples[0]), document.network) == .foreign)
        #expect(renew(earlier + Array(" ".utf8), document.network) == .foreign)
        #expect(renew(Array("[]".utf8), document.network) == .foreign)
        #expect(renew([], document.network) == .foreign)
    }
}
