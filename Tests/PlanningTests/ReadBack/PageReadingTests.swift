import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Reading of composition pages")
struct PageReadingTests {
    private func node(isLarge: Bool) -> Node {
        var models = [Model(identifier: .configurationServer)]
        if isLarge { models.append(Model(identifier: .largeCompositionDataServer)) }
        return Node(
            uuid: DeviceUUID(rawValue: Octets16(high: 0, low: 1)),
            name: "n",
            unicastAddress: .first,
            deviceKey: nil,
            elements: [Element(models: models)]
        )
    }

    /// What a node with those pages answers, parts of so many octets.
    private func answer(
        _ part: PageReading.Part,
        _ pages: [UInt8: [UInt8]],
        metadata: [UInt8: [UInt8]] = [:],
        size: Int = 4
    ) -> PageReading.Answer? {
        func excerpt(of pages: [UInt8: [UInt8]], _ asked: UInt8, _ offset: UInt16) -> PageReading.Answer? {
            guard let page = pages.keys.filter({ $0 <= asked }).max(), let octets = pages[page] else { return nil }
            let data = Array(octets.dropFirst(Int(offset)).prefix(size))
            return PageReading.Answer(page: page, offset: offset, totalSize: octets.count, data: data)
        }
        switch part {
        case .composition(let asked):
            guard let page = pages.keys.filter({ $0 <= asked }).max(), let data = pages[page] else { return nil }
            return PageReading.Answer(page: page, data: data)
        case .largeComposition(let page, let offset): return excerpt(of: pages, page, offset)
        case .modelsMetadata(let page, let offset): return excerpt(of: metadata, page, offset)
        }
    }

    private func parts(
        _ reading: inout PageReading,
        _ pages: [UInt8: [UInt8]],
        metadata: [UInt8: [UInt8]] = [:]
    ) -> [PageReading.Part] {
        var asked: [PageReading.Part] = []
        while let part = reading.next, asked.count < 100 {
            asked.append(part)
            if let answer = answer(part, pages, metadata: metadata) { reading.record(answer) } else { reading.refuse() }
        }
        return asked
    }

    @Test("A node with page 0 alone is asked once")
    func pageZero() {
        var reading = PageReading(of: node(isLarge: false))
        #expect(parts(&reading, [0: [1, 2, 3]]) == [.composition(page: 255)])
        #expect(reading.compositionPages == [:] && reading.modelsMetadata == nil)
    }

    @Test("The pages that are there are asked for from the highest down")
    func pages() {
        var reading = PageReading(of: node(isLarge: false))
        let pages: [UInt8: [UInt8]] = [0: [0], 1: [1, 1], 2: [], 128: [128], 255: [255]]
        #expect(
            parts(&reading, pages) == [
                .composition(page: 255), .composition(page: 254), .composition(page: 127), .composition(page: 1),
            ]
        )
        #expect(reading.compositionPages == pages.filter { $0.key > 0 })
    }

    @Test("Large pages come in parts, and the metadata of models after them")
    func large() {
        var reading = PageReading(of: node(isLarge: true))
        let pages: [UInt8: [UInt8]] = [0: Array(0..<30), 1: Array(0..<9), 130: Array(0..<4)]
        let metadata: [UInt8: [UInt8]] = [0: Array(0..<5), 128: [7]]
        #expect(
            parts(&reading, pages, metadata: metadata) == [
                .largeComposition(page: 255, offset: 0), .largeComposition(page: 129, offset: 0),
                .largeComposition(page: 1, offset: 4), .largeComposition(page: 1, offset: 8),
                .modelsMetadata(page: 255, offset: 0), .modelsMetadata(page: 127, offset: 0),
                .modelsMetadata(page: 0, offset: 4),
            ]
        )
        #expect(reading.compositionPages == pages.filter { $0.key > 0 } && reading.modelsMetadata == metadata)
    }

    @Test("A page that changes while it is read is read anew, but not for ever")
    func changes() {
        var reading = PageReading(of: node(isLarge: true))
        reading.record(PageReading.Answer(page: 1, offset: 0, totalSize: 8, data: [1, 2, 3, 4]))
        reading.record(PageReading.Answer(page: 1, offset: 4, totalSize: 6, data: [5, 6]))
        #expect(reading.next == .largeComposition(page: 1, offset: 0))
        reading.record(PageReading.Answer(page: 1, offset: 0, totalSize: 6, data: [1, 2, 3, 4]))
        reading.record(PageReading.Answer(page: 1, offset: 4, totalSize: 6, data: [5, 6]))
        #expect(reading.compositionPages == [1: [1, 2, 3, 4, 5, 6]])

        var endless = PageReading(of: node(isLarge: true))
        var asked = 0
        while case .largeComposition(_, let offset) = endless.next, asked < 100 {
            endless.record(PageReading.Answer(page: 1, offset: offset, totalSize: 100 + asked, data: [0]))
            asked += 1
        }
        #expect(asked == 8 && endless.compositionPages == [:])
        #expect(endless.next == .modelsMetadata(page: 255, offset: 0))
    }

    @Test("Answers that cannot be, or bring nothing, end the reading")
    func hostile() {
        var empty = PageReading(of: node(isLarge: true))
        empty.record(PageReading.Answer(page: 9, offset: 0, totalSize: 5, data: []))
        #expect(empty.next == .modelsMetadata(page: 255, offset: 0))
        empty.record(PageReading.Answer(page: 0, offset: 0, totalSize: 0, data: []))
        #expect(empty.next == nil && empty.modelsMetadata == [0: []])
        var above = PageReading(of: node(isLarge: false))
        above.record(PageReading.Answer(page: 2, data: [1]))
        above.record(PageReading.Answer(page: 2, data: [1]))
        #expect(above.next == nil && above.compositionPages == [2: [1]])
        above.record(PageReading.Answer(page: 1, data: [1]))
        #expect(above.compositionPages == [2: [1]])
    }
}
