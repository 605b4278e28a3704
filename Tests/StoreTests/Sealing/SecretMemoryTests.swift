#if os(Linux)
import MeshCore
import TestSupport
import Testing

@testable import Store

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// AddressSanitizer keeps what was freed, and maps terabytes.
private let isSanitized = getenv("ASAN_OPTIONS") != nil || dlsym(nil, "__asan_init") != nil

@Suite("Database secrets in memory", .disabled(if: isSanitized, "the sanitizer has a memory of its own"))
struct SecretMemoryTests {
    @Test("Secrets and data keys are in memory while they are used, and nowhere afterwards")
    func secrets() throws {
        var patterns: [(name: String, pattern: MemoryPattern)] = []
        func note(_ name: String, _ secret: SecretOctets) {
            secret.withOctets { patterns.append((name, MemoryPattern($0))) }
        }
        func use() throws {
            let fixture = try Fixture(seed: 0x5EC2_E7A1)
            var generator = SplitMix64(seed: 0x5EC2_E7A2)
            let key = try KeyFile.create(at: fixture.folder.file("key"), using: &generator)
            note("key file", key.octets)
            note("its digits", SecretOctets(key.octets.withOctets { Hexadecimal.digits(of: $0) }))
            let vault = SecretOctets(Hexadecimal.digits(of: randomOctets(16, using: &generator)))
            note("key command", vault)
            let lease = try fixture.database.lock(holder: holder())
            try fixture.database.addKeySlot(for: key, label: "", now: now, with: lease)
            let command = try vault.withOctets(DatabaseSecret.command)
            try fixture.database.addKeySlot(for: command, label: "", now: now, with: lease)
            note("first data key", fixture.database.opener.dataKey)
            _ = try fixture.database.rotate(keeping: [key, command], with: lease)
            note("data key", fixture.database.opener.dataKey)
            for key in [try KeyFile.load(from: fixture.folder.file("key")), command] {
                _ = try MeshDatabase.open(at: fixture.path, key: key).snapshot()
            }
            #expect(patterns[0].pattern.isInMemory() && patterns[4].pattern.isInMemory(), "the search finds something")
        }
        try use()
        for (name, pattern) in patterns { #expect(!pattern.isInMemory(), "\(name)") }
    }
}

/// Octets to look for in the memory of this process, kept so that looking does not find themselves.
private struct MemoryPattern {
    private static let mask: UInt8 = 0x55
    private let masked: [UInt8]

    init(_ octets: [UInt8]) {
        masked = octets.prefix(16).map { $0 ^ Self.mask }
    }

    /// Whether the first 16 octets are anywhere in memory that the process may write.
    func isInMemory() -> Bool {
        guard let maps = fopen("/proc/self/maps", "r") else { return false }
        defer { fclose(maps) }
        let memory = open("/proc/self/mem", O_RDONLY)
        defer { close(memory) }
        var line = [CChar](repeating: 0, count: 4096)
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        // What was found is in it, too.
        defer { chunk.withUnsafeMutableBufferPointer { $0.update(repeating: 0) } }
        while fgets(&line, Int32(line.count), maps) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let fields = text.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard ends.count == 2, fields[1].hasPrefix("rw") else { continue }
            var place = ends[0]
            while place < ends[1] {
                let count = pread(memory, &chunk, min(chunk.count, ends[1] - place), off_t(place))
                guard count >= masked.count else { break }
                if isFound(in: chunk, count) { return true }
                place += count == ends[1] - place ? count : count - masked.count + 1
            }
        }
        return false
    }

    private func isFound(in chunk: [UInt8], _ count: Int) -> Bool {
        chunk.withUnsafeBytes { chunk in
            guard var start = chunk.baseAddress else { return false }
            let end = start + count
            while let found = memchr(start, Int32(masked[0] ^ Self.mask), end - start) {
                start = UnsafeRawPointer(found)
                guard end - start >= masked.count else { return false }
                let octets = UnsafeRawBufferPointer(start: start, count: masked.count)
                if octets.lazy.map({ $0 ^ Self.mask }).elementsEqual(masked) { return true }
                start += 1
            }
            return false
        }
    }
}
#endif
