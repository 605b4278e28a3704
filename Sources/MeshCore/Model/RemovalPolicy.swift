/// What happens to a node that has left the definition.
package enum RemovalPolicy: String, CaseIterable, Sendable {
    /// The node is no longer managed and keeps its configuration.
    case forget
    /// The node gets Config Node Reset.
    case reset
}
