import TestSupport
import Testing

@testable import MeshCore

@Suite("MeshStack with the sample data")
struct SampleExchangeTests {
    private let appKeyAdd = hex("0056341263964771734fbd76e3b40519d1d94a48")

    @Test("8.3.6 to 8.3.9: a segment is lost, a Friend acknowledges, the segment goes again")
    func segmented() throws {
        var client = Sample.stack(Sample.client, next: 0x3129AB)
        let (identifier, first) = try client.send(Sample.message(appKeyAdd, ttl: 4), at: .zero)
        let pdus = Sample.pdus("8.3.6")
        #expect(first.transmitted == [pdus[0]])
        #expect(client.nextDeadline == .ms(60))
        #expect(client.advance(to: .ms(59)).isEmpty)
        #expect(client.advance(to: .ms(60)).transmitted == [pdus[1]])

        let partial = client.receive(networkPDU: Sample.pdus("8.3.7")[0], at: .ms(200))
        #expect(partial.transmitted == Sample.pdus("8.3.8"))
        #expect(partial.completed.isEmpty)
        let all = client.receive(networkPDU: Sample.pdus("8.3.9")[0], at: .ms(400))
        #expect(all.completed == [identifier])
        #expect(client.nextDeadline == nil)
    }

    @Test("8.3.6: the node puts the message together and acknowledges it")
    func reassembled() throws {
        var node = Sample.stack(Sample.node, next: 0x10)
        let pdus = Sample.pdus("8.3.6")
        #expect(node.receive(networkPDU: pdus[1], at: .zero).isEmpty)
        let actions = node.receive(networkPDU: pdus[0], at: .ms(10))
        let delivered = try #require(actions.delivered.first)
        #expect(delivered.payload == appKeyAdd)
        #expect(delivered.source == Sample.client)
        #expect(delivered.security == .device(node: Sample.node))
        #expect(delivered.sequence == 0x3129AB)
        #expect(delivered.isSegmented)
        let acknowledgment = try Sample.stack(Sample.client).decode(networkPDU: actions.transmitted[0]).pdu
        #expect(
            acknowledgment
                == NetworkPDU(
                    ivIndex: 0x1234_5678,
                    isControl: true,
                    ttl: 5,
                    sequence: 0x10,
                    source: Sample.node,
                    destination: Sample.client.address,
                    transportPDU: hex("0026ac00000003")
                )
        )
    }

    @Test("8.3.16 and 8.3.17: a status, unsegmented, and as a relay sends it on")
    func status() throws {
        var node = Sample.stack(Sample.node, next: 6)
        let status = Sample.message(
            hex("800300563412"),
            from: Sample.node,
            to: .unicast(Sample.client),
            ttl: 11
        )
        let (identifier, actions) = try node.send(status, at: .zero)
        #expect(actions.transmitted == Sample.pdus("8.3.16"))
        #expect(actions.completed == [identifier])

        var client = Sample.stack(Sample.client)
        let delivered = client.receive(networkPDU: actions.transmitted[0], at: .zero).delivered
        #expect(delivered.map(\.payload) == [hex("800300563412")])
        #expect(delivered.map(\.security) == [.device(node: Sample.node)])

        var relay = Sample.stack(Sample.unicast(0x0100))
        #expect(
            relay.receive(networkPDU: actions.transmitted[0], at: .zero)
                == [
                    .relay(
                        Sample.pdus("8.3.17")[0],
                        source: Sample.node,
                        destination: Sample.client.address
                    )
                ]
        )
    }

    @Test("8.3.24: a vendor message to a label with a long TransMIC, sent while an IV update is in progress")
    func virtual() throws {
        let updating = IVIndex(value: 0x1234_5678, isUpdateInProgress: true)
        var keys = Sample.keys()
        let label = try #require(LabelUUID("f4a002c7fb1e4ca0a469a021de0db875"))
        keys.add(label)
        var sender = Sample.stack(Sample.unicast(0x1234), next: 0x07080D, ivIndex: updating, keys: keys)
        sender.sar.segmentInterval = .zero
        var message = Sample.message(
            hex("ea0a00576f726c64"),
            from: Sample.unicast(0x1234),
            to: .virtual(label),
            security: .application(Sample.appKeyIndex),
            ttl: 3
        )
        message.transportMIC = .bits64
        let (_, actions) = try sender.send(message, at: .zero)
        #expect(actions.transmitted == Sample.pdus("8.3.24"))

        var receiver = Sample.stack(Sample.node, keys: keys)
        let outcome = Sample.pdus("8.3.24").flatMap { receiver.receive(networkPDU: $0, at: .zero) }
        #expect(outcome.delivered.map(\.payload) == [message.payload])
        #expect(outcome.delivered.map(\.label) == [label])
        #expect(outcome.transmitted.isEmpty, "messages to many are not acknowledged")

        var stranger = Sample.stack(Sample.node)
        let refused = Sample.pdus("8.3.24").flatMap { stranger.receive(networkPDU: $0, at: .zero) }
        #expect(refused.dropped == [.undecryptable])
    }

    @Test("8.3.18 to 8.3.21: messages to groups arrive under the IV index before, too")
    func groups() throws {
        var node = Sample.stack(Sample.unicast(0x0200))
        for identifier in ["8.3.18", "8.3.19", "8.3.20", "8.3.21"] {
            let vector = try #require(NetworkVectorTests.messages.first { $0.testDescription == identifier })
            let actions = node.receive(networkPDU: Sample.pdus(identifier)[0], at: .zero)
            #expect(actions.delivered.map(\.payload) == [vector.octets("accessPayload")])
            #expect(actions.delivered.map(\.security) == [.application(Sample.appKeyIndex)])
        }
    }
}
