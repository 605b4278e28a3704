package import MeshCore

/// The settings of a node, a profile or an entry of the defaults; nil means that it does not manage the value.
package struct NodeSettings: Hashable, Sendable {
    /// Subnets whose NetKeys the node has beyond those that its application keys need.
    package var subnets: Located<[Located<String>]>?
    /// Application keys that the node has beyond those its models need.
    package var applicationKeys: Located<[Located<String>]>?
    /// The default TTL, 0 or 2...127.
    package var defaultTTL: Located<UInt8>?
    package var secureNetworkBeacon: Located<Bool>?
    package var relay: Located<Bool>?
    /// GATT proxy on or off.
    package var proxy: Located<Bool>?
    package var friend: Located<Bool>?
    package var networkTransmit: Located<TransmitParameters>?
    package var relayRetransmit: Located<TransmitParameters>?
    /// States of the foundation models, each once.
    package var states: [Located<StateDefinition>]
    /// The complete list of entries of the bridging table.
    package var bridgingTable: Located<[BridgeDefinition]>?
    /// The Networked Lighting Control profiles that the node is meant to fulfil, each once.
    package var lightingProfiles: Located<[Located<NLCProfile>]>?
    /// Elements by index.
    package var elements: [UInt8: ElementDefinition]

    package init() {
        states = []
        elements = [:]
    }
}
