import ArgumentParser
import Bearers

/// What carries the messages of a command.
enum BearerChoice: Hashable {
    /// A simulated world in this process.
    case simulator
    /// A gateway without certificates, or a simulator process.
    case socket(SocketAddress)
    /// A gateway with certificates, of the named pairing, or the only one.
    case gateway(pairing: String?, SocketAddress)
    /// A gateway that has dialled a hub; nil for the hub that is set.
    case hub(HubName, SocketAddress?)
    /// A Bluetooth adapter of this machine, by its name or address; nil for the first usable one.
    case gatt(adapter: String?)

    /// The default port of gateways. It is not registered with anybody.
    static let gatewayPort: UInt16 = 7447

    /// The name of ``gatt(adapter:)`` on the command line.
    static let gattName = "gatt"

    private static let gatewayScheme = "gateway://"
    private static let hubScheme = "hub://"

    /// The default port of a hub for gateways, and the one for clients.
    static let hubPorts: (gateways: UInt16, clients: UInt16) = (7448, 7449)
    /// Where a hub serves clients unless something else is said.
    static let usualHub = "tcp:127.0.0.1:7449"

    /// The help of `--via`.
    static let help = """
        How to reach the mesh: gatt or gatt:ADAPTER, gateway://[PAIRING@]HOST[:PORT], hub://NAME, unix:PATH, \
        tcp:HOST:PORT or simulator. Repeat it for several.
        """

    /// Parses a value of `--via`.
    init(_ text: String) throws(SocketAddressError) {
        if text == "simulator" {
            self = .simulator
        } else if text == Self.gattName {
            self = .gatt(adapter: nil)
        } else if text.hasPrefix(Self.gattName + ":") {
            let adapter = String(text.dropFirst(Self.gattName.count + 1))
            guard !adapter.isEmpty else { throw SocketAddressError(text: text, problem: "the adapter is missing") }
            self = .gatt(adapter: adapter)
        } else if text.hasPrefix(Self.gatewayScheme) {
            let rest = text.dropFirst(Self.gatewayScheme.count)
            let at = rest.firstIndex(of: "@")
            let host = at.map { rest[rest.index(after: $0)...] } ?? rest
            self = .gateway(
                pairing: at.map { String(rest[..<$0]) },
                try SocketAddress(tcp: host, of: text, defaultPort: Self.gatewayPort)
            )
        } else if text.hasPrefix(Self.hubScheme) {
            let rest = text.dropFirst(Self.hubScheme.count)
            let at = rest.firstIndex(of: "@")
            guard let name = HubName(String(at.map { rest[..<$0] } ?? rest)) else {
                throw SocketAddressError(
                    text: text,
                    problem: "after hub:// comes the name of a gateway: letters and digits, with single dots, "
                        + "hyphens and underscores between them"
                )
            }
            self = .hub(
                name,
                try at.map { place throws(SocketAddressError) in
                    try Self.hubAddress(String(rest[rest.index(after: place)...]), of: text)
                }
            )
        } else if text.hasPrefix("unix:") || text.hasPrefix("tcp:") {
            self = .socket(try SocketAddress(text))
        } else {
            throw SocketAddressError(
                text: text,
                problem:
                    "a way to the mesh is gatt, gatt:ADAPTER, gateway://HOST, hub://NAME, unix:PATH, tcp:HOST:PORT or simulator"
            )
        }
    }

    /// Parses where a hub serves clients: `unix:PATH`, `tcp:HOST:PORT`, or `HOST[:PORT]`.
    ///
    /// - Parameter whole: the whole text, which an error names; nil if it is this one.
    static func hubAddress(_ text: String, of whole: String? = nil) throws(SocketAddressError) -> SocketAddress {
        do throws(SocketAddressError) {
            if text.hasPrefix("unix:") || text.hasPrefix("tcp:") { return try SocketAddress(text) }
            return try SocketAddress(tcp: text, of: text, defaultPort: hubPorts.clients)
        } catch {
            throw SocketAddressError(text: whole ?? text, problem: error.problem)
        }
    }

    /// Parses all values of `--via`; there is at least one.
    ///
    /// - Throws: `ValidationError` for a value that is not valid, occurs twice, or cannot be combined with others.
    static func all(_ texts: [String]) throws(ValidationError) -> [BearerChoice] {
        var choices: [BearerChoice] = []
        for text in texts {
            let choice: BearerChoice
            do {
                choice = try BearerChoice(text)
            } catch {
                throw ValidationError("\(error)")
            }
            guard !choices.contains(choice) else { throw ValidationError("--via \(text) is given twice.") }
            choices.append(choice)
        }
        guard choices.count == 1 || !choices.contains(.simulator) else {
            throw ValidationError(
                "--via simulator cannot be combined with other routes; run meshplan sim to reach a simulation through "
                    + "several gateways."
            )
        }
        return choices
    }
}
