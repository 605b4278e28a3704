import MeshCore

/// Devices that an earlier attempt may have made nodes, and the DeviceKey under which each is asked. A value without
/// input or output.
struct FindingOut {
    private struct Candidate {
        /// The DeviceKeys that the device may have, the likeliest first.
        let keys: [KeyMaterial]
        /// The position of the key that is tried next, or is being tried.
        var next = 0
        var isAsking = false
        /// Whether its Node Identity was heard. Then it is a node, even if it does not answer.
        var isIdentified = false
        /// When to give up if it is heard neither as a device nor as a node.
        let deadline: Instant

        var hasKey: Bool { next < keys.count }
    }

    private var open: [DeviceUUID: Candidate] = [:]
    private(set) var hasHeardProxy = false

    var isEmpty: Bool { open.isEmpty }

    /// All such devices, sorted.
    var devices: [DeviceUUID] { open.keys.sorted() }

    func contains(_ device: DeviceUUID) -> Bool { open[device] != nil }

    /// Begins to find out about a device.
    ///
    /// - Parameters:
    ///   - keys: the keys that it may have, the likeliest first.
    ///   - deadline: when to give up if it is heard neither as a device nor as a node.
    mutating func begin(_ device: DeviceUUID, keys: [KeyMaterial], until deadline: Instant) {
        open[device] = Candidate(keys: keys, deadline: deadline)
    }

    /// Whether a device can be asked under a further key.
    func canAsk(_ device: DeviceUUID) -> Bool { open[device].map { !$0.isAsking && $0.hasKey } ?? false }

    mutating func ask(_ device: DeviceUUID) {
        open[device]?.isAsking = true
    }

    /// The key that is tried; nil if all were tried.
    func key(of device: DeviceUUID) -> KeyMaterial? { open[device].flatMap { $0.hasKey ? $0.keys[$0.next] : nil } }

    /// Nobody answered under the key that was tried.
    mutating func unanswered(_ device: DeviceUUID) {
        open[device]?.isAsking = false
        open[device]?.next += 1
    }

    /// A proxy was heard.
    ///
    /// - Parameter isIt: whether its Node Identity is that of a device.
    mutating func heardProxy(_ isIt: (DeviceUUID) -> Bool) {
        hasHeardProxy = true
        for device in devices where open[device]?.isIdentified == false && isIt(device) {
            open[device]?.isIdentified = true
            // The device was off when it was asked before.
            if open[device]?.isAsking == false { open[device]?.next = 0 }
        }
    }

    /// Until when to wait for a device that was not heard; nil if waiting makes no sense.
    ///
    /// - Parameter canCarry: whether a question can be sent.
    func patience(for device: DeviceUUID, at now: Instant, canCarry: Bool) -> Instant? {
        guard let candidate = open[device], now < candidate.deadline, candidate.hasKey, candidate.isAsking || canCarry
        else { return nil }
        return candidate.deadline
    }

    /// Whether the time is over for a device that no step names.
    ///
    /// - Parameters:
    ///   - end: when the time for such devices is over.
    ///   - isCarried: whether a link carries questions.
    func isOver(_ device: DeviceUUID, at now: Instant, end: Instant, isCarried: Bool) -> Bool {
        guard let candidate = open[device] else { return false }
        let isAnswerAwaited = candidate.isAsking && isCarried
        return now >= end && !(isAnswerAwaited && candidate.hasKey) || now >= candidate.deadline
    }

    /// Stops finding out about a device. Returns whether it was being asked; nil if there was nothing to stop.
    mutating func end(_ device: DeviceUUID) -> Bool? { open.removeValue(forKey: device)?.isAsking }

    mutating func endAll() {
        open = [:]
    }
}
