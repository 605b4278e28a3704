import Simulator

/// Alters inputs in ways that tend to break parsers, either by their structure or blindly.
struct FuzzMutation {
    let target: FuzzTarget
    private var generator: SeededGenerator

    init(_ target: FuzzTarget, seed: UInt64) {
        self.target = target
        generator = SeededGenerator(seed: seed)
    }

    /// Numbers at which lengths, counts and handles tend to break.
    private static let interesting: [UInt64] = [
        0, 1, 2, 3, 7, 8, 15, 16, 20, 22, 23, 31, 32, 63, 64, 127, 128, 129, 254, 255, 256, 257, 511, 512, 513, 517,
        1_023, 1_024, 1_025, 4_095, 4_096, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
        .max >> 1, .max,
    ]

    /// Makes an input from one of the corpus, sometimes with parts of another one.
    mutating func alter(_ corpus: [[UInt8]]) -> [UInt8] {
        // The latest finds lead to new ones most often.
        let newest = Bool.random(using: &generator) ? corpus.suffix(16) : corpus[...]
        var input = newest.randomElement(using: &generator) ?? []
        // Mostly one or two changes, sometimes many.
        let changes = 1 + Int(UInt64.random(in: 0...63, using: &generator).trailingZeroBitCount)
        for _ in 0..<min(changes, 16) {
            let other = corpus.randomElement(using: &generator) ?? []
            switch target.shape {
            case .octets: alterOctets(&input, other)
            case .records: alterRecords(&input, other)
            case .text: alterText(&input, other)
            }
        }
        return Array(input.prefix(target.maximumSize))
    }

    private mutating func number(below bound: Int) -> Int { Int.random(in: 0..<max(bound, 1), using: &generator) }

    /// A range within `count`; short ones are more likely than long ones.
    private mutating func range(in count: Int) -> Range<Int> {
        let start = number(below: count + 1)
        let length = number(below: 4) > 0 ? number(below: 9) : number(below: count + 1)
        return start..<min(count, start + length)
    }

    private mutating func alterRecords(_ input: inout [UInt8], _ other: [UInt8]) {
        // Sometimes alter the lengths themselves.
        guard number(below: 16) > 0 else { return alterOctets(&input, other) }
        var records = FuzzRecords.decode(input)
        let others = FuzzRecords.decode(other)
        let place = number(below: records.count)
        guard !records.isEmpty else {
            input = other
            return
        }
        switch number(below: 10) {
        case 0: records.remove(at: place)
        case 1: records.insert(records[place], at: number(below: records.count + 1))
        case 2: records.swapAt(place, number(below: records.count))
        case 3: if let record = others.randomElement(using: &generator) { records.insert(record, at: place) }
        case 4: records = Array(records[..<place]) + others.dropFirst(number(below: others.count + 1))
        case 5:
            // Splits one record into two, which makes no difference to a stream.
            let cut = number(below: records[place].count + 1)
            records.insert(Array(records[place][cut...]), at: place + 1)
            records[place].removeLast(records[place].count - cut)
        default: alterOctets(&records[place], others.randomElement(using: &generator) ?? [])
        }
        input = FuzzRecords.encode(records)
    }

    private mutating func alterText(_ input: inout [UInt8], _ other: [UInt8]) {
        guard number(below: 3) > 0 else { return alterOctets(&input, other) }
        var lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        let place = number(below: lines.count)
        switch number(below: 6) {
        case 0: lines.removeSubrange(place..<min(lines.count, place + 1 + number(below: 3)))
        case 1: lines.insert(lines[place], at: number(below: lines.count + 1))
        case 2: lines.swapAt(place, number(below: lines.count))
        case 3:
            let others = other.split(separator: 0x0A, omittingEmptySubsequences: false)
            if let line = others.randomElement(using: &generator) { lines.insert(Array(line), at: place) }
        case 4: if Bool.random(using: &generator) { lines[place].insert(0x20, at: 0) } else { lines[place] += [0x20] }
        default: alterOctets(&lines[place], other)
        }
        input = Array(lines.joined(separator: [0x0A]))
    }

    private mutating func alterOctets(_ bytes: inout [UInt8], _ other: [UInt8]) {
        guard !bytes.isEmpty else {
            bytes = Array(other.prefix(number(below: other.count + 1)))
            return
        }
        let place = number(below: bytes.count)
        switch number(below: 12) {
        case 0: bytes[place] ^= 1 << UInt8(number(below: 8))
        case 1: bytes[place] = UInt8(number(below: 256))
        case 2: bytes[place] &+= UInt8(truncatingIfNeeded: number(below: 17) - 8)
        case 3, 4: overwriteNumber(in: &bytes, at: place)
        case 5: bytes.removeSubrange(range(in: bytes.count))
        case 6: bytes.insert(contentsOf: bytes[range(in: bytes.count)], at: place)
        case 7: bytes.removeLast(bytes.count - place)
        case 8: bytes.insert(contentsOf: (0...number(below: 8)).map { _ in UInt8(number(below: 256)) }, at: place)
        case 9:
            guard !other.isEmpty else { return }
            bytes.replaceSubrange(range(in: bytes.count), with: other[range(in: other.count)])
        case 10: lieAboutLength(in: &bytes)
        default:
            guard let word = target.dictionary.randomElement(using: &generator) else { return }
            let end = Bool.random(using: &generator) ? place : min(bytes.count, place + word.count)
            bytes.replaceSubrange(place..<end, with: word)
        }
    }

    private mutating func overwriteNumber(in bytes: inout [UInt8], at place: Int) {
        let value = FuzzMutation.interesting.randomElement(using: &generator) ?? 0
        let size = [1, 1, 2, 2, 4, 8].randomElement(using: &generator) ?? 1
        let isBigEndian = Bool.random(using: &generator)
        for offset in 0..<min(size, bytes.count - place) {
            let shift = 8 * (isBigEndian ? size - 1 - offset : offset)
            bytes[place + offset] = UInt8(truncatingIfNeeded: value >> UInt64(shift))
        }
    }

    /// Changes an octet that counts the octets after it, or removes one of those.
    private mutating func lieAboutLength(in bytes: inout [UInt8]) {
        let places = bytes.indices.filter { place in
            let length = Int(bytes[place])
            return length > 0 && place + length < bytes.count
        }
        guard let place = places.randomElement(using: &generator) else { return }
        switch number(below: 4) {
        case 0: bytes[place] &+= 1
        case 1: bytes[place] &-= 1
        case 2: bytes[place] = UInt8(truncatingIfNeeded: bytes.count - place - number(below: 3))
        default: bytes.remove(at: place + 1 + number(below: Int(bytes[place])))
        }
    }
}
