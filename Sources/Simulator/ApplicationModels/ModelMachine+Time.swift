import Catalogue
import MeshCore

// Time (Mesh Model 5.1.1, 5.2.1). A node without power no longer knows the time. From one run of the simulator to the
// next, all clocks stand still.

/// What a node knows of the time.
struct KnownTime: Hashable, Sendable {
    /// TAI in units of 1/256 s since 2000-01-01 at ``at``.
    var tai: Int64
    var at: Instant
    /// In units of 10 ms.
    var uncertainty: Int64
    /// Whether the source is reliable.
    var authority: Int64

    /// TAI in units of 1/256 s at an instant.
    func tai(at now: Instant) -> Int64 { tai + at.duration(to: now).microseconds * 256 / 1_000_000 }
}

extension ModelMachine {
    /// TAI in seconds; nil if the node does not know the time.
    func taiSeconds(_ element: Int) -> Int64? { models.times[element].map { $0.tai(at: now) / 256 } }

    /// The zone in quarters of an hour + 64, and TAI-UTC + 255, each as it is at present: what was announced takes
    /// effect at its time.
    private func current(_ item: StateItem, _ next: StateItem, _ change: StateItem, _ element: Int) -> Int64 {
        let time = self[change, element]
        guard time > 0, let seconds = taiSeconds(element), seconds >= time else { return self[item, element] }
        return self[next, element]
    }

    func zone(_ element: Int) -> Int64 { current(.zone, .nextZone, .zoneChange, element) }

    func taiUTCDelta(_ element: Int) -> Int64 {
        current(.taiUTCDelta, .nextTAIUTCDelta, .taiUTCDeltaChange, element)
    }

    /// The local time in seconds since 2000-01-01; nil if the node does not know the time.
    func localSeconds(_ element: Int) -> Int64? {
        taiSeconds(element).map { $0 - (taiUTCDelta(element) - 255) + (zone(element) - 64) * 900 }
    }

    private mutating func take(_ request: ModelRequest) {
        let values = request.values
        let element = request.element
        guard let tai = values.integer("tai"), tai > 0 else {
            models.times[element] = nil
            self[.clock, element] = 0
            return
        }
        self[.clock, element] = tai
        models.times[element] = KnownTime(
            tai: tai * 256 + (values.integer("subsecond") ?? 0),
            at: now,
            uncertainty: values.integer("uncertainty") ?? 0,
            authority: values.integer("authority") ?? 0
        )
        if let delta = values.integer("tai_utc_delta") { self[.taiUTCDelta, element] = delta }
        if let zone = values.integer("zone") { self[.zone, element] = zone }
        planSchedules()
    }

    /// Sets the clocks to what they were told in an earlier run.
    mutating func resumeClocks() {
        for element in elements.indices where self[.clock, element] > 0 {
            let tai = self[.clock, element] * 256
            models.times[element] = KnownTime(tai: tai, at: now, uncertainty: 0xFF, authority: 0)
        }
        planSchedules()
    }

    /// Announces a change of the zone or of TAI-UTC.
    private static func announce(
        _ field: String,
        _ item: StateItem,
        _ next: StateItem,
        _ change: StateItem
    ) -> Action {
        Action { machine, request in
            guard let value = request.values.integer(field), let time = request.values.integer("change") else { return }
            let element = request.element
            machine[item, element] = machine.current(item, next, change, element)
            machine[next, element] = value
            machine[change, element] = time
            machine.planSchedules()
        }
    }

    static let timeActions: [(String, Action)] = [
        ("time-set", Action { $0.take($1) }),
        (
            "time-status",
            Action { machine, request in
                // Only relays and clients take over the time of others, and only if it is not worse.
                guard machine[.timeRole, request.element] >= 2 else { return }
                if let known = machine.models.times[request.element] {
                    guard request.values.integer("authority") ?? 0 >= known.authority,
                        request.values.integer("uncertainty") ?? 255 <= known.uncertainty
                    else { return }
                }
                machine.take(request)
            }
        ),
        ("time-role-set", keep(["role": .timeRole])),
        ("time-zone-set", announce("new_zone", .zone, .nextZone, .zoneChange)),
        ("tai-utc-delta-set", announce("new_tai_utc_delta", .taiUTCDelta, .nextTAIUTCDelta, .taiUTCDeltaChange)),
    ]

    static let timeStatuses: [(String, Status)] = [
        (
            "time-status",
            { machine, element, _ in
                guard let time = machine.models.times[element] else { return ["tai": 0] }
                let tai = time.tai(at: machine.now)
                return [
                    "tai": .integer(tai / 256), "subsecond": .integer(tai % 256),
                    "uncertainty": .integer(time.uncertainty), "authority": .integer(time.authority),
                    "tai_utc_delta": .integer(machine.taiUTCDelta(element)), "zone": .integer(machine.zone(element)),
                ]
            }
        ),
        ("time-role-status", report([("role", .timeRole)])),
        (
            "time-zone-status",
            { machine, element, _ in
                [
                    "zone": .integer(machine.zone(element)), "new_zone": .integer(machine[.nextZone, element]),
                    "change": .integer(machine[.zoneChange, element]),
                ]
            }
        ),
        (
            "tai-utc-delta-status",
            { machine, element, _ in
                [
                    "tai_utc_delta": .integer(machine.taiUTCDelta(element)),
                    "new_tai_utc_delta": .integer(machine[.nextTAIUTCDelta, element]),
                    "change": .integer(machine[.taiUTCDeltaChange, element]),
                ]
            }
        ),
    ]
}
