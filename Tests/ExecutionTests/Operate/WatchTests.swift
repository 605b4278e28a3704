import Catalogue
import Execution
import MeshCore
import Simulator
import Store
import TestSupport
import Testing

@Suite("Watching a simulated house")
struct WatchTests {
    /// Two proxies; the switch of lamp 3 publishes to the kitchen, to which lamps 1 and 2 listen.
    private func site() throws -> Site {
        var network = try LitHouse.network(lamps: 3)
        network.nodes[2].features.proxy = .enabled
        let place = try required(network.nodes[3].elements[0].place(of: House.onOffClient))
        network.nodes[3].elements[0].models[place].bindings = [try LitHouse.lightKey()]
        network.nodes[3].elements[0].models[place].publication = Publication(
            address: .group(try required(GroupAddress(rawValue: 0xC001))),
            appKeyIndex: try LitHouse.lightKey()
        )
        return try Site(network: network)
    }

    private func texts(_ messages: [WatchedMessage]) -> [String] {
        messages.map { message in
            guard case .states(let states, let isSet) = message.content, let state = states.first,
                case .value(let value, target: _, remaining: _) = state.reading
            else { return "\(message.content)" }
            let number = value.integer("onoff") ?? -1
            return "\(message.place?.node ?? -1) \(isSet ? "sets" : "has") \(state.state.name) \(number) "
                + "at \(message.destination)"
        }
    }

    @Test("Who presses a switch is seen, and the lamps are lit")
    func press() throws {
        let site = try site()
        let network = try site.network
        let reader = WatchReader(network)
        var heard: [WatchedMessage] = []
        var filters: [WatchLink.Coverage] = []
        var times: [Duration] = []
        let ending = try site.execute { executor in
            executor.watch(WatchSelection().wish(in: network), for: .seconds(30)) { event, elapsed in
                switch event {
                case .listening(let link):
                    filters.append(link.coverage)
                    #expect(throws: Never.self) { try site.world.press(uuid(3), element: 0, isOn: true) }
                case .message(let message):
                    heard.append(reader.read(message))
                    times.append(elapsed)
                case .lost, .heartbeat: Issue.record("\(event)")
                }
            }
        }
        #expect(ending == .completed && filters == [.listed(6)])
        #expect(texts(heard) == ["3 sets onoff 1 at 0xC001"])
        #expect(heard.first?.model == House.onOffClient)
        #expect(times.allSatisfy { $0 > .zero && $0 < .seconds(30) })
        #expect(site.world.now >= Instant.zero.advanced(by: .seconds(30)), "the clock of the bearer ends it")
        #expect(site.world.lights.filter { $0.level > 0 }.map(\.name) == ["lamp-1", "lamp-2"])
        let stored = try site.database.snapshot().replay.map(\.source.rawValue)
        #expect(stored.contains(0x0030), "the switch cannot be replayed to whoever is next")
    }

    @Test("When the proxy loses its power another one is found, and told")
    func anotherProxy() throws {
        let site = try site()
        let network = try site.network
        var told: [String] = []
        var proxies: [UnicastAddress] = []
        let ending = try site.execute { executor in
            executor.watch(WatchSelection().wish(in: network), for: .seconds(300)) { event, _ in
                switch event {
                case .listening(let link):
                    told.append("listening")
                    guard let proxy = link.proxy else { return }
                    proxies.append(proxy)
                    if proxies.count == 1 {
                        site.world.setFaults(NodeFaults(isOff: true), of: uuid(UInt64(proxy.rawValue / 0x10)))
                    } else {
                        #expect(throws: Never.self) { try site.world.press(uuid(3), element: 0, isOn: false) }
                    }
                case .lost: told.append("lost")
                case .message: told.append("message")
                case .heartbeat: Issue.record("\(event)")
                }
            }
        }
        #expect(ending == .completed)
        #expect(told == ["listening", "lost", "listening", "message"])
        #expect(Set(proxies.map(\.rawValue)) == [0x0010, 0x0020])
    }

    @Test("It ends at an interrupt, and when nobody wants more")
    func endings() throws {
        let site = try site()
        let network = try site.network
        var isHeard = false
        site.interrupts = { isHeard ? 1 : 0 }
        let wish = WatchSelection().wish(in: network)
        let interrupted = try site.execute { $0.watch(wish, for: nil) { _, _ in isHeard = true } }
        #expect(interrupted == .interrupted)
        site.interrupts = { 0 }
        var isOver = false
        let ended = try site.execute { $0.watch(wish, for: nil, while: { !isOver }) { _, _ in isOver = true } }
        #expect(ended == .completed)
    }

    @Test("A network that is out of reach is an error, not a long silence")
    func nobody() throws {
        let site = try site()
        for lamp in 1...3 { site.world.setFaults(NodeFaults(isOff: true), of: uuid(UInt64(lamp))) }
        let wish = WatchSelection().wish(in: try site.network)
        let ending = try site.execute { $0.watch(wish, for: nil) { event, _ in Issue.record("\(event)") } }
        guard case .linkFailed = ending else {
            Issue.record("\(ending)")
            return
        }
    }
}
