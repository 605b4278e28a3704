import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Profiles of Networked Lighting Control")
struct NLCTests {
    /// BLC 1.0.1 on elements 0 and 1, BSS 1.0.0 on element 0 with one octet of data: two records of the page.
    private static let page: [UInt8] =
        [0x01, 0x16, 1, 0, 1, 2, 0, 1, 0, 0] + [0x02, 0x16, 1, 0, 0, 1, 0, 1, 0, 8]

    @Test("Records of Composition Data page 2 are read up to its end")
    func page2() throws {
        let page = try CompositionPage2(Self.page)
        #expect(page.records.map(\.profile) == [0x1601, 0x1602])
        #expect(page.records.map(\.versionText) == ["1.0.1", "1.0.0"])
        #expect(page.records.map(\.elements) == [[0, 1], [0]])
        #expect(page.records.map(\.data) == [[], [8]])
        #expect(try CompositionPage2([]).records.isEmpty)
        for count in 1..<Self.page.count where count != 10 {
            #expect(throws: DecodeError.self) { try CompositionPage2(Array(Self.page.prefix(count))) }
        }
    }

    /// The table for the first lamp of the office, which has a Light Lightness Server and no Light LC Server.
    private func table(
        declared: [NLCProfile],
        capacities: [ListCapacity] = [],
        _ change: (inout Node) -> Void = { _ in }
    ) throws -> [String] {
        var office = try Office()
        try office.change("lamp-1", change)
        let node = try #require(office.network.nodes.first { $0.name == "lamp-1" })
        let examination = NLCExamination(node, declared: declared, capacities: capacities, models: ModelNames())
        return examination.rows.map { row in
            "\(row.profile?.word ?? "-") | \(row.subject) | \(row.outcome.rawValue) | \(row.found)"
        }
    }

    @Test("Without page 2 only models and room are compared, and what nobody has asked is unknown")
    func declared() throws {
        #expect(
            try table(declared: [.blc, .ocs]) == [
                "blc | claimed in page 2 | unknown | the page was not read",
                "blc | light-lightness-server | fits | on element 0",
                "blc | light-lc-server | missing | on no element",
                "ocs | claimed in page 2 | unknown | the page was not read",
                "ocs | sensor-server | missing | on no element",
                "ocs | presence-detected or motion-sensed or people-count | unknown | the sensor's descriptors tell",
                "blc | replay list of 255 | unknown | the composition does not tell",
                "blc | 32 subscriptions a model | unknown | only trying tells",
                "blc | 3 application keys | unknown | only trying tells",
                "blc | 2 subnets | unknown | only trying tells",
            ]
        )
        #expect(try table(declared: []) == [])
    }

    @Test("What a node claims and does not keep is missing, with the elements that it names")
    func claimed() throws {
        let product = Node.Product(company: 1, product: 1, version: 1, replayListSize: 40)
        let room = ListCapacity(
            product: product,
            list: .subscriptions(element: 0, model: .sig(0x1000)),
            entries: 8
        )
        let rows = try table(declared: [.blc, .dic], capacities: [room]) { node in
            node.product = product
            node.compositionPages = [2: Self.page]
        }
        #expect(
            rows == [
                "blc | claimed in page 2 | fits | version 1.0.1 on elements 0, 1",
                "blc | light-lightness-server | fits | on element 0",
                "blc | light-lc-server | missing | on no element",
                "bss | named in the definition | missing | version 1.0.0 on element 0",
                "bss | scene-client | missing | on no element",
                "dic | claimed in page 2 | missing | the page names other profiles",
                "dic | generic-level-client | missing | on no element",
                "blc | replay list of 255 | missing | room for 40",
                "blc | 32 subscriptions a model | missing | its product has refused more than 8",
                "blc | 3 application keys | unknown | only trying tells",
                "blc | 2 subnets | unknown | only trying tells",
            ]
        )
    }

    @Test(
        "Pages that make no sense are said",
        arguments: [
            ([UInt8](), "it names no profile"),
            ([0x01, 0x16], "it cannot be read"),
            ([0x00, 0x00, 1, 0, 0, 1, 0, 0, 0], "profile 0x0000 is not known, and ignored"),
            ([0x07, 0x16, 1, 0, 0, 1, 0, 0, 0], "profile 0x1607 is not known"),
            ([0x03, 0x16, 1, 0, 0, 1, 7, 0, 0], "dic names element 7, which the node does not have"),
            ([0x03, 0x16, 1, 0, 0, 2, 1, 1, 0, 0], "dic names an element twice"),
        ]
    )
    func pages(_ page: [UInt8], _ problem: String) throws {
        let rows = try table(declared: []) { $0.compositionPages = [2: page] }
        #expect(rows.first?.hasPrefix("- | composition page 2 | missing | \(problem)") == true, "\(rows)")
    }

    @Test("Plans warn at the line that names the profile, once for all nodes")
    func plans() throws {
        let yaml = "profiles: { lamp: { nlc: [blc] } }\n" + Office.nodes(lamp1: "profile: lamp", lamp2: "profile: lamp")
        let found = try Office().diagnostics(yaml)
        #expect(
            found == """
                1 warning: node `lamp-1` claims `blc`, but lacks what speaks for it: light-lc-server \
                (on no element) (and one more node); How certain that is: as in sample products. \
                the table of profiles shows all of it
                """,
            "\(found)"
        )
    }

    @Test("Before a composition is known, room and unused models are spoken of")
    func foreseen() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.elements = [] }
        let groups = (1...33).map { "g\($0): { address: 0xC1\($0 < 10 ? "0" : "")\($0) }" }.joined(separator: ", ")
        let list = (1...33).map { "g\($0)" }.joined(separator: ", ")
        let lamp = "nlc: [blc], elements: { 0: { light-lightness-server: { subscribe: [\(list)] } } }"
        let yaml = Office.definition.replacing("groups: {", with: "groups: { \(groups),") + Office.nodes(lamp1: lamp)
        let messages = try office.result(yaml).diagnostics.map(\.message)
        #expect(
            messages == [
                "whether node `lamp-1` has the `light-lc-server` of Basic Lightness Controller is not known yet: "
                    + "the definition does not use it",
                "node `lamp-1` needs room for 33 subscriptions of `light-lightness-server`, and blc promises 32",
            ]
        )
    }

    @Test("What profiles promise holds for guards where nothing better is known")
    func guards() throws {
        let office = try Office()
        let groups = (1...33).map { "g\($0): { address: 0xC1\($0 < 10 ? "0" : "")\($0) }" }.joined(separator: ", ")
        let list = (1...33).map { "g\($0)" }.joined(separator: ", ")
        let lamp = "elements: { 0: { generic-onoff-server: { subscribe: [\(list)] } } }"
        let start = Office.definition.replacing("groups: {", with: "groups: { \(groups),")
        #expect(try office.result(start + Office.nodes(lamp1: lamp)).plan?.findings == [])
        let promised = try office.result(start + Office.nodes(lamp1: "nlc: [blc], " + lamp)).plan
        #expect(Set(promised?.findings.map(\.planGuard) ?? []) == [.fullList])
        #expect(promised?.findings.first?.message.hasSuffix("and blc promises room for 32") == true)
    }
}
