import MeshCore
import TLS

/// What a client shows to a gateway, and how it recognises the gateway.
struct GatewayCredentials {
    let name: String
    /// Settings of TLS sessions with the gateway.
    let context: TLSContext

    /// The credentials for an address `gateway://[NAME@]HOST:PORT`.
    ///
    /// - Parameter name: the part before the `@`; nil for the only pairing that exists.
    /// - Throws: ``Failure`` that lists the pairings, or says what is wrong with the chosen one.
    static func find(_ name: String?, in context: Context) throws -> GatewayCredentials {
        let pairing = try choose(name, among: try GatewayPairing.all(in: context), in: context)
        let identity = try GatewayPairing.identity(pairing.clientPath, role: .client, in: context)
        return GatewayCredentials(name: pairing.name, context: try TLSContext(identity, role: .client))
    }

    private static func choose(
        _ name: String?,
        among pairings: [GatewayPairing],
        in context: Context
    ) throws(Failure) -> GatewayPairing {
        let names = pairings.map(\.name).joined(separator: ", ")
        if let name {
            let pairing = try GatewayPairing(name, in: context)
            if let found = pairings.first(where: { $0.name == name }) { return found }
            if pairing.exists {
                throw Failure(
                    .failure,
                    "the pairing with gateway \(name) has no \(pairing.clientPath), which we show to the gateway",
                    hint: pairing.ownFileAdvice
                )
            }
            throw Failure(
                .failure,
                "there is no pairing with a gateway \(name)",
                hint: (pairings.isEmpty ? "" : "There are: \(names). ") + howToBegin(pairing.name)
            )
        }
        guard let only = pairings.first else {
            throw Failure(.failure, "no gateway is paired with this folder", hint: howToBegin("NAME"))
        }
        guard pairings.count == 1 else {
            throw Failure(
                .usage,
                "several gateways are paired with this folder: \(names)",
                hint: "Name one, as in gateway://\(only.name)@HOST:PORT."
            )
        }
        return only
    }

    private static func howToBegin(_ name: String) -> String {
        "Make a pairing with meshplan gateway pair \(name), or put the file that you were given to "
            + "\(GatewayPairing.allFolder)/\(name)/client.pem."
    }
}
