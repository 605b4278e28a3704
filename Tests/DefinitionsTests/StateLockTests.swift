import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Definitions

@Suite("Lock file")
struct StateLockTests {
    let lineage = Octets16(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

    func read(_ text: String) -> (lock: StateLock, errors: [Diagnostic]) { read(Array(text.utf8)) }

    func read(_ bytes: [UInt8]) -> (lock: StateLock, errors: [Diagnostic]) {
        let (lock, diagnostics) = StateLock.read(
            files: SourceFiles(files: [.init(path: StateLock.fileName, bytes: bytes)])
        )
        return (lock, diagnostics.filter { $0.severity == .error })
    }

    @Test("What is written is read back, in one order", arguments: [0, 1, 40, 20_000])
    func roundTrip(count: Int) {
        var lock = StateLock()
        for number in 0..<count {
            let digest = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32)
            lock.networks["net-\(number)"] = StateLock.Entry(lineage: lineage, serial: UInt64(number), digest: digest)
        }
        let text = lock.text
        let (found, errors) = read(text)
        #expect(errors.isEmpty, "\(errors.map(\.message))")
        #expect(found == lock)
        #expect(found.text == text)
    }

    @Test("The comments of other versions, and none at all, change nothing")
    func comments() {
        var lock = StateLock()
        lock.networks["hq"] = StateLock.Entry(lineage: lineage, serial: 4, digest: [UInt8](repeating: 7, count: 32))
        let lines = lock.text.split(separator: "\n").map(String.init)
        let bare = lines.filter { !$0.hasPrefix("#") }
        #expect(bare.count < lines.count)
        let former =
            "# Which state the mesh databases were in last; meshplan keeps this up to date and refuses older copies."
        for text in [bare, [former] + bare, bare + [former]].map({ $0.joined(separator: "\n") + "\n" }) {
            let (found, errors) = read(text)
            #expect(errors.isEmpty && found == lock, "\(errors.map(\.message))")
        }
    }

    @Test("Names that mean something else to YAML are names")
    func names() {
        var lock = StateLock()
        for name in ["null", "on", "0x10", "1.5", "no", "2026-11-21", "a.b"] {
            lock.networks[name] = StateLock.Entry(lineage: lineage, serial: 1, digest: [UInt8](repeating: 0, count: 32))
        }
        #expect(read(lock.text).lock == lock)
    }

    @Test("Both sides of a merge are explained by the line they begin in")
    func merge() {
        let text = """
            version: 1
            networks:
              hq:
                lineage: \(lineage.hexadecimal)
            <<<<<<< HEAD
                serial: 4
            =======
                serial: 5
            >>>>>>> theirs
            """
        let errors = read(text).errors
        #expect(errors.count == 1)
        #expect(errors.first?.message.hasPrefix("this file holds both sides of a merge") == true)
        #expect(errors.first?.location?.line == 5)
        #expect(errors.first?.hint?.contains("git checkout --ours meshplan.lock.yaml") == true)
    }

    static let digest = String(repeating: "0", count: 64)
    static let whole = """
        version: 1
        networks:
          hq:
            lineage: 00000000000000000000000000000000
            serial: 7
            digest: \(digest)

        """

    @Test(
        "What nobody should have written is diagnosed with its place",
        arguments: [
            (whole.replacing("version: 1", with: "version: 2"), "version 2 of the lock file is not known", 1),
            (whole.replacing("version: 1\n", with: ""), "`version` is missing", 1),
            (whole.replacing("serial: 7", with: "serial: -7"), "a whole number of at most 15 digits", 5),
            (whole.replacing("serial: 7", with: "serial: 18446744073709551615"), "at most 15 digits", 5),
            (whole.replacing("serial: 7", with: "serial: [7]"), "a serial is expected here, not a list", 5),
            (whole.replacing("    serial: 7\n", with: ""), "`serial` is missing", 3),
            (whole.replacing("digest: 0", with: "digest: "), "a digest is 64 hexadecimal digits", 6),
            (whole.replacing("lineage: 0", with: "lineage: x"), "a lineage is 32 hexadecimal digits", 4),
            (whole.replacing("  hq:", with: "  ../hq:"), "is not the name of a network", 3),
            (whole.replacing("serial: 7", with: "serial: 7\n    key: 1"), "a lock file has no key `key`", 6),
            (whole.replacing("serial: 7", with: "serial: 7\n    serial: 8"), "occurs twice", 6),
            ("[]", "a mapping with `version` and `networks` is expected here", 1), ("{", "", 1),
            ("version: 1\nnetworks: 1", "", 2),
        ]
    )
    func mistakes(text: String, message: String, line: Int) {
        let errors = read(text).errors
        #expect(errors.first?.message.contains(message) == true, "\(errors.map(\.message))")
        #expect(errors.first?.location.map { Int($0.line) } == line || text == "{")
    }

    @Test("Files cut off or overwritten anywhere end in a lock or in errors")
    func hostile() {
        let bytes = Array(Self.whole.utf8)
        var generator = SplitMix64(seed: 8)
        for length in 0..<bytes.count { _ = read(Array(bytes[..<length])) }
        for _ in 0..<500 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            _ = read(changed)
        }
        #expect(read([UInt8](repeating: 0x2D, count: 2 << 20)).errors.count == 1)
    }
}
