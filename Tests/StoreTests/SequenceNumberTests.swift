import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@Suite("Durable sequence numbers")
struct SequenceNumberTests {
    let source = UnicastAddress.first

    /// The next numbers of a fresh process: everything is closed afterwards without a word, as a crash does.
    func run(_ fixture: Fixture, count: Int, ivIndex: UInt32 = 1, blockSize: UInt32 = 16) throws -> [UInt32] {
        let database = try fixture.reopened()
        let lease = try database.lock(holder: holder())
        let numbers = try database.sequenceNumbers(with: lease, blockSize: blockSize)
        return try (0..<count).map { _ in try numbers.next(for: source, ivIndex: ivIndex) }
    }

    @Test("Numbers begin at 0 and count up by one")
    func counting() throws {
        #expect(try run(Fixture(), count: 600, blockSize: 256) == Array(0..<600))
    }

    @Test("After a crash counting goes on behind the last block")
    func crash() throws {
        let fixture = try Fixture()
        #expect(try run(fixture, count: 3) == [0, 1, 2])
        #expect(try run(fixture, count: 17) == Array(16..<33))
        #expect(try run(fixture, count: 1) == [48])
    }

    @Test("A block is durable before its first number is out")
    func durability() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let numbers = try fixture.database.sequenceNumbers(with: lease, blockSize: 16)
        _ = try numbers.next(for: source, ivIndex: 1)
        // The files as a power cut at this moment would leave them.
        let copy = try TemporaryFolder()
        for suffix in ["", "-wal", ".sequence"] {
            try writeFile(copy.file("house.meshdb" + suffix), try readFile(fixture.path + suffix))
        }
        let database = try MeshDatabase.open(at: copy.file("house.meshdb"), key: fixture.key)
        let copied = try database.sequenceNumbers(with: try database.lock(holder: holder()))
        #expect(try copied.next(for: source, ivIndex: 1) == 16)
    }

    @Test("Each source counts for itself")
    func sources() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let numbers = try fixture.database.sequenceNumbers(with: lease, blockSize: 4)
        for number: UInt32 in 0..<9 {
            #expect(try numbers.next(for: .first, ivIndex: 0) == number)
            #expect(try numbers.next(for: .last, ivIndex: 0) == number)
        }
    }

    @Test("A higher IV index begins at 0, a lower one is refused, also after a crash")
    func ivIndex() throws {
        let fixture = try Fixture()
        #expect(try run(fixture, count: 20, ivIndex: 7).last == 19)
        #expect(try run(fixture, count: 2, ivIndex: 8) == [0, 1])
        #expect(throws: SequenceNumberError.ivIndexWentBack(source, reached: 8)) {
            try run(fixture, count: 1, ivIndex: 7)
        }
        #expect(try run(fixture, count: 1, ivIndex: 8) == [16])
    }

    @Test("24 bits are all there are")
    func exhaustion() throws {
        let fixture = try Fixture()
        try writeFile(fixture.path + ".sequence", Array("meshplan sequence numbers 1\n0001 1 16777214\nend\n".utf8))
        let lease = try fixture.database.lock(holder: holder())
        let numbers = try fixture.database.sequenceNumbers(with: lease)
        #expect(try numbers.next(for: source, ivIndex: 1) == 0xFF_FFFE)
        #expect(try numbers.next(for: source, ivIndex: 1) == 0xFF_FFFF)
        #expect(throws: SequenceNumberError.exhausted(source)) { try numbers.next(for: source, ivIndex: 1) }
        #expect(try numbers.next(for: source, ivIndex: 2) == 0)
    }

    @Test("A database restored from an older copy does not repeat numbers")
    func restore() throws {
        let fixture = try Fixture()
        #expect(try run(fixture, count: 1) == [0])
        let copy = try readFile(fixture.path)
        #expect(try run(fixture, count: 100).last == 115)
        try writeFile(fixture.path, copy)
        #expect(try run(fixture, count: 1) == [128])
    }

    @Test("A database deleted and imported anew in its place does not repeat numbers either")
    func reimport() throws {
        let fixture = try Fixture()
        #expect(try run(fixture, count: 1) == [0])
        try FileManager.default.removeItem(atPath: fixture.path)
        let database = try MeshDatabase.create(
            at: fixture.path,
            network: fixture.network,
            key: fixture.key,
            now: now,
            using: SplitMix64(seed: 77)
        )
        let numbers = try database.sequenceNumbers(with: try database.lock(holder: holder()), blockSize: 16)
        #expect(try numbers.next(for: source, ivIndex: 1) == 16)
    }

    @Test(
        "Where the second record is missing or unreadable, a safe distance is skipped",
        arguments: [
            nil, "", "meshplan sequence numbers 1\n", "meshplan sequence numbers 1\n0001 1 1", "rubbish\n",
            "meshplan sequence numbers 1\n0001 1 16\nrubbish\nend\n",
            "meshplan sequence numbers 1\n0001 1 16\n0002 1 99999999\nend\n",
        ]
    )
    func moved(_ contents: String?) throws {
        let fixture = try Fixture()
        #expect(try run(fixture, count: 1) == [0])
        if let contents {
            try writeFile(fixture.path + ".sequence", Array(contents.utf8))
        } else {
            try FileManager.default.removeItem(atPath: fixture.path + ".sequence")
        }
        #expect(try run(fixture, count: 1) == [16 + 65_536])
        #expect(try run(fixture, count: 1) == [16 + 65_536 + 16])
    }

    @Test(
        "Where the second record was missing or unreadable, the distance is skipped under later IV indexes, too",
        arguments: [nil, "rubbish\n", "meshplan sequence numbers 1\n0001 1 16\n"]
    )
    func movedAcrossIVIndexes(_ contents: String?) throws {
        let fixture = try Fixture()
        #expect(try run(fixture, count: 1) == [0])
        if let contents {
            try writeFile(fixture.path + ".sequence", Array(contents.utf8))
        } else {
            try FileManager.default.removeItem(atPath: fixture.path + ".sequence")
        }
        // The place that the copy is from may have been under 2 before; nothing here says how far it came.
        #expect(try run(fixture, count: 1, ivIndex: 2) == [65_536])
        #expect(try run(fixture, count: 1, ivIndex: 2) == [65_536 + 16])
        #expect(try run(fixture, count: 1, ivIndex: 3) == [65_536])
    }

    @Test("A damaged second record stays one for sources that it does not list yet")
    func damagedForOthers() throws {
        let fixture = try Fixture()
        try writeFile(fixture.path + ".sequence", Array("rubbish".utf8))
        #expect(try run(fixture, count: 1) == [65_536])
        let database = try fixture.reopened()
        let numbers = try database.sequenceNumbers(with: try database.lock(holder: holder()))
        #expect(try numbers.next(for: .last, ivIndex: 1) == 65_536)
    }

    @Test("A line that was cut off the second record is noticed")
    func cutOff() throws {
        let fixture = try Fixture()
        try writeFile(fixture.path + ".sequence", Array("meshplan sequence numbers 1\n0001 1 300\nend\n".utf8))
        #expect(try run(fixture, count: 1) == [300])
        let written = String(decoding: try readFile(fixture.path + ".sequence"), as: UTF8.self)
        #expect(written == "meshplan sequence numbers 1\n0001 1 316\nend\n")
        try FileManager.default.removeItem(atPath: fixture.path)
        _ = try MeshDatabase.create(
            at: fixture.path,
            network: fixture.network,
            key: fixture.key,
            now: now,
            using: SplitMix64(seed: 78)
        )
        try writeFile(fixture.path + ".sequence", Array("meshplan sequence numbers 1\n".utf8))
        #expect(try run(fixture, count: 1) == [65_536])
    }

    @Test("Without the lock no number comes, and nothing is lost")
    func lostLease() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let numbers = try fixture.database.sequenceNumbers(with: lease, blockSize: 2)
        #expect(try numbers.next(for: source, ivIndex: 1) == 0)
        #expect(try numbers.next(for: source, ivIndex: 1) == 1)
        lease.release()
        #expect(throws: SequenceNumberError.self) { try numbers.next(for: source, ivIndex: 1) }
        #expect(try run(fixture, count: 1, blockSize: 2)[0] >= 2)
    }

    @Test("What is reserved is told as a run that begins now would find it, and telling it writes nothing")
    func reservations() throws {
        let fixture = try Fixture()
        let other = try #require(UnicastAddress(rawValue: 0x0123))
        #expect(try fixture.reopened().reservations() == [])
        #expect(try fixture.reopened().reservation(of: source) == nil)
        #expect(try run(fixture, count: 17) == Array(0..<17))
        do {
            let database = try fixture.reopened()
            let lease = try database.lock(holder: holder())
            let numbers = try database.sequenceNumbers(with: lease, blockSize: 4)
            _ = try numbers.next(for: other, ivIndex: 7)
        }
        let told = try fixture.reopened().reservations()
        #expect(
            told == [
                SequenceReservation(source: source, ivIndex: 1, limit: 32),
                SequenceReservation(source: other, ivIndex: 7, limit: 4),
            ]
        )
        #expect(try fixture.reopened().reservation(of: other) == told[1])
        #expect(try run(fixture, count: 1) == [32], "it was the next number")
        // Where the file beside the database is missing, what is skipped then is told.
        try FileManager.default.removeItem(atPath: fixture.path + ".sequence")
        #expect(try fixture.reopened().reservation(of: source)?.limit == 48 + (1 << 16))
        #expect(!FileManager.default.fileExists(atPath: fixture.path + ".sequence"))
        // The higher of both counts.
        try writeFile(fixture.path + ".sequence", Array("meshplan sequence numbers 1\n0001 9 5\n0124 1 6\nend\n".utf8))
        #expect(try fixture.reopened().reservations().map(\.source.rawValue) == [1, 0x0123, 0x0124])
        #expect(
            try fixture.reopened().reservation(of: source) == SequenceReservation(source: source, ivIndex: 9, limit: 5)
        )
    }
}
