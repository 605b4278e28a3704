import MeshCore
import TestSupport
import Testing

@Suite("Composition Data page 0")
struct CompositionTests {
    /// Sample 8.10.1 of the Mesh Protocol specification.
    private let sample = hex("0c001a0001000800030000010501000000800100001003103f002a00")

    @Test("the specification's sample decodes and encodes")
    func specificationSample() throws {
        let composition = try Composition(page0: sample)
        #expect(
            composition
                == Composition(
                    company: 0x000C,
                    product: 0x001A,
                    version: 0x0001,
                    replayListSize: 8,
                    features: [.relay, .proxy],
                    elements: [
                        CompositionElement(
                            location: 0x0100,
                            models: [
                                .sig(0x0000), .sig(0x8000), .sig(0x0001), .sig(0x1000), .sig(0x1003),
                                .vendor(company: 0x003F, model: 0x002A),
                            ]
                        )
                    ]
                )
        )
        #expect(composition.page0Bytes == sample)
        #expect(try ConfigCompositionDataStatus(page: 0, data: sample).composition() == composition)
        #expect(try ConfigCompositionDataStatus(page: 1, data: sample).composition() == nil)
    }

    @Test("a page cut short anywhere is refused")
    func truncated() {
        for length in 0..<sample.count {
            #expect(throws: DecodeError.self, "\(length) octets") {
                try Composition(page0: Array(sample.prefix(length)))
            }
        }
        #expect(throws: DecodeError.self) { try Composition(page0: sample + [0]) }
    }

    @Test("several elements, also without models, survive")
    func severalElements() throws {
        let page = sample + hex("0200 00 00") + hex("0300 01 02 0010 5900 0100 5900 0200")
        let composition = try Composition(page0: page)
        #expect(composition.elements.map(\.models.count) == [6, 0, 3])
        #expect(composition.elements.map(\.location) == [0x0100, 0x0002, 0x0003])
        #expect(composition.page0Bytes == page)
    }

    @Test("reserved feature bits are kept")
    func reservedFeatures() throws {
        var page = sample
        page[9] = 0x80
        #expect(try Composition(page0: page).page0Bytes == page)
    }

    @Test(
        "an element that repeats a model is refused",
        arguments: ["0000 02 00 0010 0010", "0000 00 02 5900 0100 5900 0100"]
    )
    func repeatedModel(element: String) throws {
        let error = try #require(throws: DecodeError.self) {
            try Composition(page0: sample.prefix(10) + hex(element))
        }
        guard case .prohibited = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test("the same number as SIG and as vendor model are two models, and on two elements it is fine")
    func sameNumber() throws {
        let page = sample.prefix(10) + hex("0000 01 01 0010 0000 0010") + hex("0000 01 00 0010")
        #expect(try Composition(page0: Array(page)).elements.count == 2)
    }

    @Test("SIG models are written before vendor models, as the page wants it")
    func order() throws {
        var composition = try Composition(page0: sample)
        let vendor = ModelIdentifier.vendor(company: 0x0059, model: 1)
        composition.elements = [CompositionElement(location: 0, models: [vendor, .sig(0x1000)])]
        #expect(composition.page0Bytes == sample.prefix(10) + hex("0000 01 01 0010 5900 0100"))
    }

    @Test("more models than an octet counts cannot be written")
    func tooManyModels() throws {
        var composition = try Composition(page0: sample)
        composition.elements[0].models = (0..<255).map { .sig($0) }
        #expect(composition.page0Bytes?.count == 10 + 4 + 510)
        composition.elements[0].models.append(.sig(255))
        #expect(composition.page0Bytes == nil)
    }
}
