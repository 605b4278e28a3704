import MeshCore
import Store
import Testing

/// A small document as one program writes it, and what is to be read from it.
struct CDBDialectDocument: Sendable, CustomTestStringConvertible {
    /// The exporter, and what is known of it.
    var name: String
    /// The notes on deviations ("Deviations seen") or exporter quirks ("Quirks") that the document is made from.
    var fact: String
    var dialect: CDBDialect
    var text: String
    /// Pointer and reason of each repair.
    var repairs: [String]
    /// What the network says where the dialect matters.
    var reading: @Sendable (MeshNetwork) -> Bool

    var testDescription: String { name }
    var bytes: [UInt8] { Array(text.utf8) }
}

/// The parts that documents are made of; each dialect replaces some.
struct CDBParts {
    static let zeros = String(repeating: "0", count: 32)

    var head = #""version":"1.0.0","partial":false"#
    var meshUUID = "00000000-0000-0000-0000-0000000000A1"
    var meshName = "n"
    var netKey = #""name":"k","key":"00112233445566778899AABBCCDDEEFF","phase":0,"minSecurity":"secure""#
    var appKeys = #""appKeys":[{"name":"a","index":5,"boundNetKey":0,"key":"00112233445566778899AABBCCDDEEFF"}]"#
    var provisioners = """
        "provisioners":[{"provisionerName":"p","UUID":"00000000-0000-0000-0000-0000000000A2",\
        "allocatedUnicastRange":[{"lowAddress":"0001","highAddress":"00FF"}],"allocatedGroupRange":[],\
        "allocatedSceneRange":[]}]
        """
    var lists = #""groups":[],"scenes":[]"#
    var nodeUUID = "00000000-0000-0000-0000-0000000000A4"
    var address = "\"0102\""
    var flags = #""security":"insecure","configComplete":true,"excluded":false"#
    var nodeKeys = #""netKeys":[{"index":0,"updated":false}],"appKeys":[{"index":5,"updated":false}]"#
    /// Members of the node, each with a comma in front.
    var nodeMembers = ""
    var location = "0000"
    var models = #"{"modelId":"1000","bind":[5],"subscribe":[]}"#

    var network: String {
        """
        {\(head),"meshUUID":"\(meshUUID)","meshName":"\(meshName)","netKeys":[{"index":0,\(netKey)}],\(appKeys),
        \(provisioners),\(lists),"nodes":[{"UUID":"\(nodeUUID)","name":"x","unicastAddress":\(address),
        "deviceKey":"00112233445566778899AABBCCDDEEFF",\(flags),\(nodeKeys)\(nodeMembers),
        "elements":[{"index":0,"location":"\(location)","models":[\(models)]}]}]}
        """
    }

    static func text(_ change: (inout CDBParts) -> Void) -> String {
        var parts = CDBParts()
        change(&parts)
        return parts.network
    }

    /// A model that publishes.
    static func model(
        period: String = #"{"numberOfSteps":3,"resolution":1000}"#,
        retransmit: String = #"{"count":0,"interval":50}"#,
        bind: String = "[5]",
        index: Int = 5
    ) -> String {
        """
        {"modelId":"1000","bind":\(bind),"subscribe":[],"publish":{"address":"C000","index":\(index),"ttl":255,\
        "credentials":0,"period":\(period),"retransmit":\(retransmit)}}
        """
    }
}

extension MeshNetwork {
    /// The only node of the documents.
    fileprivate var node: Node { nodes[0] }
    fileprivate var model: Model { nodes[0].elements[0].models[0] }
}

extension CDBDialectDocument {
    private static let publish = "/nodes/0/elements/0/models/0/publish"

    static let all: [CDBDialectDocument] = phones + linux + vendors

    private static let phones = [
        CDBDialectDocument(
            name: "nRF Mesh iOS before 3.0",
            fact:
                "Deviations: wrapped, UUIDs without hyphens, high/low, blacklisted, period in ms, no scenes, no partial",
            dialect: .olderIOS,
            text: "{\"meshNetwork\":"
                + CDBParts.text {
                    $0.head = #""schema":"http://json-schema.org/draft-04/schema#","version":"1.0.0""#
                    $0.meshUUID = "000000000000000000000000000000A1"
                    $0.netKey = $0.netKey.replacing("\"secure\"", with: "\"high\"")
                    $0.lists = #""groups":[]"#
                    $0.flags = #""security":"low","configComplete":true,"blacklisted":false"#
                    $0.models = CDBParts.model(period: "1200000")
                } + "}",
            repairs: [
                "/meshNetwork: the whole database is wrapped in an object; taken out of it",
                "/meshNetwork/meshUUID: a UUID without hyphens",
                "/meshNetwork/partial: missing; taken as false",
                "/meshNetwork/netKeys/0/minSecurity: \"high\" taken as \"secure\"",
                "/meshNetwork/scenes: missing; taken as empty",
                "/meshNetwork/nodes/0/security: \"low\" taken as \"insecure\"",
                "/meshNetwork/nodes/0/blacklisted: taken as \"excluded\"",
                "/meshNetwork\(publish)/period: milliseconds instead of steps and resolution",
            ],
            reading: {
                $0.netKeys[0].isMinimumSecuritySecure && $0.model.publication?.period.milliseconds == 1_200_000
            }
        ),
        CDBDialectDocument(
            name: "nRF Mesh iOS 3",
            fact: "Deviations: writes version 1.0.1; quirks: dates that did not parse are of the year 1",
            dialect: .version101,
            text: CDBParts.text {
                $0.head = #""version":"1.0.1","partial":false,"timestamp":"0001-01-01T00:00:00Z""#
            },
            repairs: ["/timestamp: the year 1 stands for a time that was not understood; left out"],
            reading: { $0.node.netKeys.count == 1 }
        ),
        CDBDialectDocument(
            name: "nRF Mesh Android up to 3.0.1",
            fact: "Quirks: id TBD, version 1.0, +0800 dates, resolution x steps, intervals in steps, missing groups",
            dialect: .olderAndroid,
            text: CDBParts.text {
                $0.head = #""id":"TBD","version":"1.0","partial":false,"timestamp":"1970-01-01T08:00:00+0800""#
                $0.lists = #""scenes":[{"scene":"0001","name":"s","addresses":["0102"]}]"#
                $0.nodeMembers = #"""
                    ,"networkTransmit":{"count":2,"interval":2},"relayRetransmit":{"count":3,"interval":10}
                    """#
                $0.models =
                    CDBParts.model(
                        period: #"{"numberOfSteps":3,"resolution":3000}"#,
                        retransmit: #"{"count":1,"interval":2}"#
                    ) + ","
                    + CDBParts.model(period: #"{"numberOfSteps":10,"resolution":1000}"#)
                    .replacing("\"1000\"", with: "\"1002\"")
            },
            repairs: [
                "/timestamp: \"1970-01-01T08:00:00+0800\" taken as 1970-01-01T08:00:00+08:00",
                "/groups: missing; taken as empty",
                "/scenes/0/scene: taken as \"number\"",
                "\(publish)/period/resolution: 3000 taken as 1000",
                "\(publish)/retransmit/interval: 2 taken as steps, that is 150 ms",
                "/nodes/0/elements/0/models/1/publish/period/resolution: 1000 taken as 100",
                "/nodes/0/networkTransmit/interval: 2 taken as steps, that is 30 ms",
                "/nodes/0/relayRetransmit/interval: 10 taken as steps, that is 110 ms",
            ],
            reading: {
                $0.model.publication?.period.milliseconds == 3_000
                    && $0.model.publication?.retransmit.intervalMilliseconds == 150
                    && $0.node.elements[0].models[1].publication?.period.milliseconds == 1_000
                    && $0.node.networkTransmit?.intervalMilliseconds == 30
                    && $0.node.relayRetransmit?.intervalMilliseconds == 110
            }
        ),
        CDBDialectDocument(
            name: "nRF Mesh Android",
            fact: "Deviations: heartbeatSub also has period",
            dialect: .android,
            text: CDBParts.text {
                $0.nodeMembers = #","heartbeatSub":{"source":"0102","destination":"C000","period":64}"#
            },
            repairs: [],
            reading: { $0.node.state(.heartbeatSubscription) != nil }
        ),
        CDBDialectDocument(
            name: "Kotlin Mesh Library",
            fact: "Quirks (strictness): exports id \"meshprofile\", version 1.0.0",
            dialect: .kotlin,
            text: CDBParts.text {
                $0.head =
                    #""id":"http://www.bluetooth.com/specifications/assigned-numbers/meshprofile/cdb-schema.json#","#
                    + $0.head
                $0.nodeMembers = #","networkTransmit":{"count":3,"interval":30}"#
            },
            repairs: [],
            reading: { $0.node.networkTransmit == TransmitParameters(count: 2, steps: 2) }
        ),
    ]

    private static let linux = [
        CDBDialectDocument(
            name: "BlueZ export-db",
            fact: "Quirks: lower case, counts 0-7, 1 s written 10000 and 10 s written 10, AppKey index & 0x3ff",
            dialect: .bluez,
            text: CDBParts.text {
                $0.head =
                    #""id":"http://www.bluetooth.com/specifications/assigned-numbers/mesh-profile/cdb-schema.json#","#
                    + $0.head
                $0.meshUUID = $0.meshUUID.lowercased()
                $0.netKey = #""name":"k","key":"00112233445566778899aabbccddeeff","phase":0,"minSecurity":"secure""#
                $0.appKeys = """
                    "appKeys":[{"name":"a","index":5,"boundNetKey":0,"key":"00112233445566778899aabbccddeeff"},\
                    {"name":"b","index":1200,"boundNetKey":0,"key":"00112233445566778899aabbccddeeff"}]
                    """
                $0.provisioners = $0.provisioners.replacing("A2\"", with: "a2\"").replacing("00FF", with: "00ff")
                $0.nodeUUID = $0.nodeUUID.lowercased()
                $0.flags = $0.flags.replacing("insecure", with: "secure")
                $0.nodeKeys = $0.nodeKeys.replacing("}],\"appKeys\":[", with: "}],\"appKeys\":[{\"index\":1200},")
                $0.nodeMembers = #","networkTransmit":{"count":0,"interval":20}"#
                let models = [
                    CDBParts.model(
                        period: #"{"numberOfSteps":3,"resolution":10000}"#,
                        bind: "[1200]",
                        index: 176
                    ),
                    CDBParts.model(period: #"{"numberOfSteps":3,"resolution":10}"#),
                ]
                $0.models =
                    models[0].replacing("C000", with: "c000") + ","
                    + models[1].replacing("C000", with: "c000").replacing("\"1000\"", with: "\"1002\"")
            }.replacing("00112233445566778899AABBCCDDEEFF", with: "00112233445566778899aabbccddeeff"),
            repairs: [
                "\(publish)/index: 176 taken as application key 1200, of which it is the lower 10 bits",
                "\(publish)/period/resolution: 10000 taken as 1000",
                "/nodes/0/elements/0/models/1/publish/period/resolution: 10 taken as 10000",
                "/nodes/0/networkTransmit/count: BlueZ export-db counts from 0; taken as 1 transmission",
            ],
            reading: {
                $0.model.publication?.appKeyIndex.rawValue == 1_200
                    && $0.model.publication?.period.milliseconds == 3_000
                    && $0.node.elements[0].models[1].publication?.period.milliseconds == 30_000
                    && $0.node.networkTransmit == TransmitParameters(count: 0, steps: 1)
            }
        ),
        CDBDialectDocument(
            name: "Nordic PyACI",
            fact:
                "Deviations: numbers instead of hex, minSecurity low, ivIndex, empty $schema; quirks: provisioner name",
            dialect: .pyACI,
            text: CDBParts.text {
                $0.head = #"""
                    "$schema":"","version":"1.0.0","partial":false,"ivIndex":0,"ivUpdate":0,
                    "timestamp":"2018-12-23 11:45:22"
                    """#
                $0.netKey = $0.netKey.replacing("\"secure\"", with: "\"low\"")
                $0.provisioners = $0.provisioners.replacing("provisionerName", with: "name")
                $0.lists = #""groups":[{"name":"g","address":49152,"parentAddress":0}],"scenes":[]"#
                $0.address = "1000"
                $0.nodeKeys = #""netKeys":[0],"appKeys":[5]"#
            },
            repairs: [
                "/timestamp: no time of RFC 3339; left out",
                "/netKeys/0/minSecurity: \"low\" taken as \"insecure\"",
                "/provisioners/0/name: taken as \"provisionerName\"",
                "/groups/0/address: the number 49152 taken as C000",
                "/groups/0/parentAddress: the number 0 taken as 0000",
                "/nodes/0/unicastAddress: the number 1000 taken as 03E8",
                "/nodes/0/appKeys: numbers; taken as indexes of keys",
                "/nodes/0/netKeys: numbers; taken as indexes of keys",
            ],
            reading: {
                $0.node.unicastAddress.rawValue == 0x3E8 && $0.groups[0].parent == nil && $0.node.netKeys.count == 1
                    && $0.node.appKeys.map(\.index.rawValue) == [5]
            }
        ),
        CDBDialectDocument(
            name: "BlueZ meshctl",
            fact:
                "Its prov_db.json with a node: no UUIDs, configuration and composition apart, indexes in digits",
            dialect: .meshctl,
            text: #"""
                {"meshName":"n","IVindex":0,"IVupdate":0,
                "netKeys":[{"index":0,"keyRefresh":0,"key":"00112233445566778899aabbccddeeff"}],
                "appKeys":[{"index":1,"boundNetKey":0,"key":"00112233445566778899aabbccddeefe"}],
                "provisioners":[{"provisionerName":"p","unicastAddress":"0077",
                "allocatedUnicastRange":[{"lowAddress":"0100","highAddress":"7fff"}]}],
                "nodes":[{"deviceKey":"00112233445566778899aabbccddee01","IVindex":0,"sequenceNumber":3,
                "configuration":{"netKeys":["0000"],"appKeys":["0001"],"defaultTTL":5,"elements":[
                {"elementIndex":0,"unicastAddress":"0100","models":[{"modelId":"1000","bind":[1],
                "subscribe":["c000","8001"]},{"modelId":"02ff0001","bind":[1],
                "publish":{"address":"c001","index":"0001","ttl":7}}]},{"elementIndex":1,"unicastAddress":"0101"}]},
                "composition":{"cid":"02ff","pid":"0001","vid":"0002","crpl":"0020",
                "features":{"relay":true,"proxy":true,"friend":false,"lpn":false},"elements":[
                {"elementIndex":0,"location":"0100","models":["0000","1000","02ff0001"]},
                {"elementIndex":1,"location":"0000","models":["1001"]}]}}]}
                """#,
            repairs: [
                ": what meshctl keeps for itself; keys, addresses and what nodes have are taken. Names and UUIDs are made, "
                    + "since it has none; periods and retransmissions of publications count as none",
                "/nodes/0/configuration/elements/0: virtual addresses without their labels; left out",
                "/nodes: without UUIDs, by which definitions know nodes; each gets one made of its network and address",
                "/provisioners/0: its own node, whose device key is in local_node.json alone, cannot be configured",
                "/nodes/1/deviceKey: missing; the node cannot be configured",
            ],
            reading: { network in
                let node = network.nodes[1]
                let models = node.elements[0].models
                return network.nodes.map(\.unicastAddress.rawValue) == [0x77, 0x100]
                    && network.nodes[0].uuid == network.provisioners[0].uuid && network.nodes[0].uuid != node.uuid
                    && network.appKeys[0].index.rawValue == 1 && node.appKeys.map(\.index.rawValue) == [1]
                    && node.elements.map(\.models.count) == [3, 1] && node.product?.version == 2 && node.defaultTTL == 5
                    && models[1].subscriptions.count == 1 && models[2].identifier == .vendor(company: 0x02FF, model: 1)
                    && models[2].publication?.ttl == 7 && node.features.friend == .notSupported
                    && node.features.relay == nil && node.deviceKey != nil
            }
        ),
        CDBDialectDocument(
            name: "BlueZ bluetooth-meshd",
            fact: "Its node.json: one node, keys with their indexes in digits, a token",
            dialect: .meshDaemon,
            text: #"""
                {"cid":"05f1","pid":"0001","vid":"0001","crpl":"7fff","relay":{"mode":"enabled","count":2,"interval":20},
                "lowPower":"unsupported","friend":"disabled","proxy":"unsupported","beacon":"enabled","sequenceNumber":9,
                "defaultTTL":7,"unicastAddress":"0001","deviceKey":"00112233445566778899aabbccddee01",
                "token":"0011223344556677","IVindex":0,"IVupdate":0,
                "netKeys":[{"index":"0000","key":"00112233445566778899aabbccddeeff","keyRefresh":0}],
                "appKeys":[{"index":"000a","boundNetKey":"0000","key":"00112233445566778899aabbccddeefe"}],
                "elements":[{"elementIndex":0,"location":"0000","models":[{"modelId":"1001","subEnabled":true,
                "bind":["000a"],"publish":{"address":"c000","index":10,"ttl":255,"period":0,"credentials":0,
                "retransmit":{"count":0,"interval":50}}}]}]}
                """#,
            repairs: [
                ": what bluetooth-meshd keeps of one of its own nodes; its keys and this node are taken. Other nodes are not "
                    + "in it, nor are their device keys; mesh-cfgclient's export-db writes all of them",
                "/unicastAddress: without a UUID, which is the name of the file's folder; one made of network and address "
                    + "stands for it",
                "/elements/0: publications are in units of the daemon; left out",
                "/provisioners: empty, so nobody says which addresses are given out already; only those of the nodes count "
                    + "as taken",
            ],
            reading: {
                $0.appKeys[0].index.rawValue == 10 && $0.model.bindings.map(\.rawValue) == [10]
                    && $0.node.features.relay == .enabled && $0.node.features.friend == .disabled
                    && $0.node.product?.company == 0x05F1 && $0.node.deviceKey != nil
            }
        ),
    ]

    private static let vendors = [
        CDBDialectDocument(
            name: "Silicon Labs sample",
            fact:
                "Quirks: version of ADK, Mesh Test, knownAddresses, location = address, vendor halves swapped, scenes name-only",
            dialect: .siliconLabs,
            text: CDBParts.text {
                $0.head = #""version":"7.0.2.0""#
                $0.meshName = "Mesh Test"
                $0.netKey = #""name":"k","key":"00112233445566778899AABBCCDDEEFF","phase":0"#
                $0.provisioners = #""provisioners":[]"#
                $0.lists = #""groups":[{"name":"g","address":"C000"}],"scenes":[{"name":"s"}]"#
                $0.flags = #""security":"insecure","configComplete":true,"blacklisted":false"#
                $0.nodeMembers = #"""
                    ,"cid":"02FF","pid":"0001","vid":"0001","crpl":"0020","features":{"relay":1,"proxy":1},
                    "knownAddresses":["C000"]
                    """#
                $0.location = "0102"
                $0.models = #"{"modelId":"000102FF","bind":[5],"subscribe":["C000"]}"#
            },
            repairs: [
                "/partial: missing; taken as false",
                "/netKeys/0/minSecurity: missing; taken as \"insecure\"",
                "/provisioners: empty, so nobody says which addresses are given out already; only those of the nodes count "
                    + "as taken",
                "/groups/0/parentAddress: missing; taken as none",
                "/scenes/0: a scene without a number, which no node knows; left out",
                "/nodes/0/blacklisted: taken as \"excluded\"",
                "/nodes/0/features/relay: made of what the node's proxy supports; taken as unknown",
                "/nodes/0/elements/0/location: the address of the element; taken as 0000",
                "/nodes/0/elements/0/models/0/modelId: the company stands last; taken as 02FF0001",
            ],
            reading: {
                $0.model.identifier == .vendor(company: 0x02FF, model: 1) && $0.node.elements[0].location == 0
                    && $0.node.features.relay == nil && $0.node.features.proxy == .enabled && $0.scenes.isEmpty
            }
        ),
        CDBDialectDocument(
            name: "Telink",
            fact: "Quirks: ivIndex %08X, schedulers, oldKey of zeros, transmit count 0-7, heartbeatSub is an array",
            dialect: .telink,
            text: CDBParts.text {
                $0.head += #","ivIndex":"0000000A""#
                $0.netKey += ",\"oldKey\":\"\(CDBParts.zeros)\""
                $0.appKeys = $0.appKeys.replacing("\"}]", with: "\",\"oldKey\":\"\(CDBParts.zeros)\"}]")
                $0.nodeMembers = #"""
                    ,"schedulers":[],"heartbeatSub":[{"source":"0102","destination":"C000"}],
                    "networkTransmit":{"count":5,"interval":20},"relayRetransmit":{"count":0,"interval":10}
                    """#
            },
            repairs: [
                "/netKeys/0/oldKey: zeros; taken as none",
                "/appKeys/0/oldKey: zeros; taken as none",
                "/nodes/0/networkTransmit/count: Telink counts from 0; taken as 6 transmissions",
                "/nodes/0/relayRetransmit/count: Telink counts from 0; taken as 1 transmission",
                "/nodes/0/heartbeatSub: a list; taken as what is in it",
            ],
            reading: {
                $0.node.networkTransmit == TransmitParameters(count: 5, steps: 1)
                    && $0.node.relayRetransmit == TransmitParameters(count: 0, steps: 0) && $0.appKeys[0].oldKey == nil
            }
        ),
        CDBDialectDocument(
            name: "ThingOS .connect",
            fact:
                "Quirks: other $schema, nodes without netKeys/appKeys/configComplete, provisioners [], publish null, tos_*",
            dialect: .thingOS,
            text: CDBParts.text {
                $0.head = #""$schema":"https://example.org/connect.json","tos_version":3,"# + $0.head
                $0.provisioners = #""provisioners":[]"#
                $0.flags = #""security":"insecure","excluded":false"#
                $0.nodeKeys = #""tos_room":"hall""#
                $0.models = #"{"modelId":"1000","bind":[5],"subscribe":[],"publish":null}"#
            },
            repairs: [
                "/provisioners: empty, so nobody says which addresses are given out already; only those of the nodes count "
                    + "as taken",
                "/nodes/0/configComplete: missing; taken as false",
                "/nodes/0/elements/0/models/0/publish: null; taken as missing",
                "/nodes/0/appKeys: missing; taken as those its models are bound to",
                "/nodes/0/netKeys: missing; taken as those of its application keys",
            ],
            reading: { $0.node.netKeys.count == 1 && $0.node.appKeys.map(\.index.rawValue) == [5] }
        ),
        CDBDialectDocument(
            name: "JUNG HOME",
            fact: "Quirks: wrapped, FExx groups, year-0001 timestamps, lower-case keys",
            dialect: .version100,
            text: "{\"meshNetwork\":"
                + CDBParts.text {
                    $0.head += #","timestamp":"0001-01-01T00:00:00Z""#
                    $0.netKey = $0.netKey.lowercased()
                        .replacing("minsecurity", with: "minSecurity")
                    $0.lists = #""groups":[{"name":"g","address":"FE01","parentAddress":"0000"}],"scenes":[]"#
                } + "}",
            repairs: [
                "/meshNetwork: the whole database is wrapped in an object; taken out of it",
                "/meshNetwork/timestamp: the year 1 stands for a time that was not understood; left out",
            ],
            reading: { $0.groups.count == 1 }
        ),
    ]
}
