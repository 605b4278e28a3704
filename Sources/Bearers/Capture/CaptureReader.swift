/// Reads the packets of a pcapng file (draft-ietf-opsawg-pcapng), one after another, as far as the file is sound.
package struct CaptureReader {
    /// One packet.
    package struct Packet: Hashable, Sendable {
        /// What the octets are.
        package enum Kind: Hashable, Sendable {
            case network
            /// A proxy configuration message, or other octets without a dissector.
            case data
            /// A mesh beacon, its type octet first.
            case beacon
            /// A PDU of PB-ADV.
            case provisioning
            case other
        }

        package let kind: Kind
        package let octets: [UInt8]
        /// The time, microseconds since 1970.
        package let time: UInt64
        /// Whether it went from the file's writer to the mesh; nil if nobody says.
        package let isSent: Bool?
        /// Where its block begins in the file.
        package let offset: Int
    }

    /// Why a file cannot be read on.
    package struct Problem: Error, Hashable, Sendable {
        /// Where, counted in octets from 0.
        package let offset: Int
        /// What is wrong there, a clause.
        package let message: String
        /// Whether the file only ends too early, as after a command that was killed.
        package let isCutOff: Bool
    }

    /// The greatest block, in octets.
    private static let mostOctets = 1 << 20
    private static let mostInterfaces = 1_024

    private struct Interface {
        var linkType: UInt16
        /// How many microseconds a unit of time has, and how many units a microsecond.
        var scale: (times: UInt64, per: UInt64)
    }

    private let octets: [UInt8]
    private var place = 0
    private var isSwapped = false
    private var interfaces: [Interface] = []

    package init(_ octets: [UInt8]) {
        self.octets = octets
    }

    /// The next packet; nil at the end.
    ///
    /// - Throws: ``Problem`` with the place. Calling it again afterwards makes no sense.
    package mutating func next() throws(Problem) -> Packet? {
        if octets.isEmpty { throw problem(0, "the file is empty") }
        while place < octets.count {
            let start = place
            guard octets.count - start >= 12 else { throw cutOff(start) }
            if place == 0 || type(at: start) == 0x0A0D_0D0A { try readByteOrder(at: start) }
            guard !interfaces.isEmpty || type(at: start) == 0x0A0D_0D0A || type(at: start) != 6 else {
                throw problem(start, "a packet stands before any interface")
            }
            let length = Int(number(at: start + 4))
            guard length >= 12, length % 4 == 0, length <= Self.mostOctets else {
                throw problem(start + 4, "a block has the impossible length \(length)")
            }
            guard octets.count - start >= length else { throw cutOff(start) }
            guard Int(number(at: start + length - 4)) == length else {
                throw problem(start + length - 4, "a block does not end with its length")
            }
            place = start + length
            let body = (start + 8)..<(start + length - 4)
            switch type(at: start) {
            case 1: try readInterface(body)
            case 6: return try packet(body, offset: start)
            default: break
            }
        }
        return nil
    }

    // MARK: Blocks

    private mutating func readByteOrder(at start: Int) throws(Problem) {
        isSwapped = false
        guard type(at: start) == 0x0A0D_0D0A else { throw problem(start, "the file is no pcapng file") }
        switch number(at: start + 8) {
        case 0x1A2B_3C4D: break
        case 0x4D3C_2B1A: isSwapped = true
        default: throw problem(start + 8, "the file is no pcapng file")
        }
        interfaces = []
    }

    private mutating func readInterface(_ body: Range<Int>) throws(Problem) {
        guard body.count >= 8 else { throw problem(body.lowerBound, "an interface is too short") }
        guard interfaces.count < Self.mostInterfaces else {
            throw problem(body.lowerBound, "there are too many interfaces")
        }
        var interface = Interface(linkType: UInt16(truncatingIfNeeded: short(at: body.lowerBound)), scale: (1, 1))
        try eachOption(of: (body.lowerBound + 8)..<body.upperBound) { code, value in
            // if_tsresol: the power of 10, or with the highest bit of 2, of the units in a second.
            guard code == 9, let first = value.first.map({ octets[$0] }) else { return }
            interface.scale = Self.scale(first)
        }
        interfaces.append(interface)
    }

    private static func scale(_ resolution: UInt8) -> (times: UInt64, per: UInt64) {
        guard resolution & 0x80 == 0, resolution <= 18 else { return (1, 1) }
        func power(_ exponent: Int) -> UInt64 { (0..<exponent).reduce(1) { value, _ in value * 10 } }
        return resolution <= 6 ? (power(6 - Int(resolution)), 1) : (1, power(Int(resolution) - 6))
    }

    private func packet(_ body: Range<Int>, offset: Int) throws(Problem) -> Packet {
        guard body.count >= 20 else { throw problem(offset, "a packet is too short") }
        let start = body.lowerBound
        guard
            let interface = interfaces.indices.contains(Int(number(at: start)))
                ? interfaces[Int(number(at: start))] : nil
        else { throw problem(start, "a packet names an interface that there is none of") }
        let units = UInt64(number(at: start + 4)) << 32 | UInt64(number(at: start + 8))
        let time = (units / interface.scale.per).multipliedReportingOverflow(by: interface.scale.times).partialValue
        let count = Int(number(at: start + 12))
        let padded = (count + 3) / 4 * 4
        guard count <= body.count - 20, padded <= body.count - 20 else {
            throw problem(start + 12, "a packet of \(count) octets does not fit its block")
        }
        var isSent: Bool?
        let data = start + 20
        try eachOption(of: (data + padded)..<body.upperBound) { code, value in
            guard code == 2, let first = value.first else { return }
            switch octets[isSwapped ? value.upperBound - 1 : first] & 3 {
            case 1: isSent = false
            case 2: isSent = true
            default: break
            }
        }
        let (kind, inner) = Self.content(octets[data..<(data + count)], interface.linkType)
        return Packet(kind: kind, octets: Array(inner), time: time, isSent: isSent, offset: offset)
    }

    /// Calls `body` with each option's code and the range of its value.
    private func eachOption(of range: Range<Int>, _ body: (Int, Range<Int>) -> Void) throws(Problem) {
        var place = range.lowerBound
        while range.upperBound - place >= 4 {
            let (code, count) = (short(at: place), short(at: place + 2))
            if code == 0 { return }
            let end = place + 4 + count
            guard end <= range.upperBound else { throw problem(place, "an option does not fit its block") }
            body(code, (place + 4)..<end)
            place = place + 4 + (count + 3) / 4 * 4
        }
    }

    // MARK: Contents

    private static func content(_ octets: ArraySlice<UInt8>, _ linkType: UInt16) -> (Packet.Kind, ArraySlice<UInt8>) {
        switch linkType {
        case 252: exported(octets)
        case 251: advertised(octets)
        default: (.other, octets)
        }
    }

    /// An exported PDU: tags, then the PDU (link type 252, big-endian).
    private static func exported(_ octets: ArraySlice<UInt8>) -> (Packet.Kind, ArraySlice<UInt8>) {
        var rest = octets
        var dissector = ""
        while rest.count >= 4 {
            let first = rest.startIndex
            let tag = Int(rest[first]) << 8 | Int(rest[first + 1])
            let count = Int(rest[first + 2]) << 8 | Int(rest[first + 3])
            rest = rest.dropFirst(4)
            if tag == 0 { break }
            guard count <= rest.count else { return (.other, octets) }
            if tag == 12 { dissector = String(decoding: rest.prefix(count).prefix { $0 != 0 }, as: UTF8.self) }
            rest = rest.dropFirst(count)
        }
        switch dissector {
        case "btmesh.msg": return (.network, rest)
        case "data": return (.data, rest)
        default: return (.other, rest)
        }
    }

    /// An advertisement of the link layer: access address (4), header (2), address (6), structures, CRC (3).
    private static func advertised(_ octets: ArraySlice<UInt8>) -> (Packet.Kind, ArraySlice<UInt8>) {
        guard octets.count > 15 else { return (.other, octets) }
        var rest = octets.dropFirst(12).dropLast(3)
        while let count = rest.first.map(Int.init), count > 0, rest.count > count {
            let structure = rest.dropFirst().prefix(count)
            switch structure.first {
            case 0x29: return (.provisioning, structure.dropFirst())
            case 0x2A: return (.network, structure.dropFirst())
            case 0x2B: return (.beacon, structure.dropFirst())
            default: rest = rest.dropFirst(count + 1)
            }
        }
        return (.other, octets)
    }

    // MARK: Numbers

    private func number(at index: Int) -> UInt32 {
        var value: UInt32 = 0
        for step in 0..<4 { value |= UInt32(octets[index + step]) << UInt32(8 * (isSwapped ? 3 - step : step)) }
        return value
    }

    private func type(at index: Int) -> UInt32 { number(at: index) }

    private func short(at index: Int) -> Int {
        let (first, second) = (Int(octets[index]), Int(octets[index + 1]))
        return isSwapped ? first << 8 | second : second << 8 | first
    }

    private func problem(_ offset: Int, _ message: String) -> Problem {
        Problem(offset: offset, message: message, isCutOff: false)
    }

    private func cutOff(_ offset: Int) -> Problem {
        if offset == 0 { return problem(0, "the file is no pcapng file") }
        return Problem(offset: offset, message: "the file ends within a block", isCutOff: true)
    }
}
