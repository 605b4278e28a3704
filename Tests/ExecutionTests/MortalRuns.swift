import DefinitionModel
import MeshCore
import Simulator
import TestSupport
import Testing

/// What a run that is killed leaves behind: a database in a folder, and nodes that live on.
protocol KillableSite: AnyObject {
    var world: SimulatedWorld { get }
    var folder: DatabaseFolder { get }
    /// How often the user has interrupted the run so far.
    var interrupts: () -> Int { get set }
    /// Puts something between the executor and the simulated bearer.
    var wrap: (any Bearer) -> any Bearer { get set }
    /// Goes on with other files, as after the process died when they were copied.
    func reopen(_ files: DatabaseFolder) throws
}

/// Runs of a site whose process dies after so many packets, every third time the one after it, too.
final class MortalRuns {
    /// What the site's closures share with us. They must not hold the site, whose files would stay open for ever.
    private final class State {
        var deaths: [Int]
        var bearer: MortalBearer?

        init(deaths: [Int]) { self.deaths = deaths }
    }

    private let site: any KillableSite
    private let state: State

    /// - Parameter moment: after how many packets the first run dies; after even numbers the last packet is lost.
    init(_ site: any KillableSite, moment: Int) {
        self.site = site
        let state = State(deaths: [moment] + (moment.isMultiple(of: 3) ? [1 + moment / 3] : []))
        self.state = state
        site.interrupts = { state.bearer?.isDead == true ? 2 : 0 }
        site.wrap = { [unowned site] inner in
            let remaining = state.deaths.isEmpty ? nil : state.deaths.removeFirst()
            let mortal = MortalBearer(inner, remaining: remaining, losesLast: moment.isMultiple(of: 2)) {
                try site.folder.copy()
            }
            state.bearer = mortal
            return mortal
        }
    }

    /// From now on nobody dies.
    func endDeaths() { state.deaths = [] }

    /// Whether the last run died.
    var isDead: Bool { state.bearer?.isDead == true }

    /// Goes on with the files as they were when the last run died, two seconds later.
    ///
    /// - Returns: whether it died at all.
    func revive() throws -> Bool {
        guard let dead = state.bearer, dead.isDead else { return false }
        #expect(dead.failure == nil)
        try site.reopen(try required(dead.files))
        site.world.advance(to: site.world.now.advanced(by: .seconds(2)))
        dead.bury()
        return true
    }

    /// How many packets a run takes.
    static func packets(of site: any KillableSite, _ run: () throws -> Void) throws -> Int {
        var bearer: MortalBearer?
        site.wrap = { inner in
            let mortal = MortalBearer(inner, remaining: nil) { throw MissingValue() }
            bearer = mortal
            return mortal
        }
        defer { site.wrap = { $0 } }
        try run()
        return try required(bearer?.count)
    }
}
