package import MeshCore

/// How far a run is by its own clock, told about once a second.
package struct RunFigures: Hashable, Sendable {
    /// The time since the run began.
    package var elapsed: Duration
    /// The messages sent, including repeated ones and read-backs.
    package var messages: Int
    /// How many of them repeated a request.
    package var retries: Int
    package var links: Int
    /// The nodes that were asked and have not answered, the one that waits longest first.
    package var asked: [DeviceUUID]

    package init(elapsed: Duration, messages: Int = 0, retries: Int = 0, links: Int = 0, asked: [DeviceUUID] = []) {
        self.elapsed = elapsed
        self.messages = messages
        self.retries = retries
        self.links = links
        self.asked = asked
    }
}
