import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@Suite("CDB rejections")
struct CDBRejectionTests {
    /// A small valid document; every case below changes one thing in it.
    static let valid = """
        {"meshUUID":"00000000-0000-0000-0000-000000000001","meshName":"n","partial":false,
        "netKeys":[{"name":"k","index":0,"key":"00112233445566778899AABBCCDDEEFF","phase":0,"minSecurity":"secure"}],
        "appKeys":[{"name":"a","index":5,"boundNetKey":0,"key":"00112233445566778899AABBCCDDEEFF"}],
        "provisioners":[
        {"provisionerName":"p","UUID":"00000000-0000-0000-0000-000000000002",
        "allocatedUnicastRange":[{"lowAddress":"0001","highAddress":"00FF"}],"allocatedGroupRange":[],
        "allocatedSceneRange":[]},
        {"provisionerName":"q","UUID":"00000000-0000-0000-0000-000000000003",
        "allocatedUnicastRange":[{"lowAddress":"0100","highAddress":"01FF"}],"allocatedGroupRange":[],
        "allocatedSceneRange":[]}],
        "groups":[{"name":"g","address":"C000","parentAddress":"0000"},
        {"name":"h","address":"C001","parentAddress":"C000"}],
        "scenes":[{"name":"s","number":"0001","addresses":["0002"]}],
        "networkExclusions":[{"ivIndex":1,"addresses":["0009"]}],
        "nodes":[{"UUID":"00000000-0000-0000-0000-000000000004","name":"x","unicastAddress":"0002",
        "deviceKey":"00112233445566778899AABBCCDDEEFF","security":"secure","configComplete":true,"excluded":false,
        "netKeys":[{"index":0,"updated":false}],"appKeys":[{"index":5,"updated":false}],"defaultTTL":5,
        "networkTransmit":{"count":3,"interval":20},
        "heartbeatPub":{"address":"C000","period":64,"ttl":4,"index":0,"features":["relay"]},
        "heartbeatSub":{"source":"0002","destination":"C000"},
        "elements":[{"index":0,"location":"0000","models":[{"modelId":"1000","bind":[5],"subscribe":["C000"],
        "publish":{"address":"C001","index":5,"ttl":255,"credentials":0,
        "period":{"numberOfSteps":1,"resolution":1000},"retransmit":{"count":0,"interval":50}}}]},
        {"index":1,"location":"0000","models":[]}]},
        {"UUID":"00000000-0000-0000-0000-000000000005","name":"y","unicastAddress":"0004",
        "deviceKey":"00112233445566778899AABBCCDDEEFE","security":"secure","configComplete":true,"excluded":false,
        "netKeys":[],"appKeys":[],"elements":[]}]}
        """

    @Test("The document that the cases start from is valid")
    func base() throws {
        let document = try CDBImport.read(Array(CDBRejectionTests.valid.utf8))
        #expect(document.repairs.isEmpty)
    }

    @Test(
        "What breaks a rule is refused by its JSON pointer",
        arguments: [
            ("\"meshName\":\"n\"", "\"meshName\":3", "/meshName: a string is expected, not a number"),
            ("\"meshName\":\"n\",", "", "/meshName: the member is missing"),
            ("\"partial\":false", "\"partial\":\"no\"", "/partial: true or false is expected, not a string"),
            ("[{\"name\":\"k\",", "[7,{\"name\":\"k\",", "/netKeys/0: an object is expected, not a number"),
            (
                "\"k\",\"index\":0", "\"k\",\"index\":4096",
                "/netKeys/0/index: an integer from 0 to 4095 is expected, not 4096"
            ),
            (
                "\"k\",\"index\":0", "\"k\",\"index\":0.5",
                "/netKeys/0/index: an integer from 0 to 4095 is expected, not 0.5"
            ),
            (
                "00112233445566778899AABBCCDDEEFF\",\"phase\"", "0011\",\"phase\"",
                "/netKeys/0/key: a key of 32 hexadecimal digits is expected"
            ),
            ("\"phase\":0", "\"phase\":1", "/netKeys/0/oldKey: missing, although phase is 1"),
            ("\"phase\":0", "\"phase\":3", "/netKeys/0/phase: an integer from 0 to 2 is expected, not 3"),
            ("\"boundNetKey\":0", "\"boundNetKey\":1", "/appKeys/0/boundNetKey: there is no network key with index 1"),
            (
                "\"lowAddress\":\"0100\"", "\"lowAddress\":\"00FF\"",
                "/provisioners/1/allocatedUnicastRange: 00FF also lies in a range of /provisioners/0"
            ),
            (
                "\"highAddress\":\"01FF\"", "\"highAddress\":\"8000\"",
                "/provisioners/1/allocatedUnicastRange/0/highAddress: 8000 is outside 0001 to 7FFF"
            ),
            (
                "\"highAddress\":\"01FF\"", "\"highAddress\":\"00F0\"",
                "/provisioners/1/allocatedUnicastRange/0/highAddress: lower than lowAddress"
            ),
            ("000000000003", "000000000002", "/provisioners/1/UUID: the same as in /provisioners/0"),
            (
                "\"address\":\"C001\",\"parent", "\"address\":\"FFFF\",\"parent",
                "/groups/1/address: FFFF is a fixed group"
            ),
            (
                "\"address\":\"C001\",\"parent", "\"address\":\"C000\",\"parent",
                "/groups/1/address: the same as in /groups/0"
            ),
            (
                "\"parentAddress\":\"0000\"", "\"parentAddress\":\"C001\"",
                "/groups/0/parentAddress: the group lies within itself"
            ),
            (
                "\"parentAddress\":\"C000\"", "\"parentAddress\":\"8001\"",
                "/groups/1/parentAddress: 8001 is a virtual address; its label of 32 digits is needed"
            ),
            (
                "\"number\":\"0001\"", "\"number\":\"0000\"",
                "/scenes/0/number: a scene number from 0001 to FFFF is expected"
            ),
            (
                "\"addresses\":[\"0009\"]", "\"addresses\":[\"C000\"]",
                "/networkExclusions/0/addresses/0: a unicast address, 0001 to 7FFF, is expected, not C000"
            ),
            (
                "\"ivIndex\":1", "\"ivIndex\":4294967296",
                "/networkExclusions/0/ivIndex: an integer from 0 to 4294967295 is expected, not 4294967296"
            ),
            (
                "\"unicastAddress\":\"0004\"", "\"unicastAddress\":\"0003\"",
                "/nodes/1/unicastAddress: 0003 belongs to an element of /nodes/0"
            ),
            (
                "\"unicastAddress\":\"0002\"", "\"unicastAddress\":\"7FFF\"",
                "/nodes/0/elements: the addresses of 2 elements go beyond 7FFF"
            ),
            (
                "\"unicastAddress\":\"0002\"", "\"unicastAddress\":true",
                "/nodes/0/unicastAddress: a string of 4 hexadecimal digits is expected, not a boolean"
            ),
            (
                "000000000005", "00000000000G",
                "/nodes/1/UUID: a UUID is expected, not \"00000000-0000-0000-0000-00000000000G\""
            ),
            (
                "\"security\":\"secure\",\"configComplete\":true,\"excluded\":false,\n\"netKeys\":[{",
                "\"security\":\"medium\",\n\"netKeys\":[{",
                "/nodes/0/security: \"secure\" or \"insecure\" is expected, not \"medium\""
            ),
            (
                "\"defaultTTL\":5", "\"defaultTTL\":128",
                "/nodes/0/defaultTTL: an integer from 0 to 127 is expected, not 128"
            ),
            (
                "\"count\":3,\"interval\":20", "\"count\":9,\"interval\":20",
                "/nodes/0/networkTransmit/count: an integer from 0 to 8 is expected, not 9"
            ),
            (
                "\"count\":3,\"interval\":20", "\"count\":3,\"interval\":45",
                "/nodes/0/networkTransmit/interval: a multiple of 10 from 10 to 320 is expected, not 45"
            ),
            (
                "\"period\":64", "\"period\":65",
                "/nodes/0/heartbeatPub/period: a power of two or 65535 is expected, not 65"
            ),
            (
                "\"ttl\":4,\"index\":0", "\"ttl\":4,\"index\":9",
                "/nodes/0/heartbeatPub/index: the node does not have network key 9"
            ),
            (
                "[\"relay\"]", "[\"light\"]",
                "/nodes/0/heartbeatPub/features/0: \"relay\", \"proxy\", \"friend\" or \"lowPower\" is expected"
            ),
            (
                "\"source\":\"0002\"", "\"source\":\"C002\"",
                "/nodes/0/heartbeatSub/source: a unicast address is expected, not C002"
            ),
            (
                "{\"index\":1,\"location\"", "{\"index\":2,\"location\"",
                "/nodes/0/elements: there is an element 2 but no element 1"
            ),
            (
                "{\"index\":1,\"location\"", "{\"index\":0,\"location\"",
                "/nodes/0/elements/1/index: the same as in /nodes/0/elements/0"
            ),
            (
                "\"modelId\":\"1000\"", "\"modelId\":\"100\"",
                "/nodes/0/elements/0/models/0/modelId: 4 or 8 hexadecimal digits are expected, not \"100\""
            ),
            ("\"bind\":[5]", "\"bind\":5", "/nodes/0/elements/0/models/0/bind: an array is expected, not a number"),
            (
                "\"bind\":[5]", "\"bind\":[-1]",
                "/nodes/0/elements/0/models/0/bind/0: an integer from 0 to 4095 is expected, not -1"
            ),
            (
                "\"subscribe\":[\"C000\"]", "\"subscribe\":[\"0001\"]",
                "/nodes/0/elements/0/models/0/subscribe/0: a group address or a label is expected, not 0001"
            ),
            (
                "\"ttl\":255", "\"ttl\":200",
                "/nodes/0/elements/0/models/0/publish/ttl: 0 to 127 or 255 is expected, not 200"
            ),
            (
                "\"credentials\":0", "\"credentials\":2",
                "/nodes/0/elements/0/models/0/publish/credentials: an integer from 0 to 1 is expected, not 2"
            ),
            (
                "\"numberOfSteps\":1", "\"numberOfSteps\":64",
                "/nodes/0/elements/0/models/0/publish/period/numberOfSteps: an integer from 0 to 63 is expected, not 64"
            ),
            (
                "\"resolution\":1000", "\"resolution\":999",
                "/nodes/0/elements/0/models/0/publish/period/resolution: 100, 1000, 10000 or 600000 is expected, not 999"
            ),
            (
                "\"count\":0,\"interval\":50", "\"count\":0,\"interval\":51",
                "/nodes/0/elements/0/models/0/publish/retransmit/interval: a multiple of 50 from 50 to 1600 is expected, not 51"
            ),
        ]
    )
    func rules(_ old: String, _ new: String, _ message: String) throws {
        let changed = CDBRejectionTests.valid.replacing(old, with: new, maxReplacements: 1)
        try #require(changed != CDBRejectionTests.valid)
        let error = storeError { _ = try CDBImport.read(Array(changed.utf8)) }
        #expect(error?.code == .invalidDocument)
        #expect(error?.message == message)
    }

    @Test(
        "What departs from the format but can be understood is repaired and reported",
        arguments: [
            ("\"defaultTTL\":5", "\"defaultTTL\":1", "/nodes/0/defaultTTL: 1 is prohibited; taken as unknown"),
            ("\"interval\":20", "\"interval\":1", "/nodes/0/networkTransmit/interval: 1 taken as steps, that is 20 ms"),
            ("\"count\":3,", "\"count\":0,", "/nodes/0/networkTransmit: count 0, interval 20; taken as unknown"),
            (
                "{\"numberOfSteps\":1,\"resolution\":1000}", "1200000",
                "/nodes/0/elements/0/models/0/publish/period: milliseconds instead of steps and resolution"
            ),
            (
                "\"count\":0,\"interval\":50", "\"count\":0,\"interval\":0",
                "/nodes/0/elements/0/models/0/publish/retransmit/interval: 0 taken as 50"
            ),
            (
                "\"address\":\"C001\",\"index\"", "\"address\":\"0000\",\"index\"",
                "/nodes/0/elements/0/models/0/publish: address 0000; taken as no publication"
            ),
            ("\"number\":\"0001\"", "\"scene\":\"0001\"", "/scenes/0/scene: taken as \"number\""),
            ("\"bind\":[5]", "\"bind\":[5,5]", "/nodes/0/elements/0/models/0/bind: values are there twice; left out"),
            (
                "\"subscribe\":[\"C000\"]", "\"subscribe\":[\"FFFF\"]",
                "/nodes/0/elements/0/models/0/subscribe/0: every element receives FFFF without a subscription; left out"
            ),
            (
                "\"phase\":0", "\"phase\":0,\"oldKey\":\"00\"",
                "/netKeys/0/oldKey: there, although phase is 0; kept, not used"
            ),
            ("\"name\":\"x\",", "", "/nodes/0/name: missing; called \"Node 0002\""),
            ("\"excluded\":false", "\"blacklisted\":true", "/nodes/0/blacklisted: taken as \"excluded\""),
            ("\"security\":\"secure\"", "\"security\":\"low\"", "/nodes/0/security: \"low\" taken as \"insecure\""),
        ]
    )
    func repairs(_ old: String, _ new: String, _ report: String) throws {
        let changed = CDBRejectionTests.valid.replacing(old, with: new, maxReplacements: 1)
        try #require(changed != CDBRejectionTests.valid)
        let repairs = try CDBImport.read(Array(changed.utf8)).repairs
        #expect(repairs.map { "\($0.pointer): \($0.reason)" } == [report])
    }

    @Test("A period in milliseconds becomes steps of the coarsest unit that fits")
    func period() throws {
        let changed = CDBRejectionTests.valid.replacing("{\"numberOfSteps\":1,\"resolution\":1000}", with: "1200000")
        let model = try CDBImport.read(Array(changed.utf8)).network.nodes[0].elements[0].models[0]
        #expect(model.publication?.period == PublishPeriod(steps: 2, resolution: .tenMinutes))
    }

    @Test("Sample 08 is not JSON: line and column are named")
    func trailingComma() throws {
        let error = storeError { _ = try CDBImport.read(CDBRoundTripTests.sample("08-bluez-meshctl-prov_db")) }
        #expect(error?.message == "line 37, column 1: a comma before the closing brace")
    }

    @Test(
        "What is not JSON is refused by line and column",
        arguments: [
            ("", "line 1, column 1: the document ends where a value is expected"),
            ("{\n  \"a\": tru\n}", "line 2, column 8: a value is expected"),
            ("{\"a\" 1}", "line 1, column 6: a colon is expected"),
            ("[1,2", "line 1, column 5: the document ends where a comma or a closing bracket is expected"),
            ("[1,]", "line 1, column 4: a comma before the closing bracket"),
            ("{a:1}", "line 1, column 2: a member name in quotes is expected"),
            ("{\"a\":1,\n\"a\":2}", "line 2, column 1: the member \"a\" is there twice"),
            ("[01]", "line 1, column 3: a number must not begin with 0"),
            ("[1.]", "line 1, column 4: a digit is expected"),
            ("[-]", "line 1, column 3: a digit is expected"),
            ("[\"\\x\"]", "line 1, column 4: an unknown escape"),
            ("[\"\\uD800\"]", "line 1, column 9: half a surrogate pair"),
            ("[\"\\u12\"]", "line 1, column 5: four hexadecimal digits are expected"),
            ("[\"a\nb\"]", "line 1, column 4: a control character in a string"),
            ("[\"abc", "line 1, column 2: a string without an end"),
            ("[1] 2", "line 1, column 5: there is something after the end"),
            (String(repeating: "[", count: 65), "line 1, column 65: nested more than 64 deep"),
        ]
    )
    func syntax(_ text: String, _ message: String) throws {
        #expect(storeError { _ = try CDBImport.read(Array(text.utf8)) }?.message == message)
    }

    @Test(
        "Where the end is missing, or the file is something else, the hint says so",
        arguments: [
            ("[1,2", "cut off"), ("{\"a\":", "cut off"), ("{\"a\":1,", "cut off"), ("[\"abc", "cut off"),
            ("[\"a\\", "cut off"),
            ("[tr", "cut off"), ("[-", "cut off"), ("[\"\\u00", "cut off"), ("version: 1\n", "begins with {"),
            ("\n nope", "begins with {"),
        ]
    )
    func ends(_ text: String, _ hint: String) throws {
        let error = storeError { _ = try CDBImport.read(Array(text.utf8)) }
        #expect(error?.hint?.contains(hint) == true, "\(String(describing: error))")
    }

    @Test("What is wrong in the middle of a document is not taken for a missing end")
    func middle() throws {
        for text in ["[1 2]", "{\"a\" 1}", "[tru]", "[\"\\x\"]", "[01]", "[1] 2", "[\"\\u12\"]"] {
            let error = try required(storeError { _ = try CDBImport.read(Array(text.utf8)) })
            #expect(error.hint?.contains("cut off") != true, "\(text): \(error)")
        }
    }

    @Test("UTF-16 and databases of SQLite are called what they are")
    func formats() throws {
        let wide = Array("{\"a\":1}".utf8)
        let documents: [([UInt8], String)] = [
            (wide.flatMap { [$0, 0] }, "UTF-16"), (wide.flatMap { [0, $0] }, "UTF-16"),
            ([0xFF, 0xFE, 0x7B, 0], "UTF-16"),
            (Array("SQLite format 3\0".utf8), "SQLite"),
        ]
        for (bytes, word) in documents {
            let error = storeError { _ = try CDBImport.read(bytes) }
            #expect(error?.code == .invalidDocument && error?.message.contains(word) == true && error?.hint != nil)
        }
    }

    @Test("Text that is not UTF-8 is refused")
    func encoding() throws {
        #expect(
            storeError { _ = try CDBImport.read(Array("{\"".utf8) + [0xFF] + Array("\":1}".utf8)) }?.message
                == "line 1, column 2: a string that is not UTF-8"
        )
    }

    @Test("No message repeats a key")
    func keysStaySecret() throws {
        for key in ["00112233445566778899AABBCCDDEEF", "00112233445566778899AABBCCDDEEFX"] {
            let changed = CDBRejectionTests.valid.replacing("00112233445566778899AABBCCDDEEFF", with: key)
            let error = try required(storeError { _ = try CDBImport.read(Array(changed.utf8)) })
            #expect(!error.description.contains("0011"))
        }
    }

    @Test("Cut off or with any octet changed, a document is read or refused, never a crash")
    func mutations() throws {
        let bytes = Array(CDBRejectionTests.valid.utf8)
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(storeError { _ = try CDBImport.read(Array(bytes[..<length])) } != nil)
        }
        var generator = SplitMix64(seed: 11)
        for _ in 0..<400 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                changed[Int.random(in: changed.indices, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            if let document = try? CDBImport.read(changed) {
                let exported = CDBExport.write(document.network, extras: document.extras)
                #expect(try CDBImport.read(exported).network == document.network)
            }
        }
    }
}
