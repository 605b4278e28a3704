/// Something that devices of shipped products do otherwise than the specification wants it, or leave out although
/// others expect it: for simulators, so that whoever talks to nodes learns to cope with it.
package enum DeviceHabit: Hashable, Sendable {
    /// The proxy sends no Secure Network Beacon when a client connects (BTstack).
    case noBeacon
    /// The proxy knows Set Filter Type alone: it neither answers nor obeys Add Addresses and Remove Addresses, but puts
    /// the source of every message of a client on the list, as it must (BTstack; Mesh Protocol 6.4).
    case noAddAddresses
    /// The proxy's Filter Status says 0 addresses, however many there are.
    case miscountsFilter
    /// The proxy puts the address of its client on the accept list as soon as the client sets the type of the filter,
    /// and counts it.
    case addsClient
    /// The node answers Node Reset and leaves its network only five seconds later.
    case resetsLate
    /// The node leaves its network before its Node Reset Status is sent, so that nobody hears one (bluetooth-meshd).
    case resetsBeforeStatus
    /// The node answers Node Reset and stays what it is (NimBLE).
    case ignoresReset
    /// Company and model of vendor models are exchanged in what the node answers (BTstack).
    case swappedVendorIdentifiers
    /// Heartbeat Publication Status has the NetKeyIndex 0xFFFF as long as there is no destination (NimBLE).
    case answersFFFF
    /// The status of a request with a label names the address 0x0000 (BTstack).
    case zeroVirtualAddress
    /// NetKey List has four octets, which no number of indexes gives (BTstack after a reset of its own).
    case shortNetKeyList
    /// AppKey List names a NetKeyIndex that nobody asked about.
    case wrongKeyIndex
    /// Bindings and publications of an AppKey stay when the key is deleted, and cannot be taken away any more
    /// (bluetooth-meshd).
    case keepsBindings
    /// The Remote Provisioning Server forgets an open link once the time is over that it was given to open it, without
    /// a word, and does not answer to Link Open while the device still waits; a repeated PDU begins its transfer anew
    /// (bluetooth-meshd 5.87).
    case forgetsRemoteLink
    /// The node neither answers nor obeys requests with that opcode.
    case silent(Opcode)

    /// All habits without an opcode, in the order of their names in documents.
    package static let plain: [DeviceHabit] = [
        .noBeacon, .noAddAddresses, .miscountsFilter, .addsClient, .resetsLate, .resetsBeforeStatus, .ignoresReset,
        .swappedVendorIdentifiers, .answersFFFF, .zeroVirtualAddress, .shortNetKeyList, .wrongKeyIndex, .keepsBindings,
        .forgetsRemoteLink,
    ]

    /// What stands before the opcode in the name of ``silent(_:)``.
    package static let silentPrefix = "silent-get:"

    /// Its name in files with devices: `no-beacon`, or `silent-get:0x8038`.
    package var name: String {
        switch self {
        case .noBeacon: "no-beacon"
        case .noAddAddresses: "no-add-addresses"
        case .miscountsFilter: "miscounts-filter"
        case .addsClient: "adds-client"
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

    /// The habit of that name; nil if there is none.
    package init?(name: String) {
        if let habit = Self.plain.first(where: { $0.name == name }) {
            self = habit
            return
        }
        let digits = name.dropFirst(Self.silentPrefix.count + 2)
        guard name.hasPrefix(Self.silentPrefix + "0x"), digits.allSatisfy(\.isHexDigit),
            let opcode = UInt32(digits, radix: 16).flatMap(Opcode.init(rawValue:))
        else { return nil }
        self = .silent(opcode)
    }
}
