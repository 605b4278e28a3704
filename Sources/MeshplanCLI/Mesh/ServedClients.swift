import Bearers
import MeshCore
import Simulator

/// Carries links, packets and advertisements between the clients of a frame server and a simulated world.
struct ServedClients {
    private let server: FrameServer
    private let world: SimulatedWorld
    private var links: [FrameServer.ClientLink: LinkIdentifier] = [:]
    private var clientLinks: [LinkIdentifier: FrameServer.ClientLink] = [:]
    private var scanners: Set<FrameServer.Client> = []

    /// Starts without clients.
    init(of server: FrameServer, in world: SimulatedWorld) {
        self.server = server
        self.world = world
    }

    /// Delivers to the clients what the world has for them.
    mutating func deliver() {
        for event in world.drain() {
            switch event {
            case .opened(let link, let size, _):
                if let client = clientLinks[link] { server.opened(client, maximumPacketSize: size) }
            case .received(let link, let packet):
                if let client = clientLinks[link] { server.send(packet, on: client) }
            case .closed(let link, let error):
                guard let client = clientLinks.removeValue(forKey: link) else { continue }
                links[client] = nil
                server.close(client, error)
            case .heard(let advertisement):
                for client in scanners.sorted() { server.heard(advertisement, by: client) }
            }
        }
    }

    /// Carries out a client's request in the world.
    mutating func handle(_ event: FrameServer.Event) {
        switch event {
        case .connect(let client, let target):
            let link = world.connect(to: target)
            links[client] = link
            clientLinks[link] = client
        case .received(let client, let packet):
            if let link = links[client] { world.inject(packet, on: link) }
        case .closed(let client):
            guard let link = links.removeValue(forKey: client) else { return }
            clientLinks[link] = nil
            world.disconnect(link)
        case .scan(let client, true):
            if scanners.insert(client).inserted { world.addScanner() }
        case .scan(let client, false):
            if scanners.remove(client) != nil { world.removeScanner() }
        case .came, .left, .turnedAway: break
        }
    }
}
