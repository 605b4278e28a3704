import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("ActionInquiries")
struct ActionInquiriesTests {
    private static let lamp = ModelAddress(element: 0, model: House.onOffServer)
    private static let vendor = ModelAddress(element: 1, model: House.vendorModel)
    private static let label = LabelUUID(rawValue: Octets16(high: 0x0073_E7E4_D8B9_440F, low: 0xAF84_15DF_4C56_C0E1))

    private static func network() throws -> MeshNetwork {
        var network = try House.network(lamps: 1)
        let index = try required(AppKeyIndex(rawValue: 3))
        network.appKeys = [AppKey(index: index, name: "light", boundNetKey: .primary, key: secret(0x20))]
        return network
    }

    private func inquiries(_ action: ConfigurationAction, in network: MeshNetwork? = nil) throws -> ActionInquiries {
        ActionInquiries(action, node: try unicast(0x0010), network: try network ?? Self.network())
    }

    private static func cases() throws -> [(ConfigurationAction, request: Opcode, readBack: Opcode)] {
        let key = try required(AppKeyIndex(rawValue: 3))
        let group = SubscriptionAddress.group(try required(GroupAddress(rawValue: 0xC000)))
        let transmit = TransmitParameters(octet: 0x0A)
        let publication = Publication(address: .virtual(label), appKeyIndex: key)
        return [
            (.readComposition(page: 0), 0x8008, 0x8008),
            (.addNetKey(.primary), 0x8040, 0x8042),
            (.deleteNetKey(.primary), 0x8041, 0x8042),
            (.addAppKey(key, boundTo: .primary), 0x00, 0x8001),
            (.deleteAppKey(key, boundTo: .primary), 0x8000, 0x8001),
            (.bind(lamp, key), 0x803D, 0x804B),
            (.unbind(vendor, key), 0x803F, 0x804D),
            (.addSubscription(lamp, group), 0x801B, 0x8029),
            (.addSubscription(vendor, .virtual(label)), 0x8020, 0x802B),
            (.deleteSubscription(lamp, group), 0x801C, 0x8029),
            (.deleteSubscription(lamp, .virtual(label)), 0x8021, 0x8029),
            (.overwriteSubscriptions(lamp, group), 0x801E, 0x8029),
            (.overwriteSubscriptions(lamp, .virtual(label)), 0x8022, 0x8029),
            (.deleteAllSubscriptions(lamp), 0x801D, 0x8029),
            (.setPublication(lamp, publication), 0x801A, 0x8018),
            (.setPublication(lamp, nil), 0x03, 0x8018),
            (.setDefaultTTL(5), 0x800D, 0x800C),
            (.setSecureNetworkBeacon(true), 0x800A, 0x8009),
            (.setRelay(true, transmit), 0x8027, 0x8026),
            (.setProxy(true), 0x8013, 0x8012),
            (.setFriend(false), 0x8010, 0x800F),
            (.setNetworkTransmit(transmit), 0x8024, 0x8023),
            (.set(.heartbeatPublication(.off(netKeyIndex: .primary))), 0x8039, 0x8038),
            (.set(.heartbeatSubscription(.off)), 0x803B, 0x803A),
            (.set(.nodeIdentity(.primary, .stopped)), 0x8047, 0x8046),
            (.set(.sarTransmitter(.standard)), 0x806D, 0x806C),
            (.set(.sarReceiver(.standard)), 0x8070, 0x806F),
            (.set(.privateBeacon(PrivateBeaconState(isEnabled: true))), 0x8061, 0x8060),
            (.set(.privateGATTProxy(.enabled)), 0x8064, 0x8063),
            (.set(.onDemandPrivateProxy(seconds: 1)), 0x806A, 0x8069),
            (.set(.privateNodeIdentity(.primary, .running)), 0x8067, 0x8066),
            (.set(.subnetBridge(true)), 0x80B2, 0x80B1),
            (.addBridging(try entry(0x20)), 0x80B4, 0x80B9),
            (.removeBridging(try entry(0x20)), 0x80B5, 0x80B9),
            (.removeAllBridging(try entry(0x20).subnets), 0x80B5, 0x80B9),
        ]
    }

    private static func entry(_ second: UInt16) throws -> BridgingTableEntry {
        BridgingTableEntry(
            subnets: NetKeyIndexPair(first: .primary, second: try required(House.guests)),
            addresses: BridgedAddresses(first: .first, second: Address(rawValue: second), directions: .oneWay)
        )
    }

    @Test("A long bridging table is read back part by part")
    func longTable() throws {
        let entry = try Self.entry(0x4000)
        func list(from start: UInt16, _ addresses: [UInt16]) throws -> [UInt8] {
            BridgingTableList(
                status: .success,
                subnets: entry.subnets,
                startIndex: start,
                entries: try addresses.map { try Self.entry($0).addresses }
            ).encoded
        }
        for isAdded in [true, false] {
            let action: ConfigurationAction = isAdded ? .addBridging(entry) : .removeBridging(entry)
            let inquiries = try inquiries(action)
            #expect(try inquiries.readBack().verdict(on: list(from: 0, [2, 3])) == .continues(at: 2))
            let next = try inquiries.readBack(from: 2)
            #expect(try next.verdict(on: list(from: 0, [2, 3])) == nil, "that is the part before")
            #expect(try next.verdict(on: list(from: 2, [4])) == .continues(at: 3))
            #expect(try next.verdict(on: list(from: 2, [])) == (isAdded ? .doesNotHold : .holds(action)))
            #expect(try next.verdict(on: list(from: 2, [4, 0x4000])) == (isAdded ? .holds(action) : .doesNotHold))
        }
    }

    @Test("A node that rounds a value is told as it reports it; a count that runs down is as good")
    func reports() throws {
        var rounded = SARTransmitterState.standard
        rounded.segmentIntervalStep = 9
        let request = try inquiries(.set(.sarTransmitter(.standard))).request()
        guard case .differs(let words, told: _)? = request.verdict(on: SARTransmitterStatus(state: rounded).encoded)
        else {
            Issue.record("no difference")
            return
        }
        #expect(words.hasPrefix("SAR Transmitter: segment interval 100ms"))
        var heartbeat = HeartbeatPublication.off(netKeyIndex: .primary)
        heartbeat.destination = Address(rawValue: 0xC000)
        heartbeat.countLog = HeartbeatPublicationCountLog(rawValue: 5)
        heartbeat.periodLog = try required(HeartbeatPeriodLog(rawValue: 2))
        let action = ConfigurationAction.set(.heartbeatPublication(heartbeat))
        var settings = try required(heartbeat.settings)
        settings.countLog = .off
        let status = ConfigHeartbeatPublicationStatus(status: .success, settings: settings).encoded
        #expect(try inquiries(action).request().verdict(on: status) == .holds(action))
        #expect(try inquiries(action).readBack().verdict(on: status) == .holds(action))
        heartbeat.countLog = nil
        #expect(throws: StepFailure.self) { try inquiries(.set(.heartbeatPublication(heartbeat))).request() }
    }

    @Test("Every action has its request and the Get that reads it back")
    func opcodes() throws {
        for (action, request, readBack) in try Self.cases() {
            let inquiries = try inquiries(action)
            #expect(try inquiries.request().payload.starts(with: request.encoded), "\(action)")
            #expect(try inquiries.readBack().payload.starts(with: readBack.encoded), "\(action)")
            #expect(inquiries.prelude == nil)
        }
    }

    @Test("Every action survives the journal")
    func journal() throws {
        for (action, _, _) in try Self.cases() {
            #expect(try ConfigurationAction(decoding: action.encoded) == action)
            #expect(throws: DecodeError.self) { try ConfigurationAction(decoding: action.encoded + [0]) }
        }
    }

    @Test("A Relay Set that keeps the retransmit asks for it first")
    func relay() throws {
        let inquiries = try inquiries(.setRelay(true, nil))
        let prelude = try required(inquiries.prelude)
        let retransmit = TransmitParameters(octet: 0x2B)
        let status = ConfigRelayStatus(state: .disabled, retransmit: retransmit).encoded
        #expect(prelude.verdict(on: status) == .relayRetransmit(retransmit))
        #expect(
            prelude.verdict(on: ConfigRelayStatus(state: .notSupported, retransmit: retransmit).encoded)
                == .featureNotSupported
        )
        #expect(throws: StepFailure.self) { try inquiries.request() }
        let enabled = ConfigRelayStatus(state: .enabled, retransmit: retransmit).encoded
        #expect(try inquiries.readBack().verdict(on: enabled) == .holds(.setRelay(true, retransmit)))
        #expect(try inquiries.readBack().verdict(on: status) == .doesNotHold)
    }

    @Test("A read-back takes the status of the request too, should that come late")
    func lateStatus() throws {
        let key = try required(AppKeyIndex(rawValue: 3))
        let action = ConfigurationAction.addAppKey(key, boundTo: .primary)
        let readBack = try inquiries(action).readBack()
        let status = ConfigAppKeyStatus(status: .success, netKeyIndex: .primary, appKeyIndex: key)
        #expect(readBack.verdict(on: status.encoded) == .holds(action))
        let list = ConfigAppKeyList(status: .success, netKeyIndex: .primary, appKeyIndexes: [])
        #expect(readBack.verdict(on: list.encoded) == .doesNotHold)
    }

    @Test("A node without the NetKey has none of its AppKeys")
    func withoutSubnet() throws {
        let key = try required(AppKeyIndex(rawValue: 3))
        let list = ConfigAppKeyList(status: .invalidNetKeyIndex, netKeyIndex: .primary, appKeyIndexes: []).encoded
        let add = ConfigurationAction.addAppKey(key, boundTo: .primary)
        let delete = ConfigurationAction.deleteAppKey(key, boundTo: .primary)
        #expect(try inquiries(add).readBack().verdict(on: list) == .doesNotHold)
        #expect(try inquiries(delete).readBack().verdict(on: list) == .holds(delete))
    }

    @Test("A bridging table between subnets is removed if nothing is left of it, as on a node without one of them")
    func removedTable() throws {
        let entry = try Self.entry(0x4000)
        let action = ConfigurationAction.removeAllBridging(entry.subnets)
        func verdict(_ status: ConfigStatusCode, _ entries: [BridgedAddresses]) throws -> ConfigurationVerdict? {
            let list = BridgingTableList(status: status, subnets: entry.subnets, startIndex: 0, entries: entries)
            return try inquiries(action).readBack().verdict(on: list.encoded)
        }
        #expect(try verdict(.success, []) == .holds(action))
        #expect(try verdict(.success, [entry.addresses]) == .doesNotHold)
        #expect(try verdict(.invalidNetKeyIndex, []) == .holds(action))
        #expect(try verdict(.unspecifiedError, []) == .refused(.unspecifiedError))
    }

    @Test("While keys are distributed a node is given the keys in use, and after that the new ones")
    func keysInUse() throws {
        let index = try required(AppKeyIndex(rawValue: 3))
        var network = try Self.network()
        network.netKeys[0].oldKey = secret(0x91)
        network.appKeys[0].oldKey = secret(0x92)
        for phase in [KeyRefreshPhase.keyDistribution, .usingNewKeys] {
            network.netKeys[0].phase = phase
            let target = ConfigurationTarget(try unicast(0x0010), in: network)
            let isOld = phase == .keyDistribution
            #expect(try target.key(.primary) == (isOld ? secret(0x91) : network.netKeys[0].key), "\(phase)")
            #expect(try target.key(index) == (isOld ? secret(0x92) : network.appKeys[0].key), "\(phase)")
        }
    }

    @Test("A label is recognised by its hash, and another label's status is not its own")
    func labels() throws {
        let action = ConfigurationAction.addSubscription(Self.lamp, .virtual(Self.label))
        let address = Self.label.virtualAddress
        func status(_ address: Address) throws -> [UInt8] {
            try ConfigModelSubscriptionStatus(
                status: .success,
                elementAddress: unicast(0x0010),
                address: address,
                model: House.onOffServer
            ).encoded
        }
        let request = try inquiries(action).request()
        #expect(try request.verdict(on: status(address)) == .holds(action))
        let other = Address(rawValue: address.rawValue ^ 1)
        #expect(try request.verdict(on: status(other)) != .holds(action))
        let list = ConfigSIGModelSubscriptionList(
            status: .success,
            elementAddress: try unicast(0x0010),
            listedModel: SIGModelIdentifier(model: 0x1000),
            entries: [address]
        )
        #expect(try inquiries(action).readBack().verdict(on: list.encoded) == .holds(action))
    }

    @Test("While keys are distributed a new node gets the key in use")
    func keyRefresh() throws {
        var network = try Self.network()
        network.netKeys[0].oldKey = secret(0x99)
        network.netKeys[0].phase = .keyDistribution
        let payload = try inquiries(.addNetKey(.primary), in: network).request().payload
        #expect(payload == ConfigNetKeyAdd(netKeyIndex: .primary, key: secret(0x99)).encoded)
        network.netKeys[0].phase = .usingNewKeys
        let later = try inquiries(.addNetKey(.primary), in: network).request().payload
        #expect(later == ConfigNetKeyAdd(netKeyIndex: .primary, key: secret(0x10)).encoded)
    }

    @Test(
        "What a node has that refuses a new network key is told by its phase",
        arguments: [.normal, .keyDistribution, .usingNewKeys] as [KeyRefreshPhase]
    )
    func refusedNetKey(phase: KeyRefreshPhase) throws {
        let action = ConfigurationAction.updateNetKey(.primary)
        let answer = ConfigKeyRefreshPhaseStatus(status: .success, netKeyIndex: .primary, phase: phase).encoded
        for status in [ConfigStatusCode.cannotUpdate, .keyIndexAlreadyStored] {
            let inquiry = try inquiries(action).inquiry(afterRefusal: status, isOnlySubnet: true)
            let expected: ConfigurationVerdict =
                switch phase {
                case .usingNewKeys: .holds(action)
                case .keyDistribution: .doesNotHold
                case .normal where status == .keyIndexAlreadyStored:
                    .holds(.setKeyRefreshPhase(.primary, .revokeOldKeys))
                case .normal: .refused(status)
                }
            #expect(inquiry.verdict(on: answer) == expected)
            // Under the key of another subnet it does not show which key it has.
            let other = try inquiries(action).inquiry(afterRefusal: status, isOnlySubnet: false)
            #expect(other.verdict(on: answer) == (phase == .usingNewKeys ? .doesNotHold : expected))
        }
    }

    @Test("What cannot be made says why, without a key in it")
    func unmakeable() throws {
        let absent = try required(AppKeyIndex(rawValue: 77))
        let action = ConfigurationAction.addAppKey(absent, boundTo: .primary)
        #expect(throws: StepFailure.unmakeable("the database has no application key 77")) {
            try inquiries(action).request()
        }
        let far = ModelAddress(element: 9, model: House.onOffServer)
        let last = ActionInquiries(.deleteAllSubscriptions(far), node: .last, network: try Self.network())
        #expect(throws: StepFailure.self) { try last.request() }
    }

    @Test("Rubbish and truncated answers say nothing")
    func rubbish() throws {
        let request = try inquiries(.setDefaultTTL(5)).request()
        for payload in [[], [0x7F], [0x80], [0x80, 0x0E], [0x80, 0x0E, 0x01], [0x80, 0x0E, 5, 5], [0xFF, 1, 2]]
            as [[UInt8]]
        {
            #expect(request.verdict(on: payload) == nil)
        }
    }

    @Test("An index that holds another key is a failure that says what to do")
    func alreadyStored() {
        let failure = StepFailure.refused(.keyIndexAlreadyStored)
        #expect(failure.description.contains("Key Index Already Stored (0x06)"))
        #expect(failure.advice.contains("delete the key from the node"))
    }
}
