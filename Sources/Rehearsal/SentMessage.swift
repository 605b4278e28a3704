import Execution
import MeshCore
import Simulator

/// What a step has sent: by whom, where to, and who is to act on it.
struct SentMessage {
    /// Who has sent it, for people: `the switch`.
    let sender: String
    /// The address of the element that sent it; nil if that is not known.
    let source: UnicastAddress?
    /// Where it goes; nil if it goes to several targets.
    let address: PublishAddress?
    /// Its application key; nil if it is not the same everywhere.
    let key: AppKeyIndex?
    /// Its TTL at the beginning; nil for the default of the node.
    let ttl: UInt8?
    /// The models that act on it.
    let servers: [ModelIdentifier]
    /// What the nodes answered to a command from outside.
    var answers: [DeviceUUID: StateSettingOutcome]?

    init(_ pressed: PressedSwitch) {
        self.init("the switch", pressed.source, pressed.publication, pressed.servers)
    }

    init(
        _ sender: String,
        _ source: UnicastAddress,
        _ publication: Publication,
        _ servers: [ModelIdentifier]
    ) {
        self.sender = sender
        self.source = source
        address = publication.address
        key = publication.appKeyIndex
        ttl = publication.ttl == Publication.defaultTTL ? nil : publication.ttl
        self.servers = servers
    }

    /// A command from outside.
    ///
    /// - Parameters:
    ///   - source: the address of our own node.
    ///   - address: the group that is operated; nil if it is none.
    init(
        commandFrom source: UnicastAddress?,
        to address: PublishAddress?,
        _ servers: [ModelIdentifier],
        answers: [DeviceUUID: StateSettingOutcome]
    ) {
        sender = "the command"
        self.source = source
        self.address = address
        key = nil
        ttl = nil
        self.servers = servers
        self.answers = answers
    }
}
