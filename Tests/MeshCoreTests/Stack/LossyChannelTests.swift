import TestSupport
import Testing

@testable import MeshCore

/// Two stacks and a channel between them that loses, doubles, delays and reorders PDUs; time is an event queue.
private struct LossyChannel {
    struct Arrival {
        var at: Instant
        var order: Int
        var receiver: Int
        var pdu: [UInt8]
    }

    var stacks: [MeshStack]
    var actions: [[StackAction]] = [[], []]
    private var arrivals: [Arrival] = []
    private var generator: SplitMix64
    private let loss: Int
    private var order = 0

    init(_ stacks: [MeshStack], loss: Int, seed: UInt64) {
        self.stacks = stacks
        self.loss = loss
        generator = SplitMix64(seed: seed)
    }

    mutating func take(_ new: [StackAction], from sender: Int, at now: Instant) {
        actions[sender] += new
        for pdu in new.transmitted {
            let copies = generator.chance(20) ? 2 : 1
            for _ in 0..<copies where !generator.chance(loss) {
                let delay = Duration.milliseconds(Int64(generator.next() % 120))
                order += 1
                arrivals.append(Arrival(at: now.advanced(by: delay), order: order, receiver: 1 - sender, pdu: pdu))
            }
        }
    }

    mutating func run() {
        for _ in 0..<100_000 {
            let arrival = arrivals.indices.min {
                (arrivals[$0].at, arrivals[$0].order) < (arrivals[$1].at, arrivals[$1].order)
            }
            let timer = stacks.indices.filter { stacks[$0].nextDeadline != nil }
                .min { (stacks[$0].nextDeadline ?? .zero) < (stacks[$1].nextDeadline ?? .zero) }
            if let timer, let deadline = stacks[timer].nextDeadline,
                arrival.map({ deadline <= arrivals[$0].at }) ?? true
            {
                take(stacks[timer].advance(to: deadline), from: timer, at: deadline)
            } else if let arrival {
                let next = arrivals.remove(at: arrival)
                take(stacks[next.receiver].receive(networkPDU: next.pdu, at: next.at), from: next.receiver, at: next.at)
            } else {
                return
            }
        }
        Issue.record("the channel never became quiet")
    }
}

@Suite("Two stacks and a lossy channel")
struct LossyChannelTests {
    @Test(
        "each message arrives at most once, and exactly once if it is reported complete",
        arguments: 1...24 as ClosedRange<UInt64>
    )
    func exactlyOnce(seed: UInt64) throws {
        var sar = seed % 4 == 0 ? SARParameters.version101 : .standard
        sar.unicastRetransmissions = 12
        sar.unicastRetransmissionsWithoutProgress = 8
        if seed % 3 == 0 { sar.segmentInterval = .zero }
        let loss = [0, 10, 30, 50][Int(seed % 4)]
        var channel = LossyChannel(
            [Sample.stack(Sample.client, sar: sar), Sample.stack(Sample.node, sar: sar)],
            loss: loss,
            seed: seed
        )
        var sent: [[TransmissionIdentifier: [UInt8]]] = [[:], [:]]
        for number in 0..<12 as Range<UInt8> {
            for sender in 0...1 {
                let size = [12, 20, 60, 200, 380][Int(number) % 5]
                let payload = [number, UInt8(sender)] + (2..<size).map { UInt8(truncatingIfNeeded: $0 * 3) }
                let message = Sample.message(
                    payload,
                    from: sender == 0 ? Sample.client : Sample.node,
                    to: .unicast(sender == 0 ? Sample.node : Sample.client)
                )
                let (identifier, actions) = try channel.stacks[sender].send(message, at: .zero)
                sent[sender][identifier] = payload
                channel.take(actions, from: sender, at: .zero)
            }
        }
        channel.run()
        for sender in 0...1 {
            let arrived = channel.actions[1 - sender].delivered.map(\.payload)
            #expect(Set(arrived).count == arrived.count, "nothing is delivered twice")
            #expect(Set(arrived).isSubset(of: sent[sender].values))
            let completed = channel.actions[sender].completed
            let failed = channel.actions[sender].count { if case .failed = $0 { true } else { false } }
            #expect(completed.count + failed == 12, "every message has one outcome")
            #expect(Set(completed).count == completed.count)
            for identifier in completed {
                #expect(arrived.contains(try #require(sent[sender][identifier])))
            }
            if loss <= 30 { #expect(failed == 0) }
        }
    }

    @Test("the same seed gives the same run")
    func deterministic() throws {
        func run() throws -> [[StackAction]] {
            var channel = LossyChannel([Sample.stack(Sample.client), Sample.stack(Sample.node)], loss: 30, seed: 5)
            for payload in [[UInt8](0..<200), [UInt8](0..<90)] {
                let actions = try channel.stacks[0].send(Sample.message(payload), at: .zero).1
                channel.take(actions, from: 0, at: .zero)
            }
            channel.run()
            return channel.actions
        }
        #expect(try run() == run())
    }

    @Test("random octets change nothing but a count, however they are dressed", arguments: 1...8 as ClosedRange<UInt64>)
    func hostile(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var node = Sample.stack(Sample.node)
        let credentials = NetworkCredentials(flooding: Sample.netKey)
        func octets(_ limit: UInt64) -> [UInt8] {
            (0..<generator.next() % (limit + 1)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }
        for number in 0..<1500 as Range<UInt32> {
            let bytes: [UInt8]
            switch generator.next() % 4 {
            case 0: bytes = octets(40)
            case 1: bytes = [0x68] + octets(28)
            default:
                // Somebody who has the NetKey and no manners.
                let isControl = generator.chance(50)
                let pdu = NetworkPDU(
                    ivIndex: 0x1234_5678 - UInt32(generator.next() % 2),
                    isControl: isControl,
                    ttl: UInt8(generator.next() % 128),
                    sequence: number * 3 + UInt32(generator.next() % 3),
                    source: Sample.unicast(UInt16(0x0001 + generator.next() % 5)),
                    destination: generator.chance(70) ? Sample.node.address : Address(rawValue: 0xC001),
                    transportPDU: [UInt8(truncatingIfNeeded: generator.next())] + octets(isControl ? 11 : 15)
                )
                bytes = try pdu.encoded(with: credentials)
            }
            let now = Instant.ms(Int64(number) * 20)
            let actions = node.receive(networkPDU: bytes, at: now)
            #expect(actions.delivered.isEmpty)
            if generator.chance(30) { _ = node.receive(beacon: octets(30), at: now) }
            if let deadline = node.nextDeadline, deadline <= now { _ = node.advance(to: now) }
        }
        #expect(node.ivIndex == Sample.ivIndex)
    }
}
