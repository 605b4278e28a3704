import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("What the owner of a configuration database should know")
struct CDBRemarkTests {
    private func document(_ changes: (String, String)...) throws -> CDBDocument {
        var text = CDBRejectionTests.valid
        for (old, new) in changes {
            #expect(text.contains(old))
            text = text.replacing(old, with: new)
        }
        return try CDBImport.read(Array(text.utf8))
    }

    /// Both provisioners have nodes.
    private func complete(_ changes: (String, String)...) throws -> CDBDocument {
        var text = CDBRejectionTests.valid.replacing("000000000004", with: "000000000002")
            .replacing("000000000005", with: "000000000003")
        for (old, new) in changes {
            #expect(text.contains(old))
            text = text.replacing(old, with: new)
        }
        return try CDBImport.read(Array(text.utf8))
    }

    @Test("Provisioners without a node are named, since nobody knows which address they send from")
    func provisioners() throws {
        let remarks = try document().remarks
        #expect(remarks.map(\.pointer) == ["/provisioners/0", "/provisioners/1"])
        #expect(remarks.allSatisfy { $0.text.contains("nobody knows which address") })
        #expect(try complete().remarks == [])
    }

    @Test("Keys that the file does not have are named with their indexes, where something refers to them")
    func keys() throws {
        #expect(
            try complete(("\"bind\":[5]", "\"bind\":[5,6]")).remarks.map { "\($0.pointer): \($0.text)" } == [
                "/nodes/0: model 1000 of element 0 is bound to application key 6, which is not in the file"
            ]
        )
        #expect(
            try complete(("\"C001\",\"index\":5", "\"C001\",\"index\":7")).remarks.map { "\($0.pointer): \($0.text)" }
                == [
                    "/nodes/0: model 1000 of element 0 publishes with application key 7, which is not in the file"
                ]
        )
        #expect(
            try complete(
                ("\"netKeys\":[{\"index\":0,\"updated\":false}]", "\"netKeys\":[{\"index\":0},{\"index\":9}]"),
                ("\"appKeys\":[{\"index\":5,\"updated\":false}]", "\"appKeys\":[{\"index\":5},{\"index\":8}]")
            ).remarks.map { "\($0.pointer): \($0.text)" } == [
                "/nodes/0/netKeys: there is no network key 9 in the file",
                "/nodes/0/appKeys: there is no application key 8 in the file",
            ]
        )
        // A part of a network lacks keys on purpose.
        let part = try complete(("\"bind\":[5]", "\"bind\":[5,6]"), ("\"partial\":false", "\"partial\":true"))
        #expect(part.remarks == [])
    }

    @Test("What is there of an incomplete composition is looked at, and goes out as others read it")
    func composition() throws {
        let some = try complete(("\"name\":\"x\",", "\"name\":\"x\",\"cid\":\"0x0059\",\"vid\":\"0001\","))
        #expect(some.remarks.map(\.pointer) == ["/nodes/0"])
        #expect(some.remarks.first?.text.hasPrefix("cid, vid without pid, crpl") == true)
        #expect(some.repairs.map(\.pointer) == ["/nodes/0/cid"])
        #expect(some.network.nodes.first?.product == nil)
        var generator = SplitMix64(seed: 1)
        let again = try CDBImport.read(CDBExport.write(some.joined(using: &generator), extras: some.extras))
        #expect(again.repairs == [] && again.remarks.map(\.pointer) == ["/nodes/0"])
        for wrong in ["\"ZZZZ\"", "70000", "true"] {
            let text = CDBRejectionTests.valid.replacing("\"name\":\"x\",", with: "\"name\":\"x\",\"pid\":\(wrong),")
            let inspection = try CDBImport.inspect(Array(text.utf8))
            #expect(inspection.refusals.map(\.pointer) == ["/nodes/0/pid"], "\(wrong)")
        }
    }

    @Test("Keys that no node can have are named, and what is only a part of a network stays one")
    func doubtful() throws {
        let (zeros, ones) = (String(repeating: "0", count: 32), String(repeating: "F", count: 32))
        let own = "\"deviceKey\":\"00112233445566778899AABBCCDDEEFF\""
        for filler in [zeros, ones, ones.lowercased()] {
            let remarks = try complete((own, "\"deviceKey\":\"\(filler)\"")).remarks
            #expect(remarks.map(\.pointer) == ["/nodes/0/deviceKey"])
            #expect(remarks.first?.text.contains("will not answer") == true)
        }
        let twice = try complete(("AABBCCDDEEFE", "AABBCCDDEEFF")).remarks
        #expect(twice.map(\.pointer) == ["/nodes/1/deviceKey"])
        #expect(twice.first?.text.hasPrefix("the same as that of /nodes/0") == true)
        let network = try complete(
            ("\"boundNetKey\":0,\"key\":\"00112233445566778899AABBCCDDEEFF\"", "\"boundNetKey\":0,\"key\":\"\(zeros)\"")
        )
        #expect(network.remarks.map(\.pointer) == ["/appKeys"])
        let part = try complete(("\"partial\":false", "\"partial\":true"))
        let exported = CDBExport.write(part.network, extras: part.extras)
        #expect(try CDBImport.read(exported).isPartial)
        #expect(try !CDBImport.read(CDBExport.write(complete().network, extras: complete().extras)).isPartial)
    }

    @Test("What an import adds is told with its addresses")
    func additions() throws {
        var generator = SplitMix64(seed: 1)
        let read = try document()
        let additions = read.additions(in: try read.joined(using: &generator))
        #expect(
            additions.map { "\($0.pointer): \($0.text)" } == [
                "/provisioners/2: meshplan is added, with the addresses 0200 to 02FF and the groups C002 to C101; its node has the "
                    + "address 0200"
            ]
        )
    }
}
