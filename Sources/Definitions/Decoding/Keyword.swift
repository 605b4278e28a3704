/// The keys of definitions and of files with devices and secrets. Their order is that of their symbols, so a key is
/// recognised by its number.
enum Keyword: String, CaseIterable {
    case version
    case network
    case subnets
    case applicationKeys = "application_keys"
    case groups
    case profiles
    case nodes
    case subscriptions
    case publications
    case index
    case key
    case file
    case environment = "env"
    case subnet
    case address
    case label
    case parent
    case uuid
    case profile
    case tags
    case protect
    case onRemove = "on_remove"
    case ttl
    case features
    case relay
    case proxy
    case friend
    case secureNetworkBeacon = "secure_network_beacon"
    case networkTransmit = "network_transmit"
    case relayRetransmit = "relay_retransmit"
    case elements
    case count
    case interval
    case keys
    case subscribe
    case publish
    case models
    case node
    case element
    case model
    case to
    case period
    case retransmit
    case friendshipCredentials = "friendship_credentials"
    case provisioning
    case require
    case limits
    case removals
    case outOfBand = "oob"
    case staticValue = "static"
    case publicKey = "public_key"
    case algorithm
    case attention
    case products
    case devices
    case company
    case product
    case replayList = "replay_list"
    case sharedSubscriptionLists = "shared_subscription_lists"
    case location
    case algorithms
    case bearers
    case output
    case input
    case actions
    case size
    case requiresAuthentication = "requires_authentication"
    case outOfBandInformation = "oob_information"
    case uri
    case privateKey = "private_key"
    case defaults
    case moved
    case from
    case heartbeat
    case nodeIdentity = "node_identity"
    case sarTransmitter = "sar_transmitter"
    case sarReceiver = "sar_receiver"
    case privateBeacon = "private_beacon"
    case privateGATTProxy = "private_gatt_proxy"
    case onDemandPrivateProxy = "on_demand_private_proxy"
    case privateNodeIdentity = "private_node_identity"
    case subnetBridge = "subnet_bridge"
    case state
    case table
    case addresses
    case direction
    case randomUpdateInterval = "random_update_interval"
    case segmentInterval = "segment_interval"
    case unicastRetransmissions = "unicast_retransmissions"
    case unicastRetransmissionsWithoutProgress = "unicast_retransmissions_without_progress"
    case unicastRetransmissionsInterval = "unicast_retransmissions_interval"
    case unicastRetransmissionsIntervalIncrement = "unicast_retransmissions_interval_increment"
    case multicastRetransmissions = "multicast_retransmissions"
    case multicastRetransmissionsInterval = "multicast_retransmissions_interval"
    case segmentsThreshold = "segments_threshold"
    case acknowledgmentDelayIncrement = "acknowledgment_delay_increment"
    case acknowledgmentRetransmissions = "acknowledgment_retransmissions"
    case receiverSegmentInterval = "receiver_segment_interval"
    case discardTimeout = "discard_timeout"
    case via
    case composition
    case compositionAfterUpdate = "composition_after_update"
    case quirks
    case allowEmpty = "allow_empty"
    case types
    case messages
    case states
    case fields
    case opcode
    case answer
    case get
    case set
    case unacknowledged
    case lasting
    case client
    case tests
    case forEach = "for_each"
    case without
    case steps
    case press
    case sense
    case fault
    case wait
    case powerOff = "power_off"
    case powerOn = "power_on"
    case within
    case expect
    case others
    case checks
    case have
    case severity
    case atLeast = "at_least"
    case atMost = "at_most"
    case nlc
    case recall
    case tag
    case faults
    case arrives
    case hops
    case scenes
    case schedules
    case timeZone = "time_zone"
    case when
    case deed = "do"
    case modules
    case use
    case module
    case parameters
    case type
    case defaultValue = "default"
    case description
    case repetition = "for"
    case rows
    case with
    case override
    case each
    case include
    case variables
    case values
    case floors
    case floor
    case position
    case positions
    case x
    case y
    case title
    case plan
    case width
    case height

    /// All keywords; the index is the symbol.
    static let all = allCases

    /// Its symbol. It takes a search, so it is for tables.
    var symbol: UInt32 { UInt32(Keyword.all.firstIndex(of: self) ?? 0) }

    init?(symbol: UInt32) {
        guard symbol < Keyword.all.count else { return nil }
        self = Keyword.all[Int(symbol)]
    }
}
