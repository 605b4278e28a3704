/// What a hub has passed on and refused since it began, as far as no event tells it.
package struct HubTraffic: Hashable, Sendable {
    /// The octets from clients to gateways.
    package internal(set) var sent = 0
    /// The octets from gateways to clients.
    package internal(set) var received = 0
    /// How many calls gateways have answered.
    package internal(set) var answers = 0
    /// How long they have taken for that in all, from the call to the connection of the gateway.
    package internal(set) var answerTime = Duration.zero
    /// How many connections were dropped or refused because too many came.
    package internal(set) var floods = 0
}
