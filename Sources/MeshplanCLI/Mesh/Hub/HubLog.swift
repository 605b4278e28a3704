import Bearers
import MeshCore

/// Writes to standard output what a hub does, one line per event.
final class HubLog {
    private let context: Context
    private var refusals = RefusalLines()

    init(context: Context) {
        self.context = context
    }

    func begin(gatewaysAt gateways: SocketAddress, clientsAt clients: SocketAddress) {
        write("listening for gateways on \(gateways), for clients on \(clients)")
    }

    /// Reports where collectors get metrics.
    func write(metricsAt address: SocketAddress) { write("metrics at \(address)") }

    func end() { write("stopped") }

    func write(_ event: HubServer.Event) {
        switch event {
        case .came(let name, let peer, let program, let fingerprint):
            // The form that `--denied` takes.
            let certificate = fingerprint.map { " with the certificate \(Hexadecimal.encode($0))" } ?? ""
            write("\(name) came from \(peer), version \(program)\(certificate)")
        case .left(let name, let reason): write("\(name) left: \(reason)")
        case .turnedAway(let peer, let reason): refuse("refused \(peer): \(reason)")
        case .joined(let call, let name, let client): write("client \(call.rawValue + 1) (\(client)) uses \(name)")
        case .parted(let call, let name, let reason, let sent, let received):
            let octets = "\(count(sent, "octet")) sent, \(received) received"
            write("client \(call.rawValue + 1) left \(name): \(reason); \(octets)")
        case .unreached(let name, let client, let reason): refuse("\(client) does not get to \(name): \(reason)")
        }
    }

    private func refuse(_ line: String) {
        for line in refusals.lines(line, at: context.now()) { write(line) }
    }

    private func write(_ line: String) { context.output.line(line.printable) }
}
