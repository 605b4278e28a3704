import Catalogue
import DefinitionModel
import Foundation
import MeshCore
import Testing

@testable import Definitions

@Suite("JSON Schema")
struct SchemaTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let definitions = "meshplan.schema.json"
    private static let devices = "meshplan-devices.schema.json"
    private static let models = "meshplan-models.schema.json"
    private func parts(_ name: String) throws -> [String: [String: Any]] {
        let data = try Data(contentsOf: Self.root.appending(path: "schemas/\(name)"))
        let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return try #require(schema["$defs"] as? [String: [String: Any]])
    }

    /// With `RECORD_SNAPSHOTS=1` in the environment, it writes the file, and fails.
    @Test("Every schema is made from the descriptions that the decoder reads", arguments: LanguageSchema.all)
    func made(_ schema: LanguageSchema) throws {
        let file = Self.root.appending(path: "schemas/\(schema.fileName)")
        let isSame = try String(contentsOf: file, encoding: .utf8) == schema.text
        if !isSame, ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
            try schema.text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(isSame, "\(schema.fileName) is not what it is made from; record it with RECORD_SNAPSHOTS=1")
    }

    @Test("Every reference in a schema leads somewhere", arguments: [definitions, devices, models])
    func references(_ schema: String) throws {
        let parts = try parts(schema)
        func references(in value: Any) -> [String] {
            switch value {
            case let object as [String: Any]:
                (object["$ref"] as? String).map { [$0] } ?? [] + object.values.flatMap { references(in: $0) }
            case let list as [Any]: list.flatMap { references(in: $0) }
            default: []
            }
        }
        for reference in references(in: parts) {
            #expect(parts[String(reference.dropFirst("#/$defs/".count))] != nil, "\(reference)")
        }
    }

    @Test("The schema of fleets has the keys of the decoder")
    func fleets() throws {
        let parts = try parts("meshplan-fleet.schema.json")
        for (part, keys) in [("fleet", DocumentDecoder.fleetKeys), ("network", DocumentDecoder.fleetNetworkKeys)] {
            let properties = try #require(parts[part]?["properties"] as? [String: Any])
            #expect(properties.keys.sorted() == keys)
            #expect(parts[part]?["additionalProperties"] as? Bool == false)
        }
    }

    @Test("The schema of files with devices knows every quirk, and says what it is")
    func quirks() throws {
        let quirks = try #require(try parts(Self.devices)["quirks"])
        let items = try #require(quirks["items"] as? [String: Any])
        let kinds = try #require(items["anyOf"] as? [[String: Any]])
        #expect(kinds.first?["enum"] as? [String] == DeviceQuirk.plain.map(\.name))
        let description = try #require(quirks["description"] as? String)
        for quirk in DeviceQuirk.plain { #expect(description.contains("\(quirk.name): "), "\(quirk.name)") }
    }

    @Test("The decoder takes every key that a record lists", arguments: LanguageSchema.definition.records)
    func decoderTakesEveryKey(_ record: Record) {
        // Each key gets a list in a list, which no key takes: the decoder must complain about the value, not the key.
        for keyword in record.keys {
            let problems = diagnose(Self.document(with: keyword.rawValue, in: record))
            #expect(!problems.contains { $0.contains("unknown key") }, "\(keyword)")
            let isRead = problems.contains { $0.contains("not a list") || $0.contains("a definition must not contain") }
            #expect(isRead, "\(keyword) of \(record.title) is not read")
        }
    }

    @Test(
        "The decoder takes every key that a record of a file with devices lists",
        arguments: LanguageSchema.devices.records
    )
    func decoderTakesEveryKeyOfDevices(_ record: Record) {
        for keyword in record.keys {
            let value = "{ \(keyword.rawValue): [[]] }"
            let product = { (settings: String) in "products: { a: { elements: [{ models: [] }], \(settings) } }\n" }
            let text =
                switch record.title {
                case "device_file": "\(value)\n"
                case "product": "products: { a: \(value) }\n"
                case "updated_composition": product("composition_after_update: \(value)")
                case "composition_element": "products: { a: { elements: [\(value)] } }\n"
                case "product_provisioning": product("provisioning: \(value)")
                case "oob_actions": product("provisioning: { output: \(value) }")
                default: "devices: { a: \(value) }\n"
                }
            let problems = DeviceFile.read(files: sources([text])).diagnostics.map(\.message)
            #expect(!problems.contains { $0.contains("unknown key") }, "\(keyword)")
            #expect(problems.contains { $0.contains("not a list") }, "\(keyword) of \(record.title) is not read")
        }
    }

    @Test(
        "The decoder takes every key that a record of a file with vendor models lists",
        arguments: LanguageSchema.models.records
    )
    func decoderTakesEveryKeyOfModels(_ record: Record) {
        for keyword in record.keys {
            let value = "{ \(keyword.rawValue): [[]] }"
            let model = { (parts: String) in "models: { a: { company: 1, model: 1, \(parts) } }\n" }
            let text =
                switch record.title {
                case "models_file": "\(value)\n"
                case "vendor_model": "models: { a: { company: 1, model: 1, \(value.dropFirst().dropLast()) } }\n"
                case "vendor_message": model("messages: { m: \(value) }")
                default: model("messages: {}, states: { s: \(value) }")
                }
            let problems = VendorModelsFile.read(files: sources([text])).diagnostics.map(\.message)
            #expect(!problems.contains { $0.contains("unknown key") }, "\(keyword)")
            let isRead = problems.contains { $0.contains("not a list") || $0.contains("occurs twice") }
            #expect(isRead, "\(keyword) of \(record.title) is not read: \(problems)")
        }
    }

    /// A document in which a record holds just one key with a value that fits none.
    private static func document(with key: String, in record: Record) -> String {
        let value = "{ \(key): [[]] }"
        let node = { (settings: String) in head + "nodes: { a: { uuid: \(uuid(1)), \(settings) } }\n" }
        return switch record.title {
        case "definition": (key == "version" || key == "network" ? "" : head) + "\(key): [[]]\n"
        case "subnet": head + "subnets: { a: \(value) }\n"
        case "application_key": head + "application_keys: { a: \(value) }\n"
        case "key_source": head + "subnets: { a: { key: \(value) } }\n"
        case "group": head + "groups: { a: \(value) }\n"
        case "defaults": head + "defaults: \(value)\n"
        case "profile": head + "profiles: { a: \(value) }\n"
        case "node": head + "nodes: { a: \(value) }\n"
        case "limits": head + "limits: \(value)\n"
        case "provisioning_rules": head + "provisioning: \(value)\n"
        case "provisioning": node("provisioning: \(value)")
        case "profile_provisioning": head + "profiles: { a: { provisioning: \(value) } }\n"
        case "provisioning_server": node("provisioning: { via: \(value) }")
        case "static_source": node("provisioning: { static: \(value) }")
        case "public_key_source": node("provisioning: { public_key: \(value) }")
        case "features": node("features: \(value)")
        case "transmit": node("network_transmit: \(value)")
        case "heartbeat": node("heartbeat: \(value)")
        case "heartbeat_publish": node("heartbeat: { publish: \(value) }")
        case "heartbeat_subscribe": node("heartbeat: { subscribe: \(value) }")
        case "sar_transmitter", "sar_receiver", "private_beacon", "subnet_bridge": node("\(record.title): \(value)")
        case "bridge": node("subnet_bridge: { table: [\(value)] }")
        case "model": node("elements: { 0: { generic-onoff-server: \(value) } }")
        case "publish": node("elements: { 0: { generic-onoff-server: { publish: \(value) } } }")
        case "retransmit": node("elements: { 0: { generic-onoff-server: { publish: { retransmit: \(value) } } } }")
        case "subscription": head + "subscriptions: [\(value)]\n"
        case "moved": head + "moved: [\(value)]\n"
        case "check": head + "checks: { a: \(value) }\n"
        case "requirement": head + "checks: { a: { have: \(value) } }\n"
        case "check_count": head + "checks: { a: { count: \(value) } }\n"
        case "schedule": head + "schedules: { a: \(value) }\n"
        case "module": head + "modules: { m: \(value) }\nuse: [{ module: m }]\n"
        case "parameter":
            head + "variables: { v: { type: number, \(key == "type" ? "" : "\(key): [[]]") } }\n"
                + (key == "type" ? "modules: { m: { parameters: { p: { type: [[]] } } } }\n" : "")
        case "use":
            head + "modules: { m: {} }\nuse: [{ module: m, \(value.dropFirst()), \(value)]\n"
        case "override": head + "modules: { m: {} }\nuse: [{ module: m, override: \(value) }]\n"
        case "floor": head + "floors: { 1: \(value) }\n"
        case "position": node("position: \(value)")
        case "corner": node("position: { floor: 1, x: 1m, y: 1m, from: \(value) }")
        case "test": head + "tests: { a: \(value) }\n"
        case "test_variation": head + "tests: { a: { for_each: \(value), steps: [{ wait: 1s }] } }\n"
        case "test_step": head + "tests: { a: [\(value)] }\n"
        default: head + "publications: [\(value)]\n"
        }
    }

    @Test("The example definitions are accepted")
    func examples() throws {
        let examples = Self.root.appending(path: "examples")
        let folders = try FileManager.default.contentsOfDirectory(at: examples, includingPropertiesForKeys: nil)
        var count = 0
        for folder in folders.sorted(by: { $0.path < $1.path }) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            let files = try DefinitionPaths.definitionFiles(among: names).map { name in
                let data = try Data(contentsOf: folder.appending(path: name))
                return SourceFiles.File(path: name, bytes: Array(data))
            }
            guard !files.isEmpty else { continue }
            count += 1
            let reading = try DefinitionReader.reading(SourceFiles(files: files)) { path throws -> [SourceFiles.File] in
                let data = try Data(contentsOf: folder.appending(path: path))
                return [SourceFiles.File(path: path, bytes: Array(data))]
            }
            #expect(reading.diagnostics.map { compact($0, reading.files) } == [])
            #expect(reading.definitions.count == 1)
        }
        #expect(count > 0)
    }

    @Test("The example's files with devices and secrets are accepted, and have every node of the definition")
    func exampleDevices() throws {
        let office = Self.root.appending(path: "examples/office")
        func source(_ names: String...) throws -> SourceFiles {
            SourceFiles(
                files: try names.map { name in
                    .init(path: name, bytes: Array(try Data(contentsOf: office.appending(path: name))))
                }
            )
        }
        let definition = try #require(
            DefinitionReader.read(files: source("office.yaml", "devices/models.yaml")).definitions.first
        )
        #expect(VendorModelsFile.read(files: try source("devices/models.yaml")).models.map(\.name) == ["exit-light"])
        let devices = DeviceFile.read(files: try source("devices/devices.yaml"))
        let secrets = SecretsFile.read(files: try source("devices/secrets.csv"))
        #expect(devices.diagnostics.isEmpty && secrets.diagnostics.isEmpty)
        let nodes = definition.nodes.map(\.uuid.value)
        #expect(nodes.count >= 40)
        #expect(Set(nodes) == Set(devices.devices.map(\.uuid)))
        for device in devices.devices {
            #expect(secrets.secrets[device.uuid]?.staticValue == device.staticValue, "\(device.name)")
        }
    }
}
