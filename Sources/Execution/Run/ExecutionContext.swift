package import DefinitionModel
package import MeshCore
package import Planning

/// What a run needs beside the database and the bearer: user and clock, interrupts, keys, and a receiver of events.
package struct ExecutionContext {
    /// Why a key source gave no key.
    package struct KeyError: Error, Hashable, Sendable {
        /// What is wrong: a sentence without a full stop that does not contain the key.
        package var message: String

        package init(_ message: String) {
            self.message = message
        }
    }

    /// The user, for the journal.
    package var user: String
    /// The host, for the journal.
    package var host: String
    /// The calendar time.
    package var now: () -> Timestamp
    /// How often the user has interrupted so far. At 1 no new message is sent, and what is in flight finishes; at 2 the
    /// run ends at once. The run asks between events; a bearer returns early when a signal arrives.
    package var interrupts: () -> Int
    /// Makes or reads a key.
    package var key: (KeySource) throws(KeyError) -> KeyMaterial
    /// What is known of devices from outside the radio, and the person who can see them.
    package var outOfBand: OutOfBandPrompter
    /// New randomness for one provisioning session; cryptographically secure outside tests.
    package var provisioningSecrets: () -> ProvisioningSecrets
    /// Receives the events of the run in order. The success of a step comes only when it is durable.
    package var emit: (ExecutionEvent) -> Void

    package init(
        user: String,
        host: String,
        now: @escaping () -> Timestamp,
        interrupts: @escaping () -> Int = { 0 },
        key: @escaping (KeySource) throws(KeyError) -> KeyMaterial,
        outOfBand: OutOfBandPrompter = .unattended,
        provisioningSecrets: @escaping () -> ProvisioningSecrets = ExecutionContext.systemSecrets,
        emit: @escaping (ExecutionEvent) -> Void = { _ in }
    ) {
        self.user = user
        self.host = host
        self.now = now
        self.interrupts = interrupts
        self.key = key
        self.outOfBand = outOfBand
        self.provisioningSecrets = provisioningSecrets
        self.emit = emit
    }

    /// Random values of the operating system for one provisioning session.
    package static func systemSecrets() -> ProvisioningSecrets {
        var generator = SystemRandomNumberGenerator()
        return ProvisioningSecrets.random(using: &generator)
    }
}

/// How a run is carried out.
package struct ExecutionOptions: Hashable, Sendable {
    /// Retries, deadlines, TTL.
    package var retry = RetryPolicy()
    package var link = LinkPolicy()
    /// How many links to plan with while the number that the bearer has is unknown; nil for the usual number.
    package var expectedConnections: Int?
    /// The only proxy that may be used; nil for any.
    package var proxy: ProxyName?
    /// How often and how long the run tries devices that it is to provision.
    package var provisioning = ProvisioningAttempts()
    /// The greatest number of links used at once, at least 1; never more than the bearer has.
    package var maximumConnections = 8
    /// How many nodes the run talks to at once at the start, at least 1; see ``WindowPolicy``.
    package var initialWindow = WindowPolicy().initial
    /// The greatest number of nodes that the run talks to at once, at least 1.
    package var maximumWindow = WindowPolicy().maximum
    /// Which composition pages beside page 0 are read with the configuration of nodes.
    package var pages = NodeReadBack.Pages.unread

    /// Whether nodes with the Opcodes Aggregator Server are read back in sequences. That takes fewer messages and PDUs,
    /// but is slower where PDUs get lost: a lost segment delays everything in its sequence.
    package var readsInSequences = false

    /// The default of every option.
    package init() {}
}
