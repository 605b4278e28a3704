import MeshCore
import Simulator
import Testing

private let element0 = ServerBench.element0
private let one = ServerBench.one
private let app0 = ServerBench.app0
private let app1 = ServerBench.app1
private let server = TestNetwork.onOffServer
private let group = ServerBench.group

@Suite("ConfigurationServer: keys")
struct ConfigurationServerKeyTests {
    @Test("NetKey Add stores, repeats, refuses another value and runs out of room")
    func addNetKey() throws {
        var bench = ServerBench(limits: NodeLimits(netKeys: 2))
        let key = TestNetwork.key(0x11)
        #expect(try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: key))?.status == .success)
        #expect(try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: key))?.status == .success)
        let other = ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(0x99))
        #expect(try bench.ask(other)?.status == .keyIndexAlreadyStored)
        let third = ConfigNetKeyAdd(netKeyIndex: TestNetwork.netKey(2), key: key)
        #expect(try bench.ask(third)?.status == .insufficientResources)
        #expect(try bench.ask(ConfigNetKeyGet())?.netKeyIndexes == [.primary, one])
        #expect(bench.state.netKey(one)?.key == key)
    }

    @Test("NetKey Delete takes AppKeys, bindings and publications along")
    func deleteNetKey() throws {
        var bench = ServerBench()
        _ = try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(0x11)))
        _ = try bench.ask(ConfigAppKeyAdd(netKeyIndex: one, appKeyIndex: app0, key: TestNetwork.key(0x20)))
        _ = try bench.ask(ConfigModelAppBind(elementAddress: element0, appKeyIndex: app0, model: server))
        _ = try bench.ask(
            ConfigModelPublicationSet(
                elementAddress: element0,
                publishAddress: Address(rawValue: group),
                settings: PublicationSettings(appKeyIndex: app0),
                model: server
            )
        )
        #expect(bench.state.elements[0].models[2].publication != nil)
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: one))?.status == .success)
        #expect(bench.state.appKeys.isEmpty)
        #expect(bench.state.elements[0].models[2].bindings.isEmpty)
        #expect(bench.state.elements[0].models[2].publication == nil)
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: one))?.status == .success, "not there counts as done")
    }

    @Test("The NetKey that secures the request, and the last one, cannot be deleted")
    func lastNetKey() throws {
        var bench = ServerBench()
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: .primary))?.status == .cannotRemove)
        _ = try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(0x11)))
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: .primary))?.status == .cannotRemove)
        bench.netKeyIndex = one
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: .primary))?.status == .success)
    }

    @Test("A key refresh goes through its phases and nowhere else")
    func keyRefresh() throws {
        var bench = ServerBench()
        let old = TestNetwork.key(0x10)
        let new = TestNetwork.key(0x90)
        let newApp = TestNetwork.key(0x91)
        _ = try bench.ask(ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: app0, key: TestNetwork.key(0x20)))
        let updateApp = ConfigAppKeyUpdate(netKeyIndex: .primary, appKeyIndex: app0, key: newApp)
        let toPhase2 = ConfigKeyRefreshPhaseSet(netKeyIndex: .primary, transition: .useNewKeys)
        let toPhase3 = ConfigKeyRefreshPhaseSet(netKeyIndex: .primary, transition: .revokeOldKeys)

        #expect(try bench.ask(updateApp)?.status == .cannotUpdate, "not outside a key refresh")
        #expect(try bench.ask(toPhase2)?.status == .cannotUpdate)
        #expect(try bench.ask(toPhase3)?.status == .success, "phase 3 is where it is")
        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: old))?.status == .cannotUpdate)

        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: new))?.status == .success)
        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: new))?.status == .success)
        #expect(
            try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: TestNetwork.key(0x92)))?.status
                == .cannotUpdate
        )
        #expect(try bench.ask(ConfigKeyRefreshPhaseGet(netKeyIndex: .primary))?.phase == .keyDistribution)
        #expect(bench.state.netKey(.primary)?.oldKey == old)
        #expect(try bench.ask(updateApp)?.status == .success)
        #expect(try bench.ask(updateApp)?.status == .success)
        #expect(
            try bench.ask(
                ConfigAppKeyUpdate(netKeyIndex: .primary, appKeyIndex: app0, key: TestNetwork.key(0x93))
            )?.status == .keyIndexAlreadyStored
        )

        let inPhase2 = try bench.ask(toPhase2)
        #expect(inPhase2?.status == .success && inPhase2?.phase == .usingNewKeys)
        #expect(try bench.ask(toPhase2)?.phase == .usingNewKeys)
        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: new))?.status == .cannotUpdate)
        #expect(try bench.ask(updateApp)?.status == .cannotUpdate)

        #expect(try bench.ask(toPhase3)?.phase == .normal)
        #expect(bench.state.netKey(.primary)?.key == new && bench.state.netKey(.primary)?.oldKey == nil)
        #expect(bench.state.appKey(app0)?.key == newApp && bench.state.appKey(app0)?.oldKey == nil)
    }

    @Test("Requests about NetKeys that the node does not have are refused")
    func unknownNetKey() throws {
        var bench = ServerBench()
        let key = TestNetwork.key(1)
        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: one, key: key))?.status == .invalidNetKeyIndex)
        #expect(
            try bench.ask(ConfigAppKeyAdd(netKeyIndex: one, appKeyIndex: app0, key: key))?.status
                == .invalidNetKeyIndex
        )
        #expect(
            try bench.ask(ConfigAppKeyUpdate(netKeyIndex: one, appKeyIndex: app0, key: key))?.status
                == .invalidNetKeyIndex
        )
        #expect(
            try bench.ask(ConfigAppKeyDelete(netKeyIndex: one, appKeyIndex: app0))?.status == .invalidNetKeyIndex
        )
        #expect(try bench.ask(ConfigAppKeyGet(netKeyIndex: one))?.status == .invalidNetKeyIndex)
        #expect(try bench.ask(ConfigKeyRefreshPhaseGet(netKeyIndex: one))?.status == .invalidNetKeyIndex)
        #expect(
            try bench.ask(ConfigKeyRefreshPhaseSet(netKeyIndex: one, transition: .useNewKeys))?.status
                == .invalidNetKeyIndex
        )
        #expect(try bench.ask(ConfigNodeIdentityGet(netKeyIndex: one))?.status == .invalidNetKeyIndex)
        #expect(
            try bench.ask(ConfigNodeIdentitySet(netKeyIndex: one, isEnabled: true))?.status == .invalidNetKeyIndex
        )
    }

    @Test("AppKeys are added, refused and deleted by the rules")
    func appKeys() throws {
        var bench = ServerBench(limits: NodeLimits(appKeys: 1))
        _ = try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(0x11)))
        let key = TestNetwork.key(0x20)
        let add = ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: app0, key: key)
        #expect(try bench.ask(add)?.status == .success)
        #expect(try bench.ask(add)?.status == .success)
        #expect(
            try bench.ask(
                ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: app0, key: TestNetwork.key(0x99))
            )?.status == .keyIndexAlreadyStored
        )
        #expect(
            try bench.ask(ConfigAppKeyAdd(netKeyIndex: one, appKeyIndex: app0, key: key))?.status
                == .invalidNetKeyIndex
        )
        #expect(
            try bench.ask(ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: app1, key: key))?.status
                == .insufficientResources
        )
        #expect(
            try bench.ask(ConfigAppKeyUpdate(netKeyIndex: .primary, appKeyIndex: app1, key: key))?.status
                == .invalidAppKeyIndex
        )
        #expect(
            try bench.ask(ConfigAppKeyUpdate(netKeyIndex: one, appKeyIndex: app0, key: key))?.status
                == .invalidBinding
        )
        #expect(
            try bench.ask(ConfigAppKeyDelete(netKeyIndex: one, appKeyIndex: app0))?.status == .invalidBinding
        )
        #expect(try bench.ask(ConfigAppKeyGet(netKeyIndex: .primary))?.appKeyIndexes == [app0])
        #expect(try bench.ask(ConfigAppKeyGet(netKeyIndex: one))?.appKeyIndexes == [])
        let delete = ConfigAppKeyDelete(netKeyIndex: .primary, appKeyIndex: app0)
        #expect(try bench.ask(delete)?.status == .success)
        #expect(try bench.ask(delete)?.status == .success)
        #expect(bench.state.appKeys.isEmpty)
    }

    @Test("Node Identity follows the GATT proxy")
    func nodeIdentity() throws {
        var bench = ServerBench()
        let start = ConfigNodeIdentitySet(netKeyIndex: .primary, isEnabled: true)
        #expect(try bench.ask(start)?.status == .temporarilyUnableToChangeState)
        _ = try bench.ask(ConfigGATTProxySet(isEnabled: true))
        #expect(try bench.ask(start)?.identity == .running)
        _ = try bench.ask(ConfigGATTProxySet(isEnabled: false))
        #expect(try bench.ask(ConfigNodeIdentityGet(netKeyIndex: .primary))?.identity == .stopped)
        var without = ServerBench(TestNetwork.node(0, proxy: .notSupported))
        let refused = try without.ask(start)
        #expect(refused?.status == .featureNotSupported && refused?.identity == .notSupported)
    }
}
