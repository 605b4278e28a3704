import Bearers
import SystemLayer

/// Which gateways are connected to a hub, for all commands that want to know.
enum HubInquiry {
    /// Asks the hub.
    ///
    /// - Parameter address: where it serves clients; nil for the hub of this folder.
    /// - Throws: ``BearerError`` if it does not answer; the errors of ``Settings``.
    static func listing(at address: SocketAddress? = nil, in context: Context) throws -> HubListing {
        let address = try address ?? Settings.hub(context)
        return try HubListing.ask(address.resolved(in: context), wakeUp: context.interrupts.wakeUp)
    }
}
