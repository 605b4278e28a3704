import TestSupport
import Testing

@testable import MeshCore

@Suite("ProvisioningPDU")
struct ProvisioningPDUTests {
    static let samples: [ProvisioningPDU] = [
        .invite(attentionDuration: 0), .invite(attentionDuration: 255),
        .capabilities(ProvisioningFixture.capabilities),
        .capabilities(ProvisioningCapabilities(elementCount: 1)),
        .publicKey((0..<64).map { UInt8($0) }), .inputComplete,
        .confirmation([UInt8](repeating: 1, count: 16)), .confirmation([UInt8](repeating: 1, count: 32)),
        .random([UInt8](repeating: 2, count: 16)), .random([UInt8](repeating: 2, count: 32)),
        .data([UInt8](repeating: 3, count: 33)), .complete,
    ]
    static let all =
        samples + ProvisioningErrorCode.allCases.map { .failed($0) }
        + ProvisioningFixture.methods.map {
            .start(
                ProvisioningStart(
                    algorithm: $0.algorithm,
                    isPublicKeyOutOfBand: $0.isPublicKeyOutOfBand,
                    method: $0.method
                )
            )
        }

    @Test("every PDU is read as it was written, and in no other length")
    func lengths() throws {
        for pdu in Self.all {
            let bytes = pdu.encoded
            #expect(try ProvisioningPDU(decoding: bytes) == pdu)
            #expect(bytes[0] == pdu.type.rawValue)
            for length in 0...bytes.count + 20 where length != bytes.count {
                // The shorter and the longer confirmation are the same PDU of two algorithms.
                if [5, 6].contains(bytes[0]), [17, 33].contains(length) { continue }
                let other = Array((bytes + [UInt8](repeating: 0, count: 20)).prefix(length))
                #expect(throws: DecodeError.self, "\(pdu.type) \(length)") { try ProvisioningPDU(decoding: other) }
            }
        }
    }

    @Test("unknown types and set padding bits are unknown types")
    func types() {
        for octet in 0x0A...0xFF as ClosedRange<UInt8> {
            #expect(throws: DecodeError.unknownType(UInt64(octet))) { try ProvisioningPDU(decoding: [octet, 0]) }
        }
    }

    @Test(
        "prohibited values are refused and named",
        arguments: [
            ("01 00 0001 00 00 00 0000 00 0000", "NumberOfElements"),
            ("01 01 0001 00 00 09 0000 00 0000", "OutputOOBSize"),
            ("01 01 0001 00 00 00 0000 09 0000", "InputOOBSize"),
            ("02 02 00 00 00 00", "Algorithm"), ("02 00 02 00 00 00", "PublicKey"),
            ("02 00 00 04 00 00", "AuthenticationMethod"), ("02 00 00 00 01 00", "AuthenticationAction"),
            ("02 00 00 00 00 01", "AuthenticationSize"), ("02 00 00 01 01 00", "AuthenticationAction"),
            ("02 00 00 01 00 01", "AuthenticationSize"), ("02 00 00 02 05 01", "AuthenticationAction"),
            ("02 00 00 02 00 00", "AuthenticationSize"), ("02 00 00 02 00 09", "AuthenticationSize"),
            ("02 00 00 03 04 01", "AuthenticationAction"), ("02 00 00 03 00 00", "AuthenticationSize"),
            ("09 00", "ErrorCode"), ("09 0a", "ErrorCode"), ("09 ff", "ErrorCode"),
        ]
    )
    func prohibited(digits: String, field: String) {
        do throws(DecodeError) {
            _ = try ProvisioningPDU(decoding: hex(digits))
            Issue.record("accepted \(digits)")
        } catch {
            guard case .prohibited(field, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("reserved bits of capabilities are kept, for they enter the confirmation, and mean nothing")
    func reserved() throws {
        let bytes = hex("01 ff ffff ff ff 08 ffff 08 ffff")
        guard case .capabilities(let capabilities) = try ProvisioningPDU(decoding: bytes) else {
            Issue.record("not capabilities")
            return
        }
        #expect(ProvisioningPDU.capabilities(capabilities).encoded == bytes)
        #expect(capabilities.algorithms == ProvisioningAlgorithm.allCases)
        #expect(capabilities.outputActions == OutputAction.allCases)
        #expect(capabilities.inputActions == InputAction.allCases)
    }

    @Test("actions without a size are no offer")
    func noSize() throws {
        let bytes = hex("01 01 0003 00 00 00 001f 00 000f")
        guard case .capabilities(let capabilities) = try ProvisioningPDU(decoding: bytes) else {
            Issue.record("not capabilities")
            return
        }
        #expect(capabilities.outputActions.isEmpty && capabilities.inputActions.isEmpty)
        for method in ProvisioningFixture.methods where method.method != .noOOB {
            let start = ProvisioningStart(
                algorithm: method.algorithm,
                isPublicKeyOutOfBand: false,
                method: method.method
            )
            #expect(!capabilities.offer(start))
        }
    }

    @Test("random octets never trap")
    func noise() {
        var generator = SplitMix64(seed: 11)
        for _ in 0..<5000 {
            let count = Int.random(in: 0...80, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if !bytes.isEmpty { bytes[0] %= 12 }
            if let pdu = try? ProvisioningPDU(decoding: bytes) { #expect(pdu.encoded == bytes) }
            _ = try? ProvisioningData(decoding: bytes)
        }
    }
}

@Suite("OutOfBandValue")
struct ProvisioningValueTests {
    @Test("numbers lie in the range of their digits", arguments: 1...8 as ClosedRange<UInt8>)
    func numbers(digits: UInt8) throws {
        let largest = (0..<digits).reduce(UInt32(1)) { power, _ in power * 10 } - 1
        let (count, number) = (OutOfBandFormat.count(digits: digits), OutOfBandFormat.number(digits: digits))
        #expect(count.numbers == 1...largest && number.numbers == 0...largest)
        try number.check(.number(0))
        for format in [count, number] {
            try format.check(.number(1))
            try format.check(.number(largest))
            #expect(throws: OutOfBandValueError.self) { try format.check(.number(largest + 1)) }
            #expect(throws: OutOfBandValueError.wrongKind) { try format.check(.text("1")) }
            #expect(try format.parse("0001") == .number(1))
            for text in ["", " 1", "-1", "1.0", "१", "0x1", "one"] {
                #expect(throws: OutOfBandValueError.wrongKind) { try format.parse(text) }
            }
            #expect(throws: OutOfBandValueError.self) { try format.parse("99999999999999999999") }
            var generator = SplitMix64(seed: UInt64(digits))
            for random in [0, .max] + (0..<200).map({ _ in generator.next() }) {
                try format.check(format.value(from: random))
            }
        }
        #expect(throws: OutOfBandValueError.outOfRange(1...largest)) { try count.check(.number(0)) }
    }

    @Test("text has its length and only digits and capital letters", arguments: 1...8 as ClosedRange<UInt8>)
    func text(length: UInt8) throws {
        let format = OutOfBandFormat.text(characters: length)
        let good = String("A9Z0B1Y8".prefix(Int(length)))
        #expect(try format.parse(good) == .text(good))
        #expect(throws: OutOfBandValueError.length(expected: length)) { try format.check(.text(good + "A")) }
        #expect(throws: OutOfBandValueError.length(expected: length)) {
            try format.check(.text(String(good.dropLast())))
        }
        #expect(throws: OutOfBandValueError.characters) { try format.check(.text(good.dropLast() + "a")) }
        #expect(throws: OutOfBandValueError.wrongKind) { try format.check(.number(1)) }
        var generator = SplitMix64(seed: UInt64(length))
        for random in [0, .max] + (0..<200).map({ _ in generator.next() }) {
            try format.check(format.value(from: random))
        }
    }

    @Test("all values come up, each about as often as the others")
    func distribution() {
        var generator = SplitMix64(seed: 12)
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<9000 {
            if case .number(let number) = OutOfBandFormat.count(digits: 1).value(from: generator.next()) {
                counts[Int(number)] += 1
            }
        }
        #expect(counts[0] == 0 && counts.dropFirst().allSatisfy { (850...1150).contains($0) })
        var characters: [Character: Int] = [:]
        for _ in 0..<4500 {
            if case .text(let text) = OutOfBandFormat.text(characters: 8).value(from: generator.next()) {
                for character in text { characters[character, default: 0] += 1 }
            }
        }
        #expect(characters.count == 36 && characters.values.allSatisfy { (800...1200).contains($0) })
    }

    @Test("numbers stand at the end of the authentication value, text at its start")
    func octets() {
        for algorithm in ProvisioningAlgorithm.allCases {
            let zeros = [UInt8](repeating: 0, count: algorithm.confirmationSize)
            #expect(AuthenticationValue.none(algorithm).octets == zeros)
            #expect(AuthenticationValue(.number(12_345_678), algorithm).octets == zeros.dropLast(4) + hex("00bc614e"))
            #expect(AuthenticationValue(.text("AB12"), algorithm).octets == hex("41423132") + zeros.dropLast(4))
        }
    }

    @Test("a static value has 1 to 32 octets", arguments: [0, 33, 100])
    func staticValue(length: Int) {
        #expect(throws: OutOfBandValueError.staticLength(length)) {
            try StaticOutOfBandValue([UInt8](repeating: 1, count: length))
        }
    }
}
