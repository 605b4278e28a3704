package import MeshCore

/// A run over the networks of a fleet, as it is stored: whoever finds it can go on with it.
package struct FleetRunRecord: Hashable, Sendable {
    /// Whether jobs of the run may begin.
    package enum State: Int64, CaseIterable, Sendable {
        /// They may.
        case open = 0
        case stopped = 1
        /// Too many networks have failed.
        case failed = 2
        /// Nothing is left to do.
        case done = 3
    }

    /// What was asked for. It holds no secret.
    package struct Request: Hashable, Sendable {
        package var user = ""
        package var host = ""
        package var began = Timestamp(rawValue: 0)
        /// The command that each network gets.
        package var command = "apply"
        /// The command line that made the run, without passwords, for people.
        package var words: [String] = []
        /// The ways to every network that replace those of the fleet's list.
        package var via: [String] = []
        /// Files with devices of a simulator; those below the folder of the fleet are relative to it.
        package var devices: [String] = []
        /// Further arguments of each command.
        package var extra: [String] = []
        /// What a wave must pass: the names of the gates.
        package var gates: [String] = []
        /// The run that this one takes back; nil if it takes none back.
        package var takesBack: String?
        /// The saved plans that the run applies; nil if it makes them itself.
        package var plans: Plans?

        /// Saved plans of a fleet.
        package struct Plans: Hashable, Sendable {
            /// Their folder; one below the folder of the fleet is relative to it.
            package var path: String
            /// The digest over all of them.
            package var digest: String

            package init(path: String, digest: String) {
                self.path = path
                self.digest = digest
            }
        }

        package init() {}
    }

    /// Eight hexadecimal digits.
    package var id: String
    /// Whether jobs may begin.
    package var state = State.open
    /// The present wave, from 1 on.
    package var wave = 1
    package var waves: Int
    /// How many networks may fail before no further job begins; nil for any number.
    package var mostFailures: Int?
    /// Why somebody has stopped it; empty if nobody has.
    package var reason = ""
    package var request: Request

    package init(id: String, waves: Int, mostFailures: Int?, request: Request) {
        self.id = id
        self.waves = waves
        self.mostFailures = mostFailures
        self.request = request
    }
}

/// What a run does to one network, or the decision at the end of a wave.
package struct FleetJob: Hashable, Sendable {
    /// How far it is.
    package enum State: Int64, CaseIterable, Sendable {
        case waiting = 0
        /// A worker has it, or had it and was not heard of since.
        case running = 1
        case done = 2
        /// It has failed, was done in part, or has not passed a gate.
        case failed = 3
        /// It was left out, because it could not be planned.
        case skipped = 4
    }

    /// What is known of it. It holds no secret.
    package struct Notes: Hashable, Encodable, Sendable {
        /// The digest of the plan that was approved, or of its rest.
        package var digest: String?
        /// The digests of the approved plan and of rests of it that were begun before, oldest first.
        package var begun: [String] = []
        /// The serial to go back to, for a job that takes changes back.
        package var target: UInt64?
        /// Whether a state is restored at that serial, because no definition was in force.
        package var isRestoring = false
        /// The serial of the network's database before the first attempt began.
        package var serialBefore: UInt64?
        /// The serial after the last attempt.
        package var serialAfter: UInt64?
        /// The entries that it has in the history of the network.
        package var entries: [UInt64] = []
        /// What became of it, in a few words.
        package var summary = ""

        /// Its members as JSON.
        enum CodingKeys: String, CodingKey {
            case digest, begun, target, serialBefore, serialAfter, entries, summary
            case isRestoring = "restoring"
        }

        /// Nothing is known yet.
        package init() {}
    }

    /// Its number within the run, from 1 on, in the order in which jobs begin.
    package var number: Int
    /// Its wave, from 1 on.
    package var wave: Int
    /// The name of the network; empty for the decision at the end of the wave.
    package var network: String
    package var state = State.waiting
    /// How many workers have begun it. The number of the attempt distinguishes one claim from the next.
    package var attempts = 0
    /// The worker that has it, or had it last; empty before the first.
    package var worker = ""
    /// The number with which its command ended; nil before.
    package var status: Int32?
    package var notes = Notes()

    package init(number: Int, wave: Int, network: String) {
        self.number = number
        self.wave = wave
        self.network = network
    }

    /// Whether it is the decision at the end of a wave.
    package var isGate: Bool { network.isEmpty }

    /// Whether it has changed the network's database.
    package var hasChanged: Bool {
        guard let before = notes.serialBefore, let after = notes.serialAfter else { return false }
        return after > before
    }
}

/// A process that takes jobs of a run.
package struct FleetWorkerRecord: Hashable, Sendable {
    /// Distinguishes it from all others, and names it for people: `anna@desk 4711-9f3a`.
    package var id: String
    package var since: Timestamp
    /// Until when its claims hold if it gives no other sign of life, by the clock of the place; nil if it has not
    /// joined.
    package var until: Timestamp?

    package init(id: String, since: Timestamp, until: Timestamp? = nil) {
        self.id = id
        self.since = since
        self.until = until
    }
}
