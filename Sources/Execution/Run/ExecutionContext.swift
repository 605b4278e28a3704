package import DefinitionModel
package import MeshCore
package import Planning

/// What a run needs from outside beside database and bearer: who and when, interrupts, keys, and an ear for events.
package struct ExecutionContext {
    /// Why a key source gave no key.
    package struct KeyError: Error, Hashable, Sendable {
        /// What is wrong, a sentence without a full stop and without the key.
        package var message: String

        /// An error with that text.
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
    /// How many times the user has interrupted so far: at 1 no new message is sent and what is in flight finishes, at 2
    /// the run ends at once. Asked between events; a bearer returns early when a signal arrives.
    package var interrupts: () -> Int
    /// Makes or reads a key.
    package var key: (KeySource) throws(KeyError) -> KeyMaterial
    /// What is known of devices beside the radio, and who can see them.
    package var outOfBand: OutOfBandDesk
    /// New randomness for one provisioning session; cryptographically secure outside tests.
    package var provisioningSecrets: () -> ProvisioningSecrets
    /// Is told what happens, in order; a step's success only when it is durable.
    package var emit: (ExecutionEvent) -> Void

    /// A context with those parts.
    package init(
        user: String,
        host: String,
        now: @escaping () -> Timestamp,
        interrupts: @escaping () -> Int = { 0 },
        key: @escaping (KeySource) throws(KeyError) -> KeyMaterial,
        outOfBand: OutOfBandDesk = .unattended,
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

    /// Randomness of the operating system.
    package static func systemSecrets() -> ProvisioningSecrets {
        var generator = SystemRandomNumberGenerator()
        return ProvisioningSecrets.random(using: &generator)
    }
}

/// How a run is carried out.
package struct ExecutionOptions: Hashable, Sendable {
    /// Retries, deadlines, TTL.
    package var retry = RetryPolicy()
    /// The proxy link.
    package var link = LinkPolicy()
    /// As many links as are counted on beforehand, when it is not known yet what the bearer has; nil for as many as usual.
    package var expectedConnections: Int?
    /// The only proxy that may be used; nil for any.
    package var proxy: ProxyName?
    /// How often and how long devices are tried that are to be provisioned.
    package var provisioning = ProvisioningAttempts()
    /// Links used at once at most, at least 1; never more than the bearer has.
    package var maximumConnections = 8
    /// Nodes talked to at once at the start, at least 1; see ``WindowPolicy``.
    package var initialWindow = WindowPolicy().initial
    /// Nodes talked to at once at most, at least 1.
    package var maximumWindow = WindowPolicy().maximum
    /// Which composition pages beside page 0 are read with the configuration of nodes.
    package var pages = NodeReadBack.Pages.unread

    /// Whether nodes with the Opcodes Aggregator Server are read back in sequences: fewer messages and PDUs, but slower
    /// where PDUs get lost, since a lost segment holds up all that a sequence carries.
    package var readsInSequences = false

    /// The options described at each property.
    package init() {}
}
