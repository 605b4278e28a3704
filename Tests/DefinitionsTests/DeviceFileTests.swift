import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Definitions

@Suite("Files with devices for simulations")
struct DeviceFileTests {
    static let text = """
        products:
          luminaire:
            company: 0x0059
            product: 0x0001
            version: 2
            replay_list: 64
            features: [relay, proxy, friend]
            elements:
              - { location: 0x0106, models: [configuration-server, health-server, generic-onoff-server, light-lightness-server] }
              - { models: [generic-onoff-client, "0x0059:0x0001"] }
            provisioning:
              algorithms: [cmac, hmac]
              static: 00112233445566778899aabbccddeeff
              output: { actions: [blink, numeric], size: 2 }
              input: { actions: [push], size: 1 }
              requires_authentication: off
              oob_information: [string, number, on-box, 2d-code]
              uri: "https://example.com/x"
          sensor:
            elements: [{ models: [sensor-server] }]
            features: [low_power]
            provisioning: { algorithms: [BTM_ECDH_P256_CMAC_AES128_AES_CCM], oob_information: 0x8001, bearers: [pb-adv] }
        devices:
          lamp-1: { uuid: \(uuid(1)), product: luminaire }
          lamp-2: { uuid: \(uuid(2)), product: luminaire, static: ff, uri: urn:x, private_key: \(privateKey) }
          sensor-1: { uuid: \(uuid(3)), product: sensor }
        """

    private static let privateKey = "06a516693c9aa31a6084545d0c5db641b48572b97203ddffb7ac73f7d0457663"

    private func read(_ texts: String...) -> (devices: [DeviceDescription], problems: [String]) {
        let files = sources(texts)
        let (devices, diagnostics) = DeviceFile.read(files: files)
        return (devices, diagnostics.map { compact($0, files) })
    }

    @Test("A device has the quirks of its product and its own")
    func quirks() {
        let text = """
            products:
              lamp: { elements: [{ models: [generic-onoff-server] }], quirks: [no-beacon, "silent-get:0x8038"] }
              plain: { elements: [{ models: [generic-onoff-server] }] }
            devices:
              a: { uuid: \(uuid(1)), product: lamp, quirks: [resets-late] }
              b: { uuid: \(uuid(2)), product: lamp }
              c: { uuid: \(uuid(3)), product: plain }
            """
        let (devices, problems) = read(text)
        #expect(problems == [])
        #expect(
            devices.map(\.quirks) == [[.noBeacon, .silent(0x8038), .resetsLate], [.noBeacon, .silent(0x8038)], []]
        )
    }

    @Test("What a product becomes by an update is told on page 128, over what it is")
    func update() throws {
        let text = """
            products:
              lamp:
                version: 2
                features: [relay, proxy]
                elements: [{ models: [generic-onoff-server] }]
                composition_after_update:
                  version: 3
                  elements: [{ models: [generic-onoff-server, generic-level-server] }, { models: [sensor-server] }]
              plain: { elements: [{ models: [generic-onoff-server] }] }
            devices:
              a: { uuid: \(uuid(1)), product: lamp }
              b: { uuid: \(uuid(2)), product: plain }
            """
        let (devices, problems) = read(text)
        #expect(problems == [])
        let page = try #require(devices.first?.compositionPages[128])
        var next = try #require(devices.first?.composition)
        #expect(next.version == 2 && next.elements.count == 1)
        next.version = 3
        next.elements[0].models.append(.sig(0x1002))
        next.elements.append(CompositionElement(location: 0, models: [.sig(0x1100)]))
        #expect(try Composition(page0: page) == next)
        #expect(devices.last?.compositionPages == [:])
        #expect(
            read("products: { a: { elements: [{ models: [] }], composition_after_update: { elements: [] } } }\n")
                .problems.count == 1
        )
    }

    @Test("Devices have what their products have, and values of their own")
    func everything() throws {
        let (devices, problems) = read(Self.text)
        #expect(problems == [])
        #expect(devices.map(\.name) == ["lamp-1", "lamp-2", "sensor-1"])
        let lamp = try #require(devices.first)
        #expect(lamp.uuid == DeviceUUID(uuid(1)))
        #expect(
            lamp.composition
                == Composition(
                    company: 0x0059,
                    product: 1,
                    version: 2,
                    replayListSize: 64,
                    features: [.relay, .proxy, .friend],
                    elements: [
                        CompositionElement(
                            location: 0x0106,
                            models: [.configurationServer, .healthServer, .sig(0x1000), .sig(0x1300)]
                        ),
                        CompositionElement(location: 0, models: [.sig(0x1001), .vendor(company: 0x0059, model: 1)]),
                    ]
                )
        )
        #expect(
            lamp.capabilities
                == ProvisioningCapabilities(
                    elementCount: 2,
                    isStaticValueAvailable: true,
                    outputSize: 2,
                    outputActions: [.blink, .numeric],
                    inputSize: 1,
                    inputActions: [.push]
                )
        )
        let value = try StaticOutOfBandValue(try #require(Hexadecimal.decode("00112233445566778899aabbccddeeff")))
        #expect(lamp.staticValue == value)
        #expect(lamp.keyPair == nil)
        let information: OutOfBandInformation = [.text, .number, .onBox, .machineReadableCode]
        #expect(lamp.outOfBandInformation == information)
        #expect(lamp.uri == "https://example.com/x")

        #expect(devices[1].staticValue == (try StaticOutOfBandValue([0xFF])))
        #expect(devices[1].keyPair == Hexadecimal.decode(Self.privateKey).flatMap { P256KeyPair(privateKey: $0) })
        #expect(devices[1].capabilities.isPublicKeyAvailable)
        #expect(devices[1].uri == "urn:x")

        #expect(devices[2].composition.company == 0xFFFF && devices[2].composition.replayListSize == 64)
        #expect(devices[2].composition.features == .lowPower)
        #expect(devices[2].capabilities == ProvisioningCapabilities(elementCount: 1, algorithms: [.cmacAES128]))
        #expect(devices[2].outOfBandInformation.rawValue == 0x8001)
        #expect(devices[2].staticValue == nil && devices[2].uri == nil)
        #expect(lamp.provisioningBearers == [.advertising, .gatt] && devices[2].provisioningBearers == .advertising)
    }

    @Test("What every node has on its first element is added where it is missing")
    func foundationModels() {
        let (devices, problems) = read(Self.text)
        #expect(problems == [])
        #expect(
            devices.last?.composition.elements.first?.models == [.configurationServer, .healthServer, .sig(0x1100)]
        )
        let (others, _) = read(
            "products: { p: { elements: [{ models: [health-server, 0x1000] }] } }\n"
                + "devices: { d: { uuid: \(uuid(1)), product: p } }\n"
        )
        #expect(
            others.first?.composition.elements.first?.models == [.configurationServer, .healthServer, .sig(0x1000)]
        )
    }

    @Test("Devices of one file can be of products in another, and names are given once")
    func severalFiles() {
        let (devices, problems) = read(
            "devices:\n  a: { uuid: \(uuid(1)), product: p }\n---\nproducts: { p: { elements: [{ models: [] }] } }\n",
            "products: { p: { elements: [{ models: [] }] } }\ndevices: { a: { uuid: \(uuid(1)), product: q } }\n"
        )
        #expect(devices.count == 1)
        #expect(
            problems == [
                "b.yaml:1:13: error: the product `p` is declared twice [a.yaml:4:13: first here]",
                "b.yaml:2:12: error: the device `a` is declared twice [a.yaml:2:3: first here]",
                "b.yaml:2:23: error: the UUID 0D5C5A0E-6F5B-4F0E-A1A5-0B1F00000001 is given twice [a.yaml:2:14: first here]",
                "b.yaml:2:66: error: there is no product `q` (declared: p)",
            ]
        )
    }

    private static func product(_ settings: String) -> String {
        "products: { p: { elements: [{ models: [] }], \(settings) } }\ndevices: { d: { uuid: \(uuid(1)), product: p } }\n"
    }

    private static func device(_ settings: String) -> String {
        "products: { p: { elements: [{ models: [] }] } }\ndevices: { d: { uuid: \(uuid(1)), product: p, \(settings) } }\n"
    }

    private static let problemsArguments: [(String, String)] = [
        (
            product("company: 65536"),
            "1:55: error: `65536` is out of range for a company identifier (it can be 0 to 65535)"
        ),
        (
            product("company: 0x12345"),
            "1:55: error: `0x12345` is not a company identifier (write up to four hexadecimal digits)"
        ),
        (product("version: x"), "1:55: error: `x` is not a version identifier (write a number from 0 to 65535)"),
        (
            product("replay_list: -1"),
            "1:59: error: `-1` is not the size of a replay protection list (write a number from 0 to 65535)"
        ),
        (
            product("features: [rely]"),
            "1:57: error: `rely` is not a feature (did you mean `relay`? write one of: friend, low_power, proxy, relay)"
        ),
        (
            product("features: relay"),
            "1:56: error: a list of features is expected here, not a text (write it in brackets: [ … ])"
        ),
        (
            product("provisioning: { algorithms: [aes] }"),
            "1:75: error: `aes` is not an algorithm (write one of: BTM_ECDH_P256_CMAC_AES128_AES_CCM, "
                + "BTM_ECDH_P256_HMAC_SHA256_AES_CCM, cmac, hmac)"
        ),
        (product("provisioning: { algorithms: [] }"), "1:62: error: a device knows at least one algorithm"),
        (
            product("provisioning: { output: { actions: [blik], size: 1 } }"),
            "1:82: error: `blik` is not an output action (did you mean `blink`? "
                + "write one of: alphanumeric, beep, blink, numeric, vibrate)"
        ),
        (
            product("provisioning: { output: { actions: [], size: 1 } }"),
            "1:72: error: the list names no action (leave `output` out if there is none)"
        ),
        (product("provisioning: { input: { size: 1 } }"), "1:62: error: `actions` is missing (`input` needs it)"),
        (
            product("provisioning: { input: { actions: [push], size: 9 } }"),
            "1:94: error: `9` is out of range for a size (it can be 1 to 8)"
        ),
        (
            product("provisioning: { oob_information: [nowhere] }"),
            "1:80: error: `nowhere` is not a place of out-of-band data (write one of: 2d-code, bar-code, certificate, "
                + "inside-box, inside-manual, nfc, number, on-box, on-device, on-paper, other, provisioning-records, "
                + "string, uri)"
        ),
        (
            product("provisioning: { oob_information: 0x10000 }"),
            "1:79: error: `0x10000` is not a number of out-of-band information (write up to four hexadecimal digits)"
        ),
        (
            product("provisioning: { bearers: [pb-radio] }"),
            "1:72: error: `pb-radio` is not a provisioning bearer (write one of: pb-adv, pb-gatt)"
        ),
        (
            product("quirks: [no-beacon, no-becon]"),
            "1:66: error: `no-becon` is not a quirk (did you mean `no-beacon`? write one of: adds-client, answers-ffff, ignores-reset, keeps-bindings, miscounts-filter, no-add-addresses, no-beacon, no-forwarding, remote-link-forgets, resets-before-status, resets-late, short-netkey-list, silent-get:OPCODE, swapped-vendor-ids, wrong-key-index, zero-virtual-address)"
        ),
        (
            product("quirks: [sulks]"),
            "1:55: error: `sulks` is not a quirk (write one of: adds-client, answers-ffff, ignores-reset, keeps-bindings, miscounts-filter, no-add-addresses, no-beacon, no-forwarding, remote-link-forgets, resets-before-status, resets-late, short-netkey-list, silent-get:OPCODE, swapped-vendor-ids, wrong-key-index, zero-virtual-address)"
        ),
        (
            device("quirks: [silent-get:heartbeat]"),
            "2:78: error: `silent-get:heartbeat` names no opcode (write the opcode of the request in hexadecimal, as in silent-get:0x8038)"
        ),
        (
            product("provisioning: { bearers: [] }"),
            "1:62: error: a device can be provisioned over at least one bearer"
        ),
        (
            product("provisioning: { uri: nowhere }"),
            "1:67: error: `nowhere` is not a URI (write it like https://example.com/lamp)"
        ),
        (
            product("provisioning: { requires_authentication: yes }"),
            "2:12: warning: the device demands authentication but offers no method "
                + "(give it `static`, or its product `static`, `output` or `input`)"
        ),
        (
            product("provisioning: { static: x }"),
            "1:70: error: a static value has hexadecimal digits only (write 0 to 9 and a to f without separators)"
        ),
        (
            product("colour: red"),
            "1:46: error: unknown key `colour` (allowed here: company, composition, composition_after_update, elements, features, product, provisioning, quirks, replay_list, shared_subscription_lists, version)"
        ),
        (
            "products: { p: {} }\n",
            "1:13: error: the product has no elements (write `elements: [{ models: [generic-onoff-server] }]`, or "
                + "`composition:` with the octets of its Composition Data Page 0)"
        ),
        ("products: { p: { elements: [] } }\n", "1:18: error: a device has 1 to 255 elements, not 0"),
        ("products: { p: { elements: [{}] } }\n", "1:29: error: `models` is missing (an element needs it)"),
        (
            "products: { p: { elements: [{ models: [generic-onof-server] }] } }\n",
            "1:40: error: `generic-onof-server` is not a model (did you mean `generic-onoff-server`?)"
        ),
        (
            "products: { p: { elements: [{ models: [0x1000, generic-onoff-server] }] } }\n",
            "1:48: warning: the model generic-onoff-server occurs twice in this list"
        ),
        (
            "products: { p: { elements: [{ models: [] }, { models: [configuration-server] }] } }\n",
            "1:56: error: the model configuration-server belongs on the first element "
                + "(leave it out; every device has it there)"
        ),
        ("devices: { d: { uuid: \(uuid(1)) } }\n", "1:12: error: `product` is missing (a device needs it)"),
        (
            "devices: { d: { uuid: \(uuid(1)), product: p } }\n",
            "1:66: error: there is no product `p` (declare it under `products:`)"
        ),
        (
            device("private_key: 00"),
            "2:82: error: a private key has 32 octets, not 1 (write 64 hexadecimal digits)"
        ),
        (
            device("private_key: \(String(repeating: "00", count: 32))"),
            "2:82: error: the private key is not one of the curve P-256 (it lies between 0 and the order of the group)"
        ),
        (
            device("private_key: \(String(repeating: "ff", count: 32))"),
            "2:82: error: the private key is not one of the curve P-256 (it lies between 0 and the order of the group)"
        ),
        (device("static: { file: x }"), "2:77: error: a static value is expected here, not a mapping"),
        (
            "product: {}\n",
            "1:1: error: unknown key `product` (did you mean `products`? allowed here: devices, products)"
        ),
        ("[]\n", "1:1: error: a mapping with `products` and `devices` is expected here, not a list"),
        (
            "devices: { a b: {} }\n",
            "1:12: error: `a b` is not a name (names are letters, digits, `.`, `_` and `-`, and start with a letter or digit)"
        ),
    ]

    @Test("What is wrong is said with its place", arguments: problemsArguments)
    func problems(_ text: String, _ expected: String) {
        #expect(read(text).problems == ["a.yaml:\(expected)"])
    }

    @Test("A product that had to be left out is not missed as well")
    func noFollowUps() {
        let text = "products: { p: { elements: x } }\ndevices: { d: { uuid: \(uuid(1)), product: p } }\n"
        #expect(read(text).problems.count == 1)
    }

    @Test("A composition that fits no message is refused")
    func largeComposition() {
        func product(_ count: Int) -> String {
            let elements = repeatElement("{ models: [0x1000] }", count: count).joined(separator: ", ")
            return "products: { p: { elements: [\(elements)] } }\n"
        }
        // Ten octets ahead, six an element, four more for the foundation models.
        #expect(read(product(60)).problems == [])
        #expect(
            read(product(61)).problems == [
                "a.yaml:1:13: error: the composition is too large for a message "
                    + "(page 0 of the composition data can have 378 octets)"
            ]
        )
        #expect(read(product(256)).problems == ["a.yaml:1:18: error: a device has 1 to 255 elements, not 256"])
    }

    private static let secret = "fedcba98765432100123456789abcdef"

    private static let nothingShowsArguments: [String] = [
        device("static: \(secret)x"), device("private_key: \(secret)"), device("static: \(secret), uri: x"),
        device("private_key: [\(secret)], uri: x"), product("provisioning: { static: \(secret), uri: x }"),
        product("provisioning: { sttic: \(secret), uri: x }"),
    ]

    @Test("Secrets of simulated devices show in no diagnostic", arguments: nothingShowsArguments)
    func nothingShows(_ text: String) {
        let files = sources([text])
        let diagnostics = DeviceFile.read(files: files).diagnostics
        #expect(!diagnostics.isEmpty)
        for diagnostic in diagnostics {
            #expect(diagnostic.concealsSource, "\(compact(diagnostic, files))")
            #expect(!compact(diagnostic, files).contains("fedcba98"))
        }
    }

    @Test("Ten thousand devices are read")
    func manyDevices() {
        let devices = (0..<10_000).map { "  d-\($0): { uuid: \(uuid($0)), product: p }\n" }.joined()
        let (descriptions, problems) = read("products: { p: { elements: [{ models: [] }] } }\ndevices:\n" + devices)
        #expect(problems == [])
        #expect(descriptions.count == 10_000)
        #expect(descriptions.last?.name == "d-9999")
    }

    @Test("A mutated file never traps, and its diagnostics point into the file", arguments: 0..<10)
    func mutations(_ seed: UInt64) {
        let original = Array(Self.text.utf8)
        var random = SplitMix64(seed: seed)
        let alphabet = Array("{}[]:,-&*!|>'\"%@`#\n\t \\x0<".utf8)
        for _ in 0..<100 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: place)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
                default:
                    let end = min(bytes.count, place + Int.random(in: 1...80, using: &random))
                    bytes.insert(
                        contentsOf: Array(bytes[place..<end]),
                        at: Int.random(in: 0..<bytes.count, using: &random)
                    )
                }
                if bytes.isEmpty { bytes = original }
            }
            let files = SourceFiles(files: [SourceFiles.File(path: "a.yaml", bytes: bytes)])
            let (devices, diagnostics) = DeviceFile.read(files: files)
            let lines = UInt32(bytes.count { $0 == 0x0A } + 1)
            for diagnostic in diagnostics {
                guard let location = diagnostic.location else { continue }
                #expect((1...lines).contains(location.line) && location.column >= 1)
            }
            for device in devices {
                #expect(Int(device.capabilities.elementCount) == device.composition.elements.count)
                #expect(device.composition.page0Bytes != nil)
            }
        }
    }
}
