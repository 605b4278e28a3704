import Basics
import DefinitionModel
import MeshCore
import Planning

/// The devices of a queue in the order of their arrival, with their timers.
///
/// A device keeps its place after it has left, so that lists of places need no search.
struct QueuedDevices {
    /// A device's timer; the earlier one is the smaller.
    private struct DeviceTimer: Comparable {
        let instant: Instant
        let place: Int

        static func < (left: DeviceTimer, right: DeviceTimer) -> Bool {
            (left.instant, left.place) < (right.instant, right.place)
        }
    }

    private var entries: [DeviceUUID: QueuedDevice] = [:]
    /// Devices by place.
    private var arrivals: [DeviceUUID] = []
    /// A timer that was set again or stopped stays until its instant, and is passed over then.
    private var timers = MinimumHeap<DeviceTimer>()

    var isEmpty: Bool { entries.isEmpty }

    var count: Int { entries.count }

    var inOrder: [QueuedDevice] { entries.values.sorted { $0.place < $1.place } }

    /// A device; nil if it is not in the queue. Devices come in with ``add(_:at:)``.
    subscript(uuid: DeviceUUID) -> QueuedDevice? {
        get { entries[uuid] }
        _modify { yield &entries[uuid] }
    }

    /// The device that arrived at a place; nil if it has left.
    subscript(place place: Int) -> QueuedDevice? {
        entries[arrivals[place]].flatMap { $0.place == place ? $0 : nil }
    }

    mutating func add(_ order: ProvisioningOrder, at now: Instant) {
        entries[order.uuid] = QueuedDevice(order: order, place: arrivals.count, since: now)
        arrivals.append(order.uuid)
    }

    // MARK: Timers

    /// The instant of the earliest timer, including outdated ones.
    var nextDeadline: Instant? { timers.minimum?.instant }

    /// Sets the timer of a device, or stops it.
    mutating func setTimer(_ instant: Instant?, of uuid: DeviceUUID) {
        guard let entry = entries[uuid] else { return }
        entries[uuid]?.timer = instant
        if let instant { timers.insert(DeviceTimer(instant: instant, place: entry.place)) }
    }

    /// Stops the earliest timer that is due.
    ///
    /// - Returns: its device; nil if no timer is due.
    mutating func takeDue(at now: Instant) -> DeviceUUID? {
        while let timer = timers.minimum, timer.instant <= now {
            _ = timers.popMinimum()
            guard let entry = self[place: timer.place], entry.timer == timer.instant else { continue }
            entries[entry.order.uuid]?.timer = nil
            return entry.order.uuid
        }
        return nil
    }

    // MARK: Those who are missing

    /// Which nodes are to listen for missing devices.
    ///
    /// - Parameter patience: how long the bearer alone listens for the devices that it may reach.
    func listeners(after patience: Duration, at now: Instant) -> ProvisioningQueue.Listeners {
        var nodes: Set<DeviceUUID> = []
        for entry in entries.values where entry.isMissing(for: patience, at: now) {
            guard let node = entry.order.route.server else { return .all }
            nodes.insert(node)
        }
        return .some(nodes)
    }

    func isWanted(_ uuid: DeviceUUID, through node: DeviceUUID) -> Bool {
        entries[uuid]?.mayGo(through: node) ?? false
    }

    /// The next missing device that a node may reach, in the order of arrival.
    ///
    /// - Parameter place: where to begin; 0 for the first device.
    /// - Returns: the device, and where to continue; nil if there is none up to the end.
    func missing(
        from place: Int,
        through node: DeviceUUID,
        after patience: Duration,
        at now: Instant
    ) -> (uuid: DeviceUUID, next: Int)? {
        guard place < arrivals.count else { return nil }
        for place in place..<arrivals.count {
            guard let entry = entries[arrivals[place]], entry.place == place, entry.mayGo(through: node),
                entry.isMissing(for: patience, at: now)
            else { continue }
            return (arrivals[place], place + 1)
        }
        return nil
    }
}
