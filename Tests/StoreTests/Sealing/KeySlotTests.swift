import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

/// A derivation that takes no time.
let cheap = Scrypt.Cost(logN: 4, r: 1, p: 1)

func passphrase(_ text: String = "correct horse battery staple") throws -> DatabaseSecret {
    try Passphrase.key(text, isNew: false)
}

func printed(_ text: String = "0123456789abcdef0123456789abcdef!") throws -> DatabaseSecret {
    try DatabaseSecret.command(printed: Array(text.utf8))
}

@Suite("Key slots")
struct KeySlotTests {
    /// A fixture with a slot of each kind.
    func threeSlots() throws -> (fixture: Fixture, slots: [KeySlotDescription]) {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        try fixture.database.addKeySlot(for: passphrase(), label: "Anna", cost: cheap, now: now, with: lease)
        try fixture.database.addKeySlot(for: printed(), label: "vault", cost: cheap, now: now, with: lease)
        return (fixture, try fixture.database.keySlots())
    }

    @Test("Each of several secrets opens the database, of each kind one, and no other does")
    func kinds() throws {
        let (fixture, slots) = try threeSlots()
        #expect(slots.map(\.kind) == [.keyFile, .passphrase, .command])
        #expect(slots.map(\.label) == ["", "Anna", "vault"])
        #expect(slots.map(\.created) == [now, now, now])
        #expect(slots[1].cost == cheap)
        #expect(Set(slots.map(\.identifier)).count == 3)
        for (place, key) in [fixture.key, try passphrase(), try printed()].enumerated() {
            let database = try MeshDatabase.open(at: fixture.path, key: key)
            #expect(try database.snapshot().network == fixture.network)
            #expect(database.openingSlot == slots[place].identifier)
        }
        var generator = SplitMix64(seed: 99)
        let others = [
            DatabaseSecret.random(using: &generator), try passphrase("correct horse battery stapler"),
            try printed("0123456789abcdef0123456789abcdef?"),
        ]
        for key in others {
            #expect(storeError { _ = try MeshDatabase.open(at: fixture.path, key: key) }?.code == .wrongKey)
        }
    }

    @Test("A database can be made with a passphrase alone")
    func createdWithPassphrase() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("house.meshdb")
        let network = try richNetwork()
        _ = try MeshDatabase.create(
            at: path,
            network: network,
            key: passphrase(),
            cost: cheap,
            now: now,
            using: SplitMix64(seed: 5)
        )
        #expect(try MeshDatabase.open(at: path, key: passphrase()).snapshot().network == network)
        #expect(try SealedDatabase(at: path).slots.map(\.kind) == [.passphrase])
    }

    @Test("A command that prints the digits of a key file opens the slot of that key file")
    func printedKeyFile() throws {
        let fixture = try Fixture()
        let digits = fixture.key.octets.withOctets { Hexadecimal.encode($0) }.uppercased() + "\r\n"
        let database = try MeshDatabase.open(at: fixture.path, key: printed(digits))
        #expect(try database.snapshot().network == fixture.network)
    }

    @Test("A slot whose parameters were changed opens no more, and none of them makes us take much memory or time")
    func manipulation() throws {
        let (fixture, _) = try threeSlots()
        let stored = try fixture.database.store.keySlots()[1].parameters
        // Every octet of the parameters is bound to the wrapped key, those of the label and time too.
        for place in stored.indices {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var changed = stored
                changed[place] ^= change
                try execute(fixture, "UPDATE keySlots SET parameters = ? WHERE slot = 1", [.octets(changed)])
                let start = ContinuousClock.now
                let error = storeError { _ = try MeshDatabase.open(at: fixture.path, key: passphrase()) }
                #expect(error?.code == .wrongKey, "octet \(place)")
                #expect(start.duration(to: .now) < .seconds(60))
            }
            let cut = SQLiteValue.octets(Array(stored[..<place]))
            try execute(fixture, "UPDATE keySlots SET parameters = ? WHERE slot = 1", [cut])
            #expect(storeError { _ = try MeshDatabase.open(at: fixture.path, key: passphrase()) }?.code == .wrongKey)
            #expect(try SealedDatabase(at: fixture.path).slots.count == 3)
        }
        try execute(fixture, "UPDATE keySlots SET parameters = ? WHERE slot = 1", [.octets(stored)])
        #expect(try MeshDatabase.open(at: fixture.path, key: passphrase()).snapshot().network == fixture.network)
    }

    @Test("Of a thousand slots only the first ones are looked at")
    func manySlots() throws {
        let (fixture, _) = try threeSlots()
        for number in 10..<1010 {
            try execute(
                fixture,
                "INSERT INTO keySlots SELECT ?, kind, parameters, wrapped FROM keySlots WHERE slot = 1",
                [.integer(Int64(number))]
            )
        }
        #expect(try SealedDatabase(at: fixture.path).slots.count == 32)
        let lease = try fixture.database.lock(holder: holder())
        let error = storeError {
            try fixture.database.addKeySlot(for: passphrase("another"), label: "", cost: cheap, now: now, with: lease)
        }
        #expect(error?.code == .keySlot && error?.message.contains("32 is the limit") == true)
    }

    @Test("One secret has one slot, labels are short, and nothing is added without the lock")
    func refusals() throws {
        let (fixture, _) = try threeSlots()
        let lease = try fixture.database.lock(holder: holder())
        let twice = storeError {
            try fixture.database.addKeySlot(for: passphrase(), label: "", cost: cheap, now: now, with: lease)
        }
        #expect(twice?.code == .keySlot && twice?.message.contains("opens the database already") == true)
        let long = String(repeating: "x", count: 101)
        let label = storeError {
            try fixture.database.addKeySlot(for: passphrase("other"), label: long, cost: cheap, now: now, with: lease)
        }
        #expect(label?.code == .keySlot)
        lease.release()
        let unlocked = storeError {
            try fixture.database.addKeySlot(for: passphrase("other"), label: "", cost: cheap, now: now, with: lease)
        }
        #expect(unlocked?.code == .notLocked)
        #expect(try fixture.database.keySlots().count == 3)
    }

    @Test("A slot that was removed opens no more, and nothing of it is left in the files; the last one stays")
    func removal() throws {
        let (fixture, slots) = try threeSlots()
        let wrapped = try fixture.database.store.keySlots()[1].wrapped
        #expect(Data(try readFile(fixture.path)).range(of: Data(wrapped)) != nil)
        let lease = try fixture.database.lock(holder: holder())
        try fixture.database.removeKeySlot(slots[1].identifier, with: lease)
        #expect(storeError { _ = try MeshDatabase.open(at: fixture.path, key: passphrase()) }?.code == .wrongKey)
        let files = try readFile(fixture.path) + ((try? readFile(fixture.path + "-wal")) ?? [])
        #expect(Data(files).range(of: Data(wrapped)) == nil)
        #expect(storeError { try fixture.database.removeKeySlot("00000000", with: lease) }?.code == .keySlot)
        try fixture.database.removeKeySlot(slots[2].identifier, with: lease)
        let last = storeError { try fixture.database.removeKeySlot(slots[0].identifier, with: lease) }
        #expect(last?.code == .keySlot && last?.message.contains("the last key slot") == true)
        // The lease goes on with the database as it is.
        var changes = StoreChanges()
        changes.network = fixture.network
        #expect(try fixture.database.commit(changes, with: lease) == 2)
        #expect(try fixture.reopened().snapshot().network == fixture.network)
    }

    @Test("A passphrase that was cheap to guess is derived anew when its slot opens the database for writing")
    func strengthening() throws {
        let (fixture, slots) = try threeSlots()
        let stronger = Scrypt.Cost(logN: 6, r: 1, p: 1)
        let database = try MeshDatabase.open(at: fixture.path, key: passphrase())
        let lease = try database.lock(holder: holder())
        #expect(try database.strengthenOpeningSlot(to: stronger, with: lease))
        #expect(try !database.strengthenOpeningSlot(to: stronger, with: lease))
        #expect(try !database.strengthenOpeningSlot(to: cheap, with: lease), "never to a cheaper one")
        var expected = slots
        expected[1].cost = stronger
        #expect(try database.keySlots() == expected)
        #expect(try MeshDatabase.open(at: fixture.path, key: passphrase()).snapshot().network == fixture.network)
        lease.release()
        let other = try fixture.reopened()
        let second = try other.lock(holder: holder())
        #expect(try !other.strengthenOpeningSlot(to: .standard, with: second), "only a slot that has opened it")
    }

    @Test("Two who opened the database before either changed its slots lose none of them")
    func concurrent() throws {
        let fixture = try Fixture()
        let (first, second) = (fixture.database, try fixture.reopened())
        let lease = try first.lock(holder: holder())
        #expect(storeError { _ = try second.lock(holder: holder()) }?.code == .locked)
        try first.addKeySlot(for: passphrase(), label: "Anna", cost: cheap, now: now, with: lease)
        lease.release()
        let other = try second.lock(holder: holder())
        try second.addKeySlot(for: printed(), label: "vault", cost: cheap, now: now, with: other)
        other.release()
        for key in [fixture.key, try passphrase(), try printed()] {
            #expect(try MeshDatabase.open(at: fixture.path, key: key).keySlots().map(\.label) == ["", "Anna", "vault"])
        }

        // Who opened it before it got another data key goes on with that one.
        let third = try second.lock(holder: holder())
        _ = try second.rotate(keeping: [passphrase(), printed()], cost: cheap, with: third)
        third.release()
        let late = try first.lock(holder: holder())
        try first.removeKeySlot(first.keySlots()[1].identifier, with: late)
        late.release()
        #expect(try MeshDatabase.open(at: fixture.path, key: printed()).keySlots().map(\.label) == ["", "vault"])
        #expect(try fixture.reopened().snapshot().network == fixture.network)
    }

    @Test("Every change of slots is told in the history, without a secret, and leaves state and backups as they are")
    func history() throws {
        let fixture = try Fixture()
        let database = fixture.database
        let version = try database.version()
        var backups = 0
        func change(_ operation: String, _ body: (WriteLease) throws -> Void) throws {
            let lease = try database.lock(holder: holder(operation))
            lease.beforeFirstChange { () throws(StoreError) in backups += 1 }
            try body(lease)
            lease.release()
        }
        var slot = ""
        try change("state key add") { lease in
            slot = try database.addKeySlot(for: passphrase(), label: "Anna", cost: cheap, now: now, with: lease)
                .identifier
        }
        try change("state key remove") { try database.removeKeySlot(slot, with: $0) }
        try change("apply") { lease in
            var changes = StoreChanges()
            changes.network = fixture.network
            try database.commit(changes, with: lease)
        }
        #expect(backups == 1, "of the state, not of keys that are meant to go")
        try change("state key rotate") { _ = try database.rotate(keeping: [], cost: cheap, with: $0) }
        try change("state key rotate") { lease in
            _ = try database.rotate(keeping: [], cost: cheap, with: lease)
            var changes = StoreChanges()
            changes.network = fixture.network
            try database.commit(changes, with: lease)
        }
        let history = try fixture.reopened().history()
        #expect(
            history.entries.map(\.operation) == [
                "state key rotate", "state key rotate", "state key rotate", "apply", "state key remove \(slot)",
                "state key add \(slot)",
            ]
        )
        #expect(history.entries.map(\.serialBefore) == [2, 2, 2, 1, 1, 1])
        #expect(history.serials == [1, 2, 3])
        #expect(try database.version().lineage == version.lineage)
        for serial in history.serials { #expect(try database.snapshot(at: serial).network == fixture.network) }
        #expect(try fixture.reopened().verify().problems.isEmpty)
    }

    @Test("A change of slots that fails leaves no entry")
    func failedChange() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder("state key remove"))
        #expect(storeError { try fixture.database.removeKeySlot("00000000", with: lease) } != nil)
        let only = try fixture.database.keySlots()[0].identifier
        #expect(storeError { try fixture.database.removeKeySlot(only, with: lease) } != nil)
        #expect(try fixture.reopened().history().entries.isEmpty)
    }

    @Test("Somebody who changes slots meanwhile is noticed")
    func conflict() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        try execute(fixture, "UPDATE header SET revision = revision + 1")
        let error = storeError {
            try fixture.database.addKeySlot(for: passphrase(), label: "", cost: cheap, now: now, with: lease)
        }
        #expect(error?.code == .stale)
        let rotation = storeError { _ = try fixture.database.rotate(keeping: [], cost: cheap, with: lease) }
        #expect(rotation?.code == .damaged || rotation?.code == .stale)
    }
}

@Suite("Passphrases and what commands print")
struct SecretTests {
    @Test("A passphrase is the same however its accents are typed; its line break does not belong to it, its spaces do")
    func normalization() throws {
        let composed = try Passphrase.key("Gr\u{00FC}ne Wiese im Mai", isNew: true)
        let decomposed = try Passphrase.key("Gru\u{0308}ne Wiese im Mai", isNew: true)
        #expect(composed.octets == decomposed.octets)
        for ending in ["", "\n", "\r\n"] {
            let file = try Passphrase.key(file: Array("Gru\u{0308}ne Wiese im Mai\(ending)".utf8), isNew: true)
            #expect(file.octets == composed.octets)
        }
        #expect(try Passphrase.key("Gr\u{00FC}ne Wiese im Mai ", isNew: true).octets != composed.octets)
    }

    @Test(
        "What is no passphrase is refused, and never repeated",
        arguments: [
            "": "is empty", "short secret": nil, "short secre": "11 characters; at least 12 are needed",
            String(repeating: "x", count: 1001): "longer than 1000 octets",
        ]
    )
    func refusals(text: String, message: String?) throws {
        let error = storeError { _ = try Passphrase.key(text, isNew: true) }
        #expect(error?.code == (message == nil ? nil : .invalidPassphrase))
        if let message { #expect(error?.message.contains(message) == true) }
        if !text.isEmpty, let error { #expect(!error.description.contains(text)) }
        // What opens an existing slot may be as short as it was once.
        if text.hasPrefix("short") { #expect(throws: Never.self) { try Passphrase.key(text, isNew: false) } }
    }

    @Test(
        "A file that is not one line of text is no passphrase",
        arguments: [[0xFF, 0xFE], Array("two\nlines".utf8), [0x61, 0], [], [0x0A]] as [[UInt8]]
    )
    func files(bytes: [UInt8]) {
        #expect(storeError { _ = try Passphrase.key(file: bytes, isNew: false) }?.code == .invalidPassphrase)
    }

    @Test(
        "What a command prints has to be one line that nobody can guess",
        arguments: [
            "": "printed nothing", "\n\r\n": "printed nothing",
            "hunter2\n": "printed 7 octets; it must print at least 32",
            String(repeating: "a", count: 40) + "\nsecond": "more than one line",
            String(repeating: "a", count: 4097): "more than 4096 octets",
        ]
    )
    func printing(text: String, message: String) throws {
        let error = storeError { _ = try DatabaseSecret.command(printed: Array(text.utf8)) }
        #expect(error?.code == .invalidKeyFile)
        #expect(error?.message.contains(message) == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test("A secret shows nothing of itself")
    func concealment() throws {
        var text = ""
        for key in [try passphrase("hunter2 hunter2"), try printed(String(repeating: "hunter2", count: 6))] {
            print(key, to: &text)
            dump(key, to: &text)
            debugPrint(key, to: &text)
        }
        #expect(!text.contains("hunter2") && !text.contains("104"), "\(text)")
    }
}
