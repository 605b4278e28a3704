import Catalogue
import Execution
import MeshCore
import SystemLayer

/// Writes what happens over the air, a line for each message: who, what, when, which try, and how long it took. No line
/// holds the contents of a message, which may be keys.
struct MeshLog {
    /// How much is written.
    enum Level: String, CaseIterable, Comparable {
        /// Requests, answers and links.
        case debug
        /// Every packet, too.
        case trace

        static func < (left: Level, right: Level) -> Bool { left == .debug && right == .trace }
    }

    /// The most that is written.
    let level: Level
    let names: ElementNames
    let messages: MessageCatalogue

    /// The level and the text of a report; nil if it is not written.
    func line(_ report: MeshReport) -> String? {
        let own = Self.level(of: report)
        return own <= level ? "\(own.rawValue)  \(text(report))" : nil
    }

    private static func level(of report: MeshReport) -> Level {
        switch report {
        case .packetSent, .packetReceived: .trace
        case .sent, .answered, .unanswered, .unreachable, .unsendable, .listening, .connecting, .linkUp, .linkDown,
            .ivIndex:
            .debug
        }
    }

    private func text(_ report: MeshReport) -> String {
        switch report {
        case .sent(let request, 1): "\(who(request)): sent, \(count(request.octets, "octet"))"
        case .sent(let request, let attempt): "\(who(request)): sent again, try \(attempt)"
        case .answered(let request, let answer, let attempts, let time):
            "\(who(request)): \(Self.text(answer)) after \(DurationText.text(milliseconds: Self.milliseconds(time)))"
                + (attempts > 1 ? " and \(attempts) tries" : "")
        case .unanswered(let request, let attempts, let time):
            "\(who(request)): no answer after \(DurationText.text(milliseconds: Self.milliseconds(time))) and "
                + count(attempts, "try", plural: "tries")
        case .unreachable(let request, let reason): "\(who(request)): cannot be asked: \(reason.printable)"
        case .unsendable(let request, let reason): "\(who(request)): cannot be sent: \(reason.printable)"
        case .listening: "listening for a proxy"
        case .connecting(let target): "connecting to \(Self.text(target))"
        case .linkUp(let proxy, let isDirect, let times):
            "link\(proxy.map { " to \(names[$0])" } ?? "") is up\(isDirect ? ", for it alone" : "")"
                + ": listened \(Self.text(times.scan)), connected \(Self.text(times.connect)), "
                + "beacon \(Self.text(times.beacon)), filter \(Self.text(times.filter))"
        case .linkDown(let reason, let delay):
            "link is down (\(reason.printable))" + (delay.map { "; again in \(Self.text($0))" } ?? "")
        case .ivIndex(let ivIndex): "the IV index is \(ivIndex.value)\(ivIndex.isUpdateInProgress ? ", updating" : "")"
        case .packetSent(let link, let type, let octets):
            "link \(link.rawValue): sent \(Self.text(type)), \(count(octets, "octet"))"
        case .packetReceived(let link, let type, let octets):
            "link \(link.rawValue): received \(Self.text(type)), \(count(octets, "octet"))"
        }
    }

    private func who(_ request: MeshReport.Request) -> String {
        let message = messages.message(request.opcode)?.name ?? "opcode \(request.opcode)"
        return "\(names[request.node]) \(message)"
    }

    private static func text(_ answer: MeshReport.Answer) -> String {
        switch answer {
        case .expected: "answered"
        case .refused(let status): "refused (\(status))"
        case .other: "answered with another value"
        case .odd: "answered oddly"
        }
    }

    private static func text(_ target: LinkTarget) -> String {
        switch target {
        case .anyProxy: "any proxy"
        case .proxy(let advertiser): "the proxy \(Hexadecimal.encode(advertiser.rawValue))"
        case .provisioning(let advertiser): "the device \(Hexadecimal.encode(advertiser.rawValue))"
        }
    }

    private static func text(_ type: ProxyPDU.MessageType?) -> String {
        switch type {
        case .network: "network PDU"
        case .beacon: "beacon"
        case .configuration: "proxy configuration"
        case .provisioning: "provisioning PDU"
        case nil: "unknown packet"
        }
    }

    private static func text(_ duration: Duration) -> String { DurationText.text(milliseconds: milliseconds(duration)) }

    private static func milliseconds(_ duration: Duration) -> Int { Int(clamping: duration.microseconds / 1_000) }
}

/// The names of elements by their addresses: `kitchen-1 (0x0010)`, `kitchen-1/1 (0x0011)`.
struct ElementNames {
    private var nodes: [(first: UInt16, last: UInt16, name: String)]

    /// The elements of a network's nodes.
    init(_ network: MeshNetwork?) {
        nodes = (network?.nodes ?? []).map { node in
            (node.addresses.lowerBound, node.addresses.upperBound, node.name.printable)
        }
        nodes.sort { $0.first < $1.first }
    }

    /// The name and the address of an element; only the address if nobody knows its node.
    subscript(address: UnicastAddress) -> String { name(of: address).map { "\($0) (\(address))" } ?? "\(address)" }

    /// The name of an element; nil if nobody knows its node.
    func name(of address: UnicastAddress) -> String? {
        let value = address.rawValue
        // The last node that begins at or before the address.
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].first <= value { low = middle + 1 } else { high = middle }
        }
        guard low > 0, nodes[low - 1].last >= value, !nodes[low - 1].name.isEmpty else { return nil }
        let node = nodes[low - 1]
        return node.first == value ? node.name : "\(node.name)/\(value - node.first)"
    }
}
