import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@Suite("CDB import and export")
struct CDBRoundTripTests {
    static func sample(_ name: String) throws -> [UInt8] {
        let url = try required(Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Resources"))
        return [UInt8](try Data(contentsOf: url))
    }

    /// A document in a form in which equal meanings are equal: objects of a list in one order, hexadecimal digits in
    /// upper case, and the two documented repairs done: models listed twice merged, transmit values of 0 left out.
    static func normalized(_ value: Any, member: String = "") throws -> NSObject {
        if let object = value as? [String: Any] {
            var result: [String: NSObject] = [:]
            for (name, value) in object {
                if name.hasSuffix("ransmit"), let inner = value as? [String: Int], inner == ["count": 0, "interval": 0]
                {
                    continue
                }
                result[name] = try normalized(value, member: name)
            }
            return result as NSDictionary
        }
        if let array = value as? [Any] {
            var items = member == "models" ? try merged(array) : array
            items = try items.map { try normalized($0) }
            if member == "models" { return items as NSArray }
            let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
            let keyed = try items.map { item in
                (
                    String(decoding: try JSONSerialization.data(withJSONObject: item, options: options), as: UTF8.self),
                    item
                )
            }
            return keyed.sorted { $0.0 < $1.0 }.map(\.1) as NSArray
        }
        if let text = value as? String {
            let isHexadecimal = [4, 8, 32].contains(text.count) && text.allSatisfy(\.isHexDigit)
            return (isHexadecimal ? text.uppercased() : text) as NSString
        }
        return try required(value as? NSObject)
    }

    private static func merged(_ models: [Any]) throws -> [Any] {
        var result: [[String: Any]] = []
        for case let model as [String: Any] in models {
            let name = try required(model["modelId"] as? String)
            guard let index = result.firstIndex(where: { $0["modelId"] as? String == name }) else {
                result.append(model)
                continue
            }
            let bind = try [result[index], model].flatMap { try required($0["bind"] as? [Int]) }
            let subscribe = try [result[index], model].flatMap { try required($0["subscribe"] as? [String]) }
            result[index]["bind"] = Array(Set(bind))
            result[index]["subscribe"] = Array(Set(subscribe))
        }
        return result
    }

    /// The same of a whole document, without what it says of its own format.
    static func normalized(_ bytes: [UInt8]) throws -> NSObject {
        var document = try required(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        for name in ["$schema", "id", "version"] { document[name] = nil }
        return try normalized(document)
    }

    @Test("Import and export lose nothing", arguments: ["01-spec-example-kotlin-lib", "02-coral-reexport"])
    func roundTrip(_ name: String) throws {
        let original = try CDBRoundTripTests.sample(name)
        let document = try CDBImport.read(original)
        let exported = CDBExport.write(document.network, extras: document.extras)
        #expect(try CDBRoundTripTests.normalized(exported) == CDBRoundTripTests.normalized(original))
        // Once more through the export, which needs no repair.
        let again = try CDBImport.read(exported)
        #expect(again.repairs.isEmpty)
        #expect(again.network == document.network)
        #expect(CDBExport.write(again.network, extras: again.extras) == exported)
    }

    @Test("Sample 01 is read completely")
    func specificationExample() throws {
        let document = try CDBImport.read(CDBRoundTripTests.sample("01-spec-example-kotlin-lib"))
        let network = document.network
        #expect(network.name == "Brian and Mary's House")
        #expect(
            network.nodes.map { $0.unicastAddress.rawValue } == [1, 2, 4, 7, 0x103, 0x104, 0x105, 0x109, 0x10A, 0x1FF]
        )
        #expect(network.nodes.flatMap(\.elements).flatMap(\.models).count == 67)
        #expect(network.netKeys.map(\.phase) == [.normal, .keyDistribution])
        #expect(network.netKeys[1].oldKey != nil)
        #expect(network.groups.count == 6)
        #expect(network.groups[1].parent == network.groups[0].address)
        #expect(network.scenes.map(\.number) == [7, 2])
        let tag = try required(network.nodes.first { $0.name == "Molly's Access Tag" })
        let vendor = try required(tag.elements[0].models.last)
        #expect(vendor.identifier == .vendor(company: 0x003F, model: 0x002A))
        let label = try required(LabelUUID("EA57D9F1975D4EBDA78A37D189AC58F4"))
        #expect(vendor.publication?.address == .virtual(label))
        #expect(vendor.publication?.period.milliseconds == 1_200_000)
        #expect(vendor.publication?.retransmit.intervalMilliseconds == 150)
        #expect(tag.netKeys == [NodeKey(index: try required(NetKeyIndex(rawValue: 1)), isUpdated: true)])
        let toggle = try required(network.nodes.first { $0.name == "Bedroom Light Switch" })
        #expect(toggle.networkTransmit == TransmitParameters(count: 1, steps: 1))
        #expect(toggle.relayRetransmit == nil)
        #expect(
            document.repairs.map { "\($0.pointer): \($0.reason)" } == [
                "/nodes/1/elements/0/models/6: model 1204 is there twice; merged",
                "/nodes/1/elements/0/models/7: model 1206 is there twice; merged",
                "/nodes/1/elements/0/models/8: model 1207 is there twice; merged",
            ]
        )
        let light = try required(network.nodes.first { $0.name == "Bedroom Light" }).elements[0]
        #expect(light.models.count == 15)
        #expect(light.models[3].bindings.map(\.rawValue) == [0, 1200])
    }

    @Test("Sample 02 has the same network, its unknown transmit values reported")
    func reexport() throws {
        let document = try CDBImport.read(CDBRoundTripTests.sample("02-coral-reexport"))
        #expect(document.network.nodes.count == 10)
        #expect(document.network.nodes[0].networkTransmit == nil)
        let zeros = document.repairs.filter { $0.reason == "count 0, interval 0; taken as unknown" }
        #expect(zeros.count == 18)
        #expect(document.repairs.count == 21)
        #expect(zeros.first?.pointer == "/nodes/0/relayRetransmit")
    }

    @Test("Older dialects are understood, and each repair is named")
    func dialects() throws {
        let document = try CDBImport.read(CDBRoundTripTests.sample("05-ios-2.x-plugin-example"))
        #expect(document.network.nodes.map(\.name) == ["iPhone"])
        #expect(document.network.netKeys[0].isMinimumSecuritySecure)
        #expect(document.network.provisioners[0].unicastRanges == [0x0001...0x199A])
        #expect(
            document.repairs.map(\.pointer) == [
                "/meshNetwork", "/meshNetwork/meshUUID", "/meshNetwork/partial",
                "/meshNetwork/netKeys/0/minSecurity", "/meshNetwork/provisioners/0/UUID", "/meshNetwork/scenes",
                "/meshNetwork/nodes/0/UUID", "/meshNetwork/nodes/0/security",
                "/meshNetwork/nodes/0/blacklisted",
            ]
        )
        let text = String(decoding: CDBExport.write(document.network, extras: document.extras), as: UTF8.self)
        #expect(text.contains("\"schema\": \"http://json-schema.org/draft-04/schema#\""))
    }

    @Test("Everything a network can hold survives export and import")
    func richNetwork() throws {
        var network = try StoreTests.richNetwork(nodes: 9)
        let document = try CDBImport.read(CDBExport.write(network, timestamp: now))
        // What the format does not know: the IV index, what meshplan manages, and when it looked.
        network.ivIndex = IVIndex(value: 0)
        network.netKeys[1].isManaged = false
        network.netKeys[1].isProtected = false
        network.appKeys[0].isManaged = false
        network.groups[1].isProtected = false
        for index in network.nodes.indices {
            network.nodes[index].isManaged = false
            network.nodes[index].elements[0].models[1].managedBindings = []
            network.nodes[index].elements[0].models[1].managedSubscriptions = []
            network.nodes[index].elements[0].models[1].isPublicationManaged = false
            network.nodes[index].isProtected = false
            network.nodes[index].observedAt = nil
            network.nodes[index].removalPolicy = .forget
            network.nodes[index].unprovisionedSeenAt = nil
            let states = network.nodes[index].states.compactMap(held)
            network.nodes[index].states = states
            network.nodes[index].bridgingTable = nil
            network.nodes[index].compositionPages = nil
            network.nodes[index].modelsMetadata = nil
            network.nodes[index].readBackAt = nil
            network.nodes[index].unread = []
            // Of a key refresh the format knows only who has the new keys.
            for place in network.nodes[index].netKeys.indices {
                let isUpdated = network.nodes[index].netKeys[place].isUpdated
                network.nodes[index].netKeys[place].progress = isUpdated ? .updated : .none
            }
            for place in network.nodes[index].appKeys.indices {
                let isUpdated = network.nodes[index].appKeys[place].isUpdated
                network.nodes[index].appKeys[place].progress = isUpdated ? .updated : .none
            }
        }
        // Nor who may be a node, but that its addresses are not to be given out.
        let ivIndex: UInt32 = 0x1234_5678
        let pending = network.pendingProvisionings.flatMap { $0.addresses.compactMap(UnicastAddress.init) }
        network.exclusions.append(NetworkExclusion(ivIndex: ivIndex, addresses: pending))
        network.pendingProvisionings = []
        network.retiredNodes = []
        network.ivIndexChangedAt = nil
        network.ivIndexRecoveredAt = nil
        network.ivIndexStatedAt = nil
        #expect(document.network == network)
        #expect(document.repairs.isEmpty)
    }

    /// A state as the format holds it: of heartbeats, without their count and the time they are counted.
    private func held(_ state: FoundationState) -> FoundationState? {
        switch state {
        case .heartbeatPublication(let heartbeat) where heartbeat.isOff: return nil
        case .heartbeatPublication(var heartbeat):
            heartbeat.countLog = nil
            return .heartbeatPublication(heartbeat)
        case .heartbeatSubscription(let heartbeat) where heartbeat.isOff: return nil
        case .heartbeatSubscription(var heartbeat):
            heartbeat.periodLog = nil
            return .heartbeatSubscription(heartbeat)
        default: return nil
        }
    }

    @Test("Unknown members of every object come back where they were, also through the database")
    func unknownMembers() throws {
        let original = try CDBRoundTripTests.sample("01-spec-example-kotlin-lib")
        var counter = 0
        func marked(_ value: Any) -> Any {
            if let array = value as? [Any] { return array.map(marked) }
            guard let object = value as? [String: Any] else { return value }
            counter += 1
            var result = object.mapValues(marked)
            result["x-unknown"] =
                ["n": counter, "list": [1.5, true, "é\"\\\n", [:] as [String: Int]]] as [String: Any]
            return result
        }
        let value = try marked(JSONSerialization.jsonObject(with: Data(original)))
        let bytes = [UInt8](try JSONSerialization.data(withJSONObject: value))
        // The second of two merged models loses its own: one object remains.
        let document = try CDBImport.read(bytes)
        let folder = try TemporaryFolder()
        var generator = SplitMix64(seed: 4)
        let key = DatabaseSecret.random(using: &generator)
        let path = folder.file("house.meshdb")
        _ = try MeshDatabase.create(
            at: path,
            network: document.network,
            extras: document.extras,
            key: key,
            now: now,
            using: generator
        )
        let database = try MeshDatabase.open(at: path, key: key)
        #expect(try database.extras() == document.extras)
        let exported = CDBExport.write(try database.snapshot().network, extras: try database.extras())
        #expect(try CDBRoundTripTests.normalized(exported) == CDBRoundTripTests.normalized(bytes))
        #expect(counter > 150)
    }

    @Test("Extras of a node that is gone, and moved nodes, do not confuse export")
    func moved() throws {
        let document = try CDBImport.read(
            Array(
                #"{"meshUUID":"00000000-0000-0000-0000-000000000001","meshName":"n","netKeys":[{"name":"k","index":0,"key":"00000000000000000000000000000000","minSecurity":"secure"}],"provisioners":[{"provisionerName":"p","UUID":"00000000-0000-0000-0000-000000000002"}],"nodes":[{"UUID":"00000000-0000-0000-0000-000000000003","name":"a","unicastAddress":"0005","deviceKey":"00000000000000000000000000000000","security":"secure","mine":1},{"UUID":"00000000-0000-0000-0000-000000000004","name":"b","unicastAddress":"0003","deviceKey":"00000000000000000000000000000000","security":"secure","mine":2}]}"#
                    .utf8
            )
        )
        var network = document.network
        network.nodes.removeFirst()
        var extras = document.extras
        let text = String(decoding: CDBExport.write(network, extras: extras), as: UTF8.self)
        #expect(text.contains("\"mine\": 1"))
        #expect(!text.contains("\"mine\": 2"))
        extras.removeNode(network.nodes[0].uuid)
        #expect(!String(decoding: CDBExport.write(network, extras: extras), as: UTF8.self).contains("\"mine\": 1"))
    }

    @Test(
        "Time stamps are written as RFC 3339",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_763_705_818, "2025-11-21T06:16:58Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
            (Int64.max, "9999-12-31T23:59:59Z"), (Int64.min, "0001-01-01T00:00:00Z"),
        ]
    )
    func timestamps(_ seconds: Int64, _ text: String) throws {
        let network = try StoreTests.richNetwork(nodes: 0)
        let exported = CDBExport.write(network, timestamp: Timestamp(rawValue: seconds))
        #expect(String(decoding: exported, as: UTF8.self).contains("\"timestamp\": \"\(text)\""))
    }

    @Test("A node with the UUID of another one gets one of its own, the same each time, and keeps it")
    func nodesWithTheSameUUID() throws {
        let document = try CDBImport.read(Self.sample("04-ios-2.x-spec-draft"))
        let repair = try required(
            document.repairs.first { $0.pointer == "/meshNetwork/nodes/2/UUID" && $0.reason.contains("same") }
        )
        let nodes = document.network.nodes
        #expect(nodes.map(\.name) == ["Brian\u{2019}s phone", "Bell", "Low Power Node"])
        #expect(nodes[1].uuid == DeviceUUID("EAA389973B4345B691494865D2885555"))
        #expect(Set(nodes.map(\.uuid)).count == 3)
        #expect(repair.reason.contains("/meshNetwork/nodes/1") && repair.reason.contains(nodes[2].uuid.description))
        #expect(try CDBImport.read(Self.sample("04-ios-2.x-spec-draft")).network.nodes == nodes)
        #expect(try CDBImport.read(CDBExport.write(document.network, extras: document.extras)).network.nodes == nodes)
    }

    /// A small database with some more members.
    private static func database(_ members: String) -> [UInt8] {
        let start = """
            {"meshUUID": "72C6BE40-444D-2081-BEAA-DDAD4E3CC21C", "meshName": "n", "netKeys": [{"name": "h", "index": 0, \
            "key": "5543950C57EDCC38E442964065720A8B", "phase": 0, "minSecurity": "secure", \
            "timestamp": "2018-11-20T10:05:20-08:00"}],
            """
        return Array((start + members + "}").utf8)
    }

    @Test("Hundreds of nodes that share UUID and address, too, are refused")
    func nodesWithTheSameUUIDAndAddress() throws {
        let node = """
            {"UUID": "0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001", "unicastAddress": "0001", "elements": []}
            """
        let nodes = Array(repeating: node, count: 300).joined(separator: ",")
        let inspection = try CDBImport.inspect(Self.database("\"nodes\": [\(nodes)]"))
        #expect(inspection.document == nil)
        let shared = inspection.refusals.filter { $0.reason.contains("so is the address of another such node") }
        #expect(shared.map(\.pointer) == (2..<300).map { "/nodes/\($0)/UUID" })
    }

    @Test("Of very many repairs the first ones are kept, and the others counted")
    func manyRepairs() throws {
        func inspect(_ count: Int) throws -> CDBInspection {
            let groups = (0..<count).map { "{\"address\": \"\((0xC000 + UInt16($0)).hexadecimal)\"}" }
            return try CDBImport.inspect(Self.database("\"groups\": [\(groups.joined(separator: ","))]"))
        }
        let (few, many) = (try inspect(10), try inspect(6_010))
        #expect(few.furtherRepairs == 0)
        #expect(many.repairs.count == 10_000)
        #expect(many.repairs.count + many.furtherRepairs == few.repairs.count + 2 * 6_000)
        #expect(many.document?.network.groups.count == 6_010)
        #expect(many.document?.furtherRepairs == many.furtherRepairs)
    }

    @Test("Who gives addresses up for a provisioner of ours is named")
    func concessions() throws {
        var generator = SplitMix64(seed: 1)
        let document = try CDBImport.read(Self.sample("04-ios-2.x-spec-draft"))
        let concessions = document.concessions(in: try document.joined(using: &generator))
        #expect(concessions.map(\.pointer) == ["/meshNetwork/provisioners/0/allocatedUnicastRange"])
        #expect(concessions.allSatisfy { $0.reason.contains("7F00 to 7FFF") && $0.reason.contains("Brian's Phone") })
        let roomy = try CDBImport.read(Self.sample("01-spec-example-kotlin-lib"))
        #expect(roomy.concessions(in: try roomy.joined(using: &generator)).isEmpty)
    }
}
