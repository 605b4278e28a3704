import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Products of a definition")
struct ProductsOfDefinitionTests {
    /// A lamp with two elements, as Composition Data Page 0 tells it.
    private static let octets = "59001000010040000300" + "00000300" + "000002000010" + "00000100" + "0210"
    private static let lamp = """
        products:
          lamp:
            company: 0x0059
            product: 0x0010
            version: 1
            replay_list: 64
            features: [relay, proxy]
            elements: [{ models: [generic-onoff-server] }, { models: [generic-level-server] }]
        devices:
          a: { uuid: \(uuid(1)), product: lamp }

        """
    private static let other = hexadecimal.replacing("lamp:", with: "other:")
    private static let hexadecimal = "products: { lamp: { composition: \(octets) } }\n"

    private static func definition(_ products: String) -> String {
        """
        version: 1
        network: t
        products: \(products)
        subnets: { s: {} }
        profiles: { lamp: { product: "0x0059:0x0010" } }
        nodes: { hall: { profile: lamp } }

        """
    }

    private func files(_ texts: KeyValuePairs<String, String>) -> SourceFiles {
        SourceFiles(files: texts.map { SourceFiles.File(path: $0.key, bytes: Array($0.value.utf8)) })
    }

    private func read(
        _ given: KeyValuePairs<String, String>,
        loading others: KeyValuePairs<String, String> = [:]
    ) -> (reading: DefinitionReading, problems: [String]) {
        let others = files(others).files
        let reading = DefinitionReader.reading(files(given)) { path throws(Never) -> [SourceFiles.File] in
            let path = NamedFiles.normalized(path)
            return others.filter { $0.path == path || $0.path.hasPrefix(path + "/") }
        }
        return (reading, reading.diagnostics.map { compact($0, reading.files) })
    }

    @Test(
        "A product knows HMAC-SHA256 if its file says so, not if the file says nothing of algorithms",
        arguments: [("[hmac, cmac]", true), ("[cmac]", false), (nil, false)] as [(String?, Bool)]
    )
    func algorithms(_ names: String?, _ isKnown: Bool) throws {
        let abilities = names.map { ", provisioning: { algorithms: \($0) }" } ?? ""
        let products = Self.hexadecimal.replacing(" } }", with: abilities + " } }")
        let (reading, problems) = read(["a.yaml": Self.definition("[p.yaml]")], loading: ["p.yaml": products])
        #expect(problems == [])
        let definition = try #require(reading.definitions.first)
        #expect(definition.products.values.map(\.knowsHMAC) == [isKnown])
    }

    @Test(
        "A definition names files and folders; words and octets say the same; history says it again",
        arguments: [
            (["a.yaml": "[p.yaml]"], ["p.yaml": lamp]), (["a.yaml": "[p.yaml]"], ["p.yaml": hexadecimal]),
            (["a.yaml": "[p.yaml]", "p.yaml": lamp], [:]), (["d/a.yaml": "[../e]"], ["e/p.yaml": lamp]),
            (["a.yaml": "[p.yaml, p.yaml]"], ["p.yaml": lamp]),
            (["a.yaml": "[p.yaml, q.yaml]"], ["p.yaml": lamp, "q.yaml": other]),
        ] as [(KeyValuePairs<String, String>, KeyValuePairs<String, String>)]
    )
    func places(_ given: KeyValuePairs<String, String>, _ others: KeyValuePairs<String, String>) throws {
        var all = SourceFiles()
        for (path, text) in given {
            let text = path.hasSuffix("a.yaml") ? Self.definition(text) : text
            all.files.append(SourceFiles.File(path: path, bytes: Array(text.utf8)))
        }
        let further = files(others).files
        let reading = DefinitionReader.reading(all) { path throws(Never) -> [SourceFiles.File] in
            let path = NamedFiles.normalized(path)
            return further.filter { $0.path == path || $0.path.hasPrefix(path + "/") }
        }
        #expect(reading.diagnostics.map { compact($0, reading.files) } == [])
        let definition = try #require(reading.definitions.first)
        let described = definition.describedProduct(of: definition.nodes[0], profiles: definition.profilePlaces)
        let composition = try #require(described).composition
        #expect(composition.elements.map(\.models.count) == [3, 1])
        #expect(composition.elements[1].models == [.sig(0x1002)])
        #expect(composition.features == [.relay, .proxy] && composition.replayListSize == 64)
        let again = DefinitionReader.read(files: reading.files)
        #expect(again.diagnostics.isEmpty && again.definitions == reading.definitions)
    }

    @Test(
        "What is wrong in a file is told at its place in it",
        arguments: [
            ("products: { lamp: { composition: 5900 } }", "p.yaml:1:34", "are no Composition Data Page 0: input ends"),
            ("products: { lamp: { composition: \(octets)00 } }", "p.yaml:1:34", "are no Composition Data Page 0"),
            ("products: { lamp: { composition: lamp } }", "p.yaml:1:34", "the octets of Composition Data Page 0"),
            ("products: { lamp: { composition: [] } }", "p.yaml:1:34", "is expected here, not a list"),
            (
                "products: { lamp: { composition: 590010000100400003000000010000010 } }", "p.yaml:1:34",
                "the octets of Composition Data Page 0"
            ),
            (
                "products: { lamp: { composition: 5900100001004000030000000100\("0010") } }", "p.yaml:1:34",
                "the first element has no configuration-server"
            ),
            (
                "products: { lamp: { composition: \(octets), company: 1 } }", "p.yaml:1:",
                "`composition` tells this already"
            ),
            ("products: { lamp: {} }", "p.yaml:1:13", "the product has no elements"),
            ("products: { lamp: { elements: [] } }", "p.yaml:1:", "a device has 1 to 255 elements, not 0"),
            ("nodes: {}", "p.yaml:1:1", "unknown key `nodes`"), ("products: {", "p.yaml:", ""),
            ("- 1", "p.yaml:1:1", ""),
            (
                lamp.replacing(
                    "devices:",
                    with: "  two: { company: 0x59, product: 16, elements: [{ models: [] }] }\ndevices:"
                ),
                "p.yaml:9:3", "the products `lamp` and `two` are both made as 0x0059:0x0010"
            ),
            (lamp.replacing("product: lamp", with: "product: lmap"), "p.yaml:10:", "there is no product `lmap`"),
            (
                "products: { lamp: { composition: \(octets)" + String(repeating: "00000000", count: 99)
                    + " } }", "p.yaml:1:", "the composition is too large for a message"
            ),
        ]
    )
    func wrong(text: String, place: String, message: String) {
        let (_, problems) = read(["a.yaml": Self.definition("[p.yaml]")], loading: ["p.yaml": text])
        #expect(problems.contains { $0.hasPrefix(place) && $0.contains(message) }, "\(problems)")
    }

    @Test("A file that is missing, and anything but a list, is told at its place, once")
    func missing() {
        let (reading, problems) = read(["a.yaml": Self.definition("[p.yaml, x]")], loading: ["p.yaml": Self.lamp])
        #expect(problems.count == 1 && reading.definitions.first?.products.count == 1)
        #expect(problems.first?.hasPrefix("a.yaml:3:20: error: there is no YAML file `x` with products") == true)
        #expect(read(["a.yaml": Self.definition("p.yaml")]).problems.first?.contains("in brackets: [ … ]") == true)
        #expect(read(["a.yaml": Self.definition("")]).problems == [])
    }

    @Test("Profiles and nodes name products, also in modules and in files that others include")
    func names() throws {
        let text = """
            version: 1
            network: t
            products: [p.yaml]
            include: more.yaml
            profiles: { one: { product: lamp }, other: { product: "0x0059:0x0010" } }
            nodes: { hall: { profile: one }, attic: { product: lamp } }
            modules: { room: { parameters: { of: text }, nodes: { cellar: { product: $(of) } } } }
            use: [{ module: room, with: { of: lamp } }]

            """
        let more = "nodes: { yard: { product: lamp } }\n"
        let (reading, problems) = read(["a.yaml": text], loading: ["p.yaml": Self.lamp, "more.yaml": more])
        #expect(problems == [])
        let definition = try #require(reading.definitions.first)
        let product = ProductIdentifier(company: 0x59, product: 0x10)
        #expect(definition.profiles.map(\.product?.value) == [product, product])
        let products = definition.nodes.map { definition.product(of: $0, profiles: definition.profilePlaces) }
        #expect(definition.nodes.count == 4 && products == [product, product, product, product])
        #expect(definition.nodes.map(\.product?.location.line) == [nil, 6, 1, 7])
    }

    @Test(
        "A name that no file declares is told at its place, with the nearest one",
        arguments: [
            ("lmap", "a.yaml:5:30: error: there is no product `lmap` (did you mean `lamp`? products are: lamp)"),
            ("0x0059", "a.yaml:5:30: error: `0x0059` is not a product (write the name of a product in a file"),
            ("0x0059:16", "a.yaml:5:30: error: `0x0059:16` is not a product (write the name of a product in a file"),
            ("[lamp]", "a.yaml:5:30: error: a product is expected here, not a list"),
        ]
    )
    func unknownNames(name: String, message: String) {
        let text = Self.definition("[p.yaml]").replacing("\"0x0059:0x0010\"", with: name)
        let (_, problems) = read(["a.yaml": text], loading: ["p.yaml": Self.lamp])
        #expect(problems.count == 1 && problems.first?.hasPrefix(message) == true, "\(problems)")
    }

    @Test("A name is not missed as well where its file is missing or its product is wrong")
    func unknownNamesOfBrokenFiles() {
        let text = Self.definition("[p.yaml]").replacing("\"0x0059:0x0010\"", with: "lamp")
        #expect(read(["a.yaml": text]).problems.map { $0.contains("there is no YAML file `p.yaml`") } == [true])
        let broken = read(["a.yaml": text], loading: ["p.yaml": "products: { lamp: { elements: [] } }\n"])
        #expect(broken.problems.map { $0.contains("1 to 255 elements") } == [true])
        let without = text.replacing("products: [p.yaml]\n", with: "")
        #expect(
            read(["a.yaml": without]).problems.map {
                $0.contains(
                    "there is no product `lamp` (name a file with products: `products: [devices/products.yaml]`"
                )
            } == [true]
        )
    }

    @Test("Octets may be written as people copy them")
    func digits() throws {
        let (head, rest) = (Self.octets.prefix(4), Self.octets.dropFirst(4))
        let text = "products: { lamp: { composition: \"0x\(head) \(rest)\" } }"
        let (reading, problems) = read(["a.yaml": Self.definition("[p.yaml]")], loading: ["p.yaml": text])
        #expect(problems == [] && reading.definitions.first?.products.count == 1)
    }
}
