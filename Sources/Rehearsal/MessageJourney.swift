import MeshCore
import Simulator

/// How far the messages of one sender came, hop by hop.
struct MessageJourney {
    /// The way of a message to a node.
    struct Way: Hashable {
        /// The nodes that relayed it, in their order; for a message from outside, the proxy is the first.
        var relays: [DeviceUUID]
        var time: Instant
        /// The number of hops over the air.
        var hops: Int { relays.count + 1 }
    }

    /// Who heard a message, and with which TTL.
    struct Hearer: Hashable {
        let uuid: DeviceUUID
        let ttl: UInt8
    }

    /// The node that sent them; nil if it is none of the network.
    private let sender: DeviceUUID?
    /// Who heard each message first from whom, by its sequence number.
    private var heard: [UInt32: [DeviceUUID: HeardMessage]] = [:]
    /// The sequence numbers, in the order of the messages.
    private var sequences: [UInt32] = []
    private var losses: [DeviceUUID: [DeviceUUID]] = [:]
    /// Those that heard at least one of the messages, in the order in which they did, with the greatest TTL.
    private(set) var hearers: [Hearer] = []

    /// The journey of all messages of a source.
    ///
    /// - Parameter messages: who heard which message, in the order of time.
    init(_ messages: [HeardMessage], of source: UnicastAddress?, in network: MeshNetwork) {
        sender = network.nodes.first { node in source.map { node.addresses.contains($0.rawValue) } ?? false }?.uuid
        var greatest: [DeviceUUID: UInt8] = [:]
        var order: [DeviceUUID] = []
        for message in messages where message.source == source {
            if message.isLost {
                if let sender = message.sender, losses[message.uuid]?.contains(sender) != true {
                    losses[message.uuid, default: []].append(sender)
                }
                continue
            }
            if heard[message.sequence] == nil { sequences.append(message.sequence) }
            if heard[message.sequence]?[message.uuid] == nil {
                heard[message.sequence, default: [:]][message.uuid] = message
            }
            if greatest[message.uuid] == nil, message.uuid != sender { order.append(message.uuid) }
            greatest[message.uuid] = max(greatest[message.uuid] ?? 0, message.ttl)
        }
        hearers = order.map { Hearer(uuid: $0, ttl: greatest[$0] ?? 0) }
    }

    /// How the first message that reached a node came there; nil if none did.
    func way(to node: DeviceUUID) -> Way? {
        for sequence in sequences {
            guard let hearings = heard[sequence], var hearing = hearings[node] else { continue }
            var relays: [DeviceUUID] = []
            let time = hearing.time
            while let from = hearing.sender, from != sender {
                relays.append(from)
                // A proxy has the message of a command over its link, and hears it later from those to which it sent
                // it.
                guard let before = hearings[from], before.time < hearing.time else { break }
                hearing = before
            }
            return Way(relays: relays.reversed(), time: time)
        }
        return nil
    }

    /// The nodes that sent a message to a node which heard none of them.
    func losers(on node: DeviceUUID) -> [DeviceUUID] { losses[node] ?? [] }
}
