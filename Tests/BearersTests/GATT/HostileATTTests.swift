import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("GATTClient and hostile devices")
struct HostileATTTests {
    /// What the client may do: send legal PDUs, open once, and fail at most once and last.
    private static func examine(_ conversation: Conversation, _ seed: UInt64) {
        let outputs = conversation.outputs
        let openings = outputs.filter { if case .opened = $0 { true } else { false } }
        #expect(openings.count <= 1, "seed \(seed)")
        if case .received? = outputs.first { Issue.record("a packet before the link was open, seed \(seed)") }
        if let place = outputs.firstIndex(where: { if case .failed = $0 { true } else { false } }) {
            #expect(place == outputs.count - 1, "seed \(seed)")
        }
        for pdu in conversation.sent {
            #expect(throws: Never.self, "seed \(seed)") { try ATTPDU(decoding: pdu) }
            #expect(pdu.count <= 23, "seed \(seed)")
        }
    }

    @Test("responses with one octet changed, cut off or drawn out never do harm", arguments: propertySeeds(40))
    func altered(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var opened = 0
        for _ in 0..<200 {
            var server = ATTServer(ServicePlan.generic + [.mesh(.proxy)])
            server.mtu = [23, 69, 517].randomElement(using: &generator) ?? 23
            if generator.chance(30) { server.unsupported = [0x06] }
            var conversation = Conversation(.proxy, server)
            conversation.begin()
            for _ in 0..<8 {
                guard let request = conversation.sent.last, var response = conversation.server.receive(request) else {
                    break
                }
                if generator.chance(30) {
                    let place = Int.random(in: 0..<response.count, using: &generator)
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: response[place] = UInt8.random(in: 0...255, using: &generator)
                    case 1: response[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                    case 2: response.removeLast(response.count - place)
                    default: response += response[place...]
                    }
                }
                conversation.deliver(response)
                if conversation.failure != nil || conversation.packetSize != nil { break }
            }
            if conversation.packetSize != nil { opened += 1 }
            Self.examine(conversation, seed)
        }
        #expect(opened > 20)
    }

    @Test("random PDUs end a connection or do nothing", arguments: propertySeeds(20))
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var conversation = Conversation()
            conversation.begin()
            for _ in 0..<Int.random(in: 0...5, using: &generator) { conversation.answer() }
            for _ in 0..<50 {
                var pdu = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                    UInt8.random(in: 0...(generator.chance(70) ? 0x24 : 255), using: &generator)
                }
                if generator.chance(10) { pdu += [UInt8](repeating: 1, count: 600) }
                conversation.deliver(pdu)
            }
            Self.examine(conversation, seed)
        }
    }

    @Test("every PDU, cut off after every octet, is refused without harm")
    func truncated() throws {
        for pdu in ATTPDUTests.samples {
            for count in 0..<pdu.octets.count {
                let head = Array(pdu.octets.prefix(count))
                guard let shorter = try? ATTPDU(decoding: head) else { continue }
                #expect(shorter.encoded == head, "what is read of a cut PDU is what stands there")
            }
        }
    }
}
