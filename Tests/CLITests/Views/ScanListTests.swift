import DefinitionModel
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("What a scan lists")
struct ScanListTests {
    private static let first = DeviceUUID(rawValue: Octets16(high: 1, low: 1))
    private static let second = DeviceUUID(rawValue: Octets16(high: 1, low: 2))

    private func device(
        _ uuid: DeviceUUID,
        from advertiser: UInt8,
        _ signal: Int8?,
        uri: UInt32? = nil
    ) -> Advertisement {
        Advertisement(
            advertiser: AdvertiserIdentifier(rawValue: [advertiser]),
            content: .unprovisioned(ProvisioningAdvertisement(uuid: uuid, oobInformation: 0x8020), uriHash: uri),
            signal: signal
        )
    }

    private func proxy(_ advertised: ProxyAdvertisement, from advertiser: UInt8, _ signal: Int8? = nil) -> Advertisement
    {
        Advertisement(
            advertiser: AdvertiserIdentifier(rawValue: [advertiser]),
            content: .proxy(advertised),
            signal: signal
        )
    }

    /// A network with a second subnet and a node in both.
    private func network() throws -> MeshNetwork {
        var generator = SplitMix64(seed: 3)
        var network = MeshNetwork.new(
            name: "villa",
            at: Timestamp(rawValue: 1_763_705_818),
            using: &generator
        )
        network.netKeys[0].name = "home"
        network.netKeys.append(
            NetKey(index: try required(NetKeyIndex(rawValue: 1)), name: "guests", key: .random(using: &generator))
        )
        var node = Node(
            uuid: Self.first,
            name: "lamp",
            unicastAddress: try required(UnicastAddress(rawValue: 0x0123)),
            deviceKey: .random(using: &generator)
        )
        node.netKeys = network.netKeys.map { NodeKey(index: $0.index) }
        network.nodes.append(node)
        return network
    }

    @Test("A device is listed once whatever addresses it has, with its best and its latest signal, the strongest first")
    func devices() {
        var list = ScanList(network: nil)
        let start = Instant.zero
        let heard = [
            device(Self.first, from: 1, -70), device(Self.second, from: 2, -60),
            device(Self.first, from: 3, -40, uri: 7),
            device(Self.first, from: 1, -90),
        ]
        let changes = heard.map { list.hear($0, at: start) }
        #expect(changes.map { $0 != nil } == [true, true, false, false])
        #expect(list.devices.map(\.uuid) == [Self.first, Self.second])
        #expect(list.devices[0].signal == ScanList.Signal(best: -40, last: -90, heardAt: start))
        #expect(list.devices[0].uriHash == 7)
        #expect(list.devices[0].information.names == ["number", "on device"])
    }

    @Test("Devices without a signal come last, in the order of their UUIDs")
    func unknownSignal() {
        var list = ScanList(network: nil)
        for (uuid, signal) in [(Self.second, nil), (Self.first, nil)] as [(DeviceUUID, Int8?)] {
            _ = list.hear(device(uuid, from: 1, signal), at: .zero)
        }
        let third = DeviceUUID(rawValue: Octets16(high: 9, low: 9))
        _ = list.hear(device(third, from: 3, -127), at: .zero)
        #expect(list.devices.map(\.uuid) == [third, Self.first, Self.second])
    }

    @Test("A proxy that is first known by its subnets and then by its node identity stays one line, under any address")
    func identified() throws {
        let network = try network()
        let schedules = KeySchedules()
        let home = schedules.subnet(network.netKeys[0].key)
        let guests = schedules.subnet(network.netKeys[1].key)
        let address = try required(UnicastAddress(rawValue: 0x0123))
        var list = ScanList(network: network)
        let appeared = list.hear(proxy(.networkID(home.networkID), from: 1, -50), at: .zero)
        guard case .appeared(.proxy) = appeared else { return #expect(appeared == nil) }
        #expect(list.hear(proxy(.networkID(guests.networkID), from: 1), at: .zero) == nil)
        let identity = ProxyAdvertisement.nodeIdentity(of: address, random: 5, credentials: home)
        let change = list.hear(proxy(identity, from: 1), at: .zero)
        guard case .identified(let identified) = change else { return #expect(change == nil) }
        #expect(identified.node == address && identified.subnets.map(\.rawValue) == [0, 1])
        let private_ = ProxyAdvertisement.privateNodeIdentity(of: address, random: 6, credentials: guests)
        #expect(list.hear(proxy(private_, from: 9, -30), at: .zero) == nil)
        #expect(list.proxies.count == 1 && list.proxies[0].signal.best == -30)
        #expect(ScanNames(definition: nil, network: network).name(at: address) == "lamp")
    }

    @Test("Proxies of other networks are counted once each; without a network all are listed as they are")
    func strangers() throws {
        var list = ScanList(network: try network())
        var raw = ScanList(network: nil)
        let heard = [
            proxy(.networkID(1), from: 1), proxy(.networkID(1), from: 1),
            proxy(.privateNetworkIdentity(hash: 3, random: 4), from: 2),
            proxy(.nodeIdentity(hash: 3, random: 4), from: 3),
        ]
        for advertisement in heard {
            #expect(list.hear(advertisement, at: .zero) == nil)
            _ = raw.hear(advertisement, at: .zero)
        }
        #expect(list.strangerCount == 3 && list.proxies.isEmpty)
        #expect(raw.strangerCount == 0 && raw.proxies.count == 3)
        #expect(raw.proxies[0].advertisement.title == "Network ID 0000000000000001")
    }

    @Test("Who falls silent leaves the list and appears anew when it is heard again")
    func silence() {
        var list = ScanList(network: nil)
        _ = list.hear(device(Self.first, from: 1, -50), at: .zero)
        _ = list.hear(proxy(.networkID(1), from: 2), at: .zero)
        let later = Instant.zero.advanced(by: .seconds(20))
        _ = list.hear(device(Self.second, from: 3, -50), at: later)
        let gone = list.dropSilent(since: Instant.zero.advanced(by: .seconds(5)))
        #expect(gone.count == 2 && list.devices.map(\.uuid) == [Self.second] && list.proxies.isEmpty)
        guard case .appeared = list.hear(proxy(.networkID(1), from: 2), at: later) else {
            Issue.record("it does not appear again")
            return
        }
    }
}
