import MeshCore
import TestSupport
import Testing

@testable import TLS

@Suite("Secured sessions")
struct TLSSessionTests {
    @Test("both sides know each other, however the octets arrive", arguments: [1, 2, 3, 5, 100, 65_536])
    func handshake(piece: Int) throws {
        let pairing = try Pairing()
        let wire = try pairing.sessions()
        #expect(!wire.client.isEstablished && wire.client.peer == nil)
        wire.run { piece }
        #expect(wire.clientError == nil && wire.gatewayError == nil)
        #expect(wire.client.isEstablished && wire.gateway.isEstablished)
        #expect(wire.client.peer == pairing.gateway.certificate && wire.client.peer?.name == "basement")
        #expect(wire.gateway.peer == pairing.client.certificate && wire.gateway.peer?.name == "office")
        try wire.client.write(Array("ping".utf8))
        try wire.gateway.write(Array("pong".utf8))
        wire.run { piece }
        #expect(wire.gatewayRead == Array("ping".utf8) && wire.clientRead == Array("pong".utf8))
    }

    @Test("what is written before the handshake is over goes out when it is")
    func early() throws {
        let wire = try Pairing().sessions()
        try wire.client.write([1, 2, 3])
        try wire.gateway.write([4, 5])
        try wire.client.write([])
        wire.run()
        #expect(wire.gatewayRead == [1, 2, 3] && wire.clientRead == [4, 5])
    }

    @Test("10 MB go through in both directions at once, in pieces of any size")
    func volume() throws {
        let wire = try Pairing().sessions()
        var random = SplitMix64(seed: 1)
        func data() -> [UInt8] { (0..<1_250_000).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) } }
        let (up, down) = (data(), data())
        var sizes = SplitMix64(seed: 2)
        var place = 0
        while place < up.count {
            let end = min(place + Int.random(in: 1...200_000, using: &sizes), up.count)
            try wire.client.write(up[place..<end])
            try wire.gateway.write(down[place..<end])
            place = end
            wire.run { Int.random(in: 1...70_000, using: &sizes) }
        }
        #expect(wire.clientError == nil && wire.gatewayError == nil)
        #expect(wire.gatewayRead == up)
        #expect(wire.clientRead == down)
    }

    @Test("keys are replaced after so many records, and nothing is lost")
    func keyUpdate() throws {
        let wire = try Pairing().sessions()
        wire.client.recordsPerKey = 3
        wire.gateway.recordsPerKey = 5
        wire.run()
        var updates = 0
        for round in 0..<40 {
            try wire.client.write([UInt8(round)])
            // A record of one octet takes 23; one more record is the update.
            let outgoing = wire.client.takeOutgoing()
            updates += outgoing.count > 23 ? 1 : 0
            try wire.gateway.receive(outgoing)
            try wire.gateway.write(wire.gateway.read())
            wire.run()
        }
        #expect(updates == 13)
        #expect(wire.clientRead == Array(0..<40))
        try wire.gateway.write([UInt8](repeating: 7, count: 200_000))
        wire.run()
        #expect(wire.clientRead.count == 200_040 && wire.clientError == nil)
    }

    @Test("what another call of OpenSSL has left behind is not taken for an error of a session")
    func strangersErrors() throws {
        let wire = try Pairing().sessions()
        let failing = try Pairing("attic").sessions()
        for _ in 0..<3 {
            leaveErrors()
            try wire.gateway.receive(wire.client.takeOutgoing())
            _ = thrown { try failing.gateway.receive([22, 3, 3, 0, 4, 1, 2, 3, 4]) }
            try wire.client.receive(wire.gateway.takeOutgoing())
        }
        #expect(wire.client.isEstablished && wire.gateway.isEstablished)
        leaveErrors()
        try wire.client.write([1])
        leaveErrors()
        try wire.gateway.receive(wire.client.takeOutgoing())
        #expect(wire.gateway.read() == [1])
    }

    @Test("a farewell ends one direction, the other goes on")
    func farewell() throws {
        let wire = try Pairing().sessions()
        wire.run()
        wire.client.close()
        wire.client.close()
        #expect(thrown { try wire.client.write([1]) }?.kind == .closed)
        wire.run()
        #expect(wire.gateway.isClosedByPeer && !wire.client.isClosedByPeer)
        try wire.gateway.receiveEnd()
        // What follows a farewell does not count.
        try wire.gateway.receive([9, 9, 9])
        try wire.gateway.write([7])
        wire.gateway.close()
        wire.run()
        #expect(wire.clientRead == [7] && wire.client.isClosedByPeer)
        try wire.client.receiveEnd()
    }

    @Test("an end without a farewell is none, and says at which moment it came")
    func truncated() throws {
        let established = try Pairing().sessions()
        established.run()
        let cut = try #require(thrown { try established.client.receiveEnd() })
        #expect(
            cut.kind == .truncated && cut.message == "the gateway was cut off: the connection ended without a farewell"
        )
        #expect(thrown { try established.client.write([1]) } == cut)

        let silent = try Pairing().sessions()
        let nothing = try #require(thrown { try silent.client.receiveEnd() })
        #expect(nothing.message == "the gateway closed the connection without a word" && nothing.hint != nil)

        let halfway = try Pairing().sessions()
        try halfway.gateway.receive(halfway.client.takeOutgoing())
        try halfway.client.receive(halfway.gateway.takeOutgoing().prefix(200))
        let middle = try #require(thrown { try halfway.client.receiveEnd() })
        #expect(middle.message.hasSuffix("in the middle of the handshake"))
    }

    @Test("nothing of what is said can be read on the way")
    func secrecy() throws {
        let wire = try Pairing().sessions()
        wire.run()
        let text = Array("the very secret text of this test".utf8)
        try wire.client.write(text)
        let ciphertext = wire.client.takeOutgoing()
        #expect(!String(decoding: ciphertext, as: UTF8.self).contains("secret"))
        try wire.gateway.receive(ciphertext)
        #expect(wire.gateway.read() == text && wire.gateway.read().isEmpty)
    }

    @Test("one changed bit anywhere ends the session", arguments: [5, 6, 12, 20])
    func changed(place: Int) throws {
        let wire = try Pairing().sessions()
        wire.run()
        try wire.client.write(Array("0123456789".utf8))
        var ciphertext = wire.client.takeOutgoing()
        ciphertext[place] ^= 0x10
        let error = try #require(thrown { try wire.gateway.receive(ciphertext) })
        #expect(error.kind == .malformed, "\(error.message)")
        #expect(wire.gateway.read().isEmpty)
        #expect(thrown { try wire.gateway.receive([0]) } == error)
        // The other side is told.
        #expect(thrown { try wire.client.receive(wire.gateway.takeOutgoing()) }?.kind == .malformed)
    }

    @Test(
        "whatever is changed in a handshake, no session comes of it that both believe in",
        arguments: propertySeeds(4)
    )
    func changedHandshake(seed: UInt64) throws {
        let pairing = try Pairing()
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let wire = try pairing.sessions()
            var hello = wire.client.takeOutgoing()
            // Nobody vouches for the head of a record, of which the lower version is not looked at.
            let place = Int.random(in: 5..<hello.count, using: &random)
            hello[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            guard thrown({ try wire.gateway.receive(hello) }) == nil else { continue }
            wire.run()
            #expect(!(wire.client.isEstablished && wire.gateway.isEstablished), "octet \(place)")
        }
    }

    @Test("noise at any moment throws or is waited on, and never traps", arguments: propertySeeds(4))
    func noise(seed: UInt64) throws {
        let pairing = try Pairing()
        var random = SplitMix64(seed: seed)
        for round in 0..<40 {
            let wire = try pairing.sessions()
            if round % 2 == 0 { wire.run() }
            for session in [wire.client, wire.gateway] {
                var octets = (0..<Int.random(in: 1...2_000, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                if round % 4 < 2 { octets.insert(contentsOf: [UInt8(20 + round % 5), 3, 3], at: 0) }
                _ = thrown { try session.receive(octets) }
                #expect(session.read().isEmpty)
                _ = session.takeOutgoing()
                session.close()
            }
        }
    }

    @Test("nobody can make a session hold more than its bounds")
    func bounds() throws {
        let wire = try Pairing().sessions()
        let much = [UInt8](repeating: 0, count: TLSSession.plaintextLimit)
        try wire.client.write(much)
        #expect(thrown { try wire.client.write([0]) }?.kind == .tooMuch)

        let unread = try Pairing().sessions()
        unread.run()
        try unread.client.write(much + [0])
        #expect(thrown { try unread.gateway.receive(unread.client.takeOutgoing()) }?.kind == .tooMuch)

        // Fragments of a handshake message that never ends: 16,000 octets each, of a ClientHello of 16 MB.
        let endless = try Pairing().sessions()
        let record: [UInt8] = [22, 3, 1, 0x3E, 0x80, 1, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 15_996)
        #expect(thrown { for _ in 0..<10 { try endless.gateway.receive(record) } } != nil)
    }
}
