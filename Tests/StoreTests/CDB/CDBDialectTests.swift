import MeshCore
import Store
import TestSupport
import Testing

@Suite("CDB dialects")
struct CDBDialectTests {
    @Test("Each dialect is told by its marks and read as it is meant", arguments: CDBDialectDocument.all)
    func dialects(_ document: CDBDialectDocument) throws {
        let inspection = try CDBImport.inspect(document.bytes)
        #expect(inspection.refusals == [], "\(document.fact)")
        #expect(inspection.dialect == document.dialect)
        #expect(inspection.repairs.map { "\($0.pointer): \($0.reason)" } == document.repairs)
        #expect(document.reading(try required(inspection.document).network))
        #expect(inspection.marks.isEmpty == (document.dialect == .version100 || document.dialect == .version101))
    }

    @Test("What was imported goes out and comes in again without a repair", arguments: CDBDialectDocument.all)
    func roundTrip(_ document: CDBDialectDocument) throws {
        let read = try CDBImport.read(document.bytes)
        var generator = SplitMix64(seed: 7)
        // Without a provisioner there is no whole document; the one who joins is in it then.
        let network = read.network.provisioners.isEmpty ? try read.joined(using: &generator) : read.network
        let exported = CDBExport.write(network, extras: read.extras)
        let again = try CDBImport.read(exported)
        // A key that a node has whose provisioning others could follow is not of the highest security any more.
        var expected = network
        for place in expected.netKeys.indices {
            let index = expected.netKeys[place].index
            let isHeldInsecurely = network.nodes.contains { node in
                !node.isSecurelyProvisioned && node.netKeys.contains { $0.index == index }
            }
            if isHeldInsecurely { expected.netKeys[place].isMinimumSecuritySecure = false }
        }
        #expect(again.network == expected)
        #expect(again.repairs == [])
        #expect(CDBExport.write(again.network, extras: again.extras) == exported)
    }

    @Test("With any octet changed, a document of any dialect is read or refused", arguments: CDBDialectDocument.all)
    func mutations(_ document: CDBDialectDocument) throws {
        var generator = SplitMix64(seed: 23)
        let digits = Array("0123456789abcdefABCDEF\"{}[]:,-.tn".utf8)
        for _ in 0..<60 {
            var changed = document.bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                changed[Int.random(in: changed.indices, using: &generator)] =
                    digits[Int.random(in: digits.indices, using: &generator)]
            }
            guard let inspection = try? CDBImport.inspect(changed) else { continue }
            #expect((inspection.document == nil) == !inspection.refusals.isEmpty)
            if let network = inspection.document?.network {
                let exported = CDBExport.write(network)
                #expect(try CDBImport.inspect(exported).refusals == [])
            }
        }
    }

    @Test(
        "A value with two readings is refused with both",
        arguments: [
            // Steps elsewhere, but nothing that tells who writes them.
            (
                CDBParts.text {
                    $0.nodeMembers = #"""
                        ,"networkTransmit":{"count":2,"interval":2},"relayRetransmit":{"count":2,"interval":20}
                        """#
                },
                "/nodes/0/relayRetransmit/interval: 20 is either 20 ms or, in steps, 210 ms"
            ),
            // Older Android, without a product that only it can mean.
            (
                CDBParts.text {
                    $0.head = #""id":"TBD","version":"1.0","partial":false"#
                    $0.models = CDBParts.model(period: #"{"numberOfSteps":10,"resolution":1000}"#)
                },
                "/nodes/0/elements/0/models/0/publish/period/resolution: 1000 means either 1000 or 100 ms; nothing "
                    + "else in the file decides it"
            ),
            // A number where digits belong, in a document that nothing marks.
            (
                CDBParts.text { $0.address = "1000" },
                "/nodes/0/unicastAddress: the number 1000 is either 03E8 or, by its digits, 1000"
            ),
            // A vendor model where neither half is the company of a node.
            (
                CDBParts.text {
                    $0.head = #""version":"7.0.2.0","partial":false"#
                    $0.meshName = "Mesh Test"
                    $0.models = #"{"modelId":"000102FF","bind":[],"subscribe":[]}"#
                },
                "/nodes/0/elements/0/models/0/modelId: \"000102FF\" is either model 02FF of company 0001 or model 0001 of "
                    + "company 02FF"
            ),
            // Marks of a program that counts from 0, and of one that does not.
            (
                CDBParts.text {
                    $0.head = #""id":"TBD","version":"1.0","partial":false,"ivIndex":"00000001","schedulers":[]"#
                    $0.nodeMembers = #","networkTransmit":{"count":2,"interval":40}"#
                },
                "/nodes/0/networkTransmit/count: 2 is either 2 transmissions or one more"
            ),
            // Two subnets, and a node that does not say its own.
            (
                CDBParts.text {
                    $0.netKey += #"},{"index":7,"name":"l","key":"00112233445566778899AABBCCDDEEFE","phase":0,"#
                    $0.netKey += #""minSecurity":"secure""#
                    $0.nodeKeys = #""appKeys":[]"#
                },
                "/nodes/0/netKeys: missing, and it may be any of 0, 7"
            ),
        ]
    )
    func ambiguous(_ text: String, _ refusal: String) throws {
        let inspection = try CDBImport.inspect(Array(text.utf8))
        #expect(inspection.refusals.map { "\($0.pointer): \($0.reason)" } == [refusal])
        #expect(inspection.document == nil)
        #expect(storeError { _ = try CDBImport.read(Array(text.utf8)) }?.message == refusal)
    }

    @Test(
        "What is written in another way with one meaning is repaired, whoever wrote it",
        arguments: [
            (CDBParts.text { $0.address = "\"0x0102\"" }, "/nodes/0/unicastAddress: \"0x0102\" taken as 0102"),
            (CDBParts.text { $0.address = "7" }, "/nodes/0/unicastAddress: the number 7 taken as 0007"),
            (CDBParts.text { $0.address = "12345" }, "/nodes/0/unicastAddress: the number 12345 taken as 3039"),
            (
                CDBParts.text { $0.netKey = $0.netKey.replacing("\"0011", with: "\"0x0011") },
                "/netKeys/0/key: a key with 0x before it"
            ),
            (
                CDBParts.text { $0.models = CDBParts.model(period: #"{"numberOfSteps":3,"resolution":30000}"#) },
                "/nodes/0/elements/0/models/0/publish/period/resolution: 30000 taken as 10000"
            ),
            (
                CDBParts.text { $0.head += #","timestamp":"2018-12-23 11:45:22+0100""# },
                "/timestamp: \"2018-12-23 11:45:22+0100\" taken as 2018-12-23T11:45:22+01:00"
            ),
            (
                CDBParts.text { $0.nodeKeys = #""appKeys":[]"# },
                "/nodes/0/netKeys: missing; taken as the only one there is"
            ),
        ]
    )
    func certain(_ text: String, _ repair: String) throws {
        #expect(try CDBImport.read(Array(text.utf8)).repairs.map { "\($0.pointer): \($0.reason)" } == [repair])
    }

    @Test("All that is refused is found in one reading, without what follows from it")
    func refusals() throws {
        let text = CDBParts.text {
            $0.netKey = $0.netKey.replacing("\"phase\":0", with: "\"phase\":9")
            $0.address = "\"8000\""
            $0.lists = #""groups":[{"name":"g","address":"FFFF"},{"name":"h","address":"12"}],"scenes":[]"#
        }
        #expect(
            try CDBImport.inspect(Array(text.utf8)).refusals.map(\.pointer) == [
                "/netKeys/0/phase", "/groups/0/address", "/groups/1/address", "/nodes/0/unicastAddress",
            ]
        )
    }

    @Test("The keys of a node that are null are as good as missing, and no null is kept for the export")
    func nullKeys() throws {
        for name in ["netKeys", "appKeys"] {
            let lists = ["netKeys": #""netKeys":[{"index":0,"updated":false}]"#, "appKeys": #""appKeys":[]"#]
            let other = try required(lists[name == "netKeys" ? "appKeys" : "netKeys"])
            let missing = try CDBImport.read(Array(CDBParts.text { $0.nodeKeys = other }.utf8))
            let null = try CDBImport.read(Array(CDBParts.text { $0.nodeKeys = other + ",\"\(name)\":null" }.utf8))
            #expect(null.network == missing.network && null.repairs == missing.repairs)
            #expect(null.extras == missing.extras)
        }
    }

    @Test("A provisioner that has a name under `name` is half a proof of the Python client")
    func provisionerName() throws {
        func dialect(_ change: (inout CDBParts) -> Void) throws -> CDBDialect {
            try CDBImport.inspect(Array(CDBParts.text(change).utf8)).dialect
        }
        func rename(_ parts: inout CDBParts) {
            parts.provisioners = parts.provisioners.replacing("provisionerName", with: "name")
        }
        func count(_ parts: inout CDBParts) { parts.head += #","ivIndex":1"# }
        #expect(try dialect(rename) == .version100 && dialect(count) == .version100)
        #expect(
            try dialect { parts in
                rename(&parts)
                count(&parts)
            } == .pyACI
        )
    }

    @Test("What BlueZ keeps for itself without keys is refused, with the file that has them")
    func otherFormats() throws {
        let local = try CDBImport.inspect(
            Array(#"{"netKeys":[{"index":0,"keyRefresh":0}],"node":{"IVindex":"5"}}"#.utf8)
        )
        #expect(local.refusals.first?.reason.contains("local_node.json") == true)
        #expect(local.refusals.first?.advice?.contains("prov_db.json") == true)
        let client = try CDBImport.inspect(Array(#"{"token":"00","ivIndex":0,"netKeys":[]}"#.utf8))
        #expect(client.refusals.first?.reason.contains("mesh-cfgclient") == true)
        #expect(client.refusals.first?.advice?.contains("export-db") == true)
        #expect(try CDBImport.inspect(Array("7".utf8)).refusals.map(\.pointer) == [""])
    }

    @Test("Of a file of meshctl the IV index is taken, and what is wrong in it is named where it stands there")
    func meshctl() throws {
        let file = try required(CDBDialectDocument.all.first { $0.dialect == .meshctl }).text
        func inspect(_ old: String, _ new: String) throws -> CDBInspection {
            #expect(file.contains(old))
            return try CDBImport.inspect(Array(file.replacing(old, with: new).utf8))
        }
        let updated = try inspect("\"IVindex\":0,\"IVupdate\":0", "\"IVindex\":5,\"IVupdate\":1")
        #expect(updated.document?.network.ivIndex == IVIndex(value: 5, isUpdateInProgress: true))
        let network = try required(inspect("\"meshName\":\"n\"", "\"meshName\":\"m\"").document?.network)
        #expect(network.nodes.map(\.uuid) == updated.document?.network.nodes.map(\.uuid), "the same at each import")
        for (old, new, pointer) in [
            ("\"bind\":[1],\n\"subscribe\"", "\"bind\":[true],\"subscribe\"", "/nodes/0/configuration/elements/0"),
            ("\"0100\",\"models\"", "\"c100\",\"models\"", "/nodes/0/configuration/elements/0/unicastAddress"),
            ("\"keyRefresh\":0", "\"keyRefresh\":3", "/netKeys/0/keyRefresh"),
            ("\"cid\":\"02ff\"", "\"cid\":\"02fg\"", "/nodes/0/composition/cid"),
        ] { #expect(try inspect(old, new).refusals.map(\.pointer) == [pointer]) }
        // Neither a trailing comma nor a file without nodes says more than it does.
        let comma = String(decoding: try CDBRoundTripTests.sample("08-bluez-meshctl-prov_db"), as: UTF8.self)
        let mended = try CDBImport.inspect(Array(comma.replacing(#/,\s*}\s*$/#, with: "}").utf8))
        #expect(mended.refusals == [] && mended.document?.network.nodes.map(\.unicastAddress.rawValue) == [0x77])
    }

    @Test("Who knows the unit of intervals settles what the file leaves open", arguments: [true, false])
    func intervalUnit(areSteps: Bool) throws {
        let text = CDBParts.text {
            $0.head = #""version":"1.0","partial":false,"timestamp":"1970-01-01T08:00:00+0800""#
            $0.nodeMembers = #","networkTransmit":{"count":3,"interval":20}"#
        }
        let open = try CDBImport.inspect(Array(text.utf8))
        #expect(open.refusals.map(\.question) == [.intervalUnit])
        let settled = try CDBImport.inspect(Array(text.utf8), intervalsAreSteps: areSteps)
        #expect(settled.refusals == [])
        let interval = settled.document?.network.nodes[0].networkTransmit?.intervalMilliseconds
        #expect(interval == (areSteps ? 210 : 20))
        #expect(settled.repairs.contains { $0.pointer.hasSuffix("/interval") } == areSteps)
    }
}
