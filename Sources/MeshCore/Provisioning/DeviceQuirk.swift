/// A way in which shipped products deviate from the specification or from what others expect. Simulators have it so
/// that clients learn to cope with it.
package enum DeviceQuirk: Hashable, Sendable {
    /// The proxy sends no Secure Network beacon when a client connects (BTstack).
    case noBeacon
    /// The proxy knows only Set Filter Type: it neither answers nor obeys Add Addresses and Remove Addresses. As it
    /// must, it puts the source of every message of a client on the list (BTstack; Mesh Protocol 6.4).
    case noAddAddresses
    /// The proxy's Filter Status reports 0 addresses, however many there are.
    case miscountsFilter
    /// The proxy puts the address of its client on the accept list and counts it, as soon as the client sets the type
    /// of the filter.
    case addsClient
    /// The proxy takes what its client sends only for itself. It sends nothing of it over the advertising bearer,
    /// although its GATT proxy is on (BTstack).
    case noForwarding
    /// The node answers Node Reset, but leaves its network only five seconds later.
    case resetsLate
    /// The node leaves its network before it sends its Node Reset Status, so nobody receives one (bluetooth-meshd).
    case resetsBeforeStatus
    /// The node answers Node Reset, but does not reset (NimBLE).
    case ignoresReset
    /// The node's answers contain company and model of vendor models in the wrong order (BTstack).
    case swappedVendorIdentifiers
    /// Heartbeat Publication Status has the NetKeyIndex 0xFFFF while there is no destination (NimBLE).
    case answersFFFF
    /// The status of a request with a label has the address 0x0000 (BTstack).
    case zeroVirtualAddress
    /// NetKey List has four octets, which no number of indexes takes (BTstack after a reset by itself).
    case shortNetKeyList
    /// AppKey List has another NetKeyIndex than the request.
    case wrongKeyIndex
    /// Bindings and publications of an AppKey remain when the key is deleted, and can no longer be removed
    /// (bluetooth-meshd).
    case keepsBindings
    /// When the time allowed for opening a link is over, the Remote Provisioning Server silently forgets the link even
    /// if it is open. Link Open gets no answer while the device still waits, and a repeated PDU starts its transfer
    /// again (bluetooth-meshd 5.87).
    case forgetsRemoteLink
    /// The node neither answers nor obeys requests with that opcode.
    case silent(Opcode)

    /// All quirks without an opcode, in the order of their names in documents.
    package static let plain: [DeviceQuirk] = [
        .noBeacon, .noAddAddresses, .miscountsFilter, .addsClient, .noForwarding, .resetsLate, .resetsBeforeStatus,
        .ignoresReset, .swappedVendorIdentifiers, .answersFFFF, .zeroVirtualAddress, .shortNetKeyList, .wrongKeyIndex,
        .keepsBindings, .forgetsRemoteLink,
    ]

    /// The text before the opcode in the name of ``silent(_:)``.
    package static let silentPrefix = "silent-get:"

    /// Its name in files of devices: `no-beacon`, or `silent-get:0x8038`.
    package var name: String {
        switch self {
        case .noBeacon: "no-beacon"
        case .noAddAddresses: "no-add-addresses"
        case .miscountsFilter: "miscounts-filter"
        case .addsClient: "adds-client"
        case .noForwarding: "no-forwarding"
        case .resetsLate: "resets-late"
        case .resetsBeforeStatus: "resets-before-status"
        case .ignoresReset: "ignores-reset"
        case .swappedVendorIdentifiers: "swapped-vendor-ids"
        case .answersFFFF: "answers-ffff"
        case .zeroVirtualAddress: "zero-virtual-address"
        case .shortNetKeyList: "short-netkey-list"
        case .wrongKeyIndex: "wrong-key-index"
        case .keepsBindings: "keeps-bindings"
        case .forgetsRemoteLink: "remote-link-forgets"
        case .silent(let opcode): Self.silentPrefix + "0x" + String(opcode.rawValue, radix: 16, uppercase: true)
        }
    }

    package init?(name: String) {
        if let quirk = Self.plain.first(where: { $0.name == name }) {
            self = quirk
            return
        }
        let digits = name.dropFirst(Self.silentPrefix.count + 2)
        guard name.hasPrefix(Self.silentPrefix + "0x"), digits.allSatisfy(\.isHexDigit),
            let opcode = UInt32(digits, radix: 16).flatMap(Opcode.init(rawValue:))
        else { return nil }
        self = .silent(opcode)
    }
}
