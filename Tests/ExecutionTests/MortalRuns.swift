import Execution
import Foundation
import MeshCore
import Simulator
import TestSupport
import Testing

/// Runs of a site whose process dies after so many packets, every third time the one after it, too.
final class MortalRuns {
    private let site: Site
    private var deaths: [Int]
    private var bearer: MortalBearer?

    /// - Parameter moment: after how many packets the first run dies; after even numbers the last packet is lost.
    init(_ site: Site, moment: Int) {
        self.site = site
        deaths = [moment] + (moment.isMultiple(of: 3) ? [1 + moment / 3] : [])
        site.interrupts = { self.isDead ? 2 : 0 }
        site.wrap = { inner in
            let remaining = self.deaths.isEmpty ? nil : self.deaths.removeFirst()
            let mortal = MortalBearer(inner, remaining: remaining, losesLast: moment.isMultiple(of: 2)) {
                try site.copyFiles()
            }
            self.bearer = mortal
            return mortal
        }
    }

    /// From now on nobody dies.
    func endDeaths() { deaths = [] }

    /// Whether the last run died.
    var isDead: Bool { bearer?.isDead == true }

    /// Goes on with the files as they were when the last run died, two seconds later.
    ///
    /// - Returns: whether it died at all.
    func revive() throws -> Bool {
        guard let dead = bearer, dead.isDead else { return false }
        #expect(dead.failure == nil)
        try site.reopen(try required(dead.files))
        site.world.advance(to: site.world.now.advanced(by: .seconds(2)))
        dead.bury()
        return true
    }

    /// How many packets a run takes.
    static func packets(of site: Site, _ run: () throws -> Void) throws -> Int {
        var bearer: MortalBearer?
        site.wrap = { inner in
            let mortal = MortalBearer(inner, remaining: nil) { throw MissingValue() }
            bearer = mortal
            return mortal
        }
        try run()
        return try required(bearer?.count)
    }
}
