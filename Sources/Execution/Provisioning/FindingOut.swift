import MeshCore

/// Devices of which an earlier attempt may have made nodes, and the DeviceKey under which each is asked: a value without
/// input or output.
struct FindingOut {
    private struct Candidate {
        /// The DeviceKeys that it may have, the likeliest first.
        let keys: [KeyMaterial]
        /// Which of them is tried next, or is being tried.
        var next = 0
        var isAsking = false
        /// Whether its Node Identity was heard: then it is a node, whatever it answers.
        var isIdentified = false
        /// When it is given up, should neither be heard.
        let deadline: Instant

        var hasKey: Bool { next < keys.count }
    }

    private var open: [DeviceUUID: Candidate] = [:]
    /// Whether a proxy of the network was heard.
    private(set) var hasHeardProxy = false

    /// Whether there are none.
    var isEmpty: Bool { open.isEmpty }

    /// All of them, sorted.
    var devices: [DeviceUUID] { open.keys.sorted() }

    /// Whether it is being found out about a device.
    func contains(_ device: DeviceUUID) -> Bool { open[device] != nil }

    /// Begins with a device.
    ///
    /// - Parameters:
    ///   - keys: those that it may have, the likeliest first.
    ///   - deadline: when it is given up, should it be heard neither as a device nor as a node.
    mutating func begin(_ device: DeviceUUID, keys: [KeyMaterial], until deadline: Instant) {
        open[device] = Candidate(keys: keys, deadline: deadline)
    }

    /// Whether a device can be asked under a further key.
    func canAsk(_ device: DeviceUUID) -> Bool { open[device].map { !$0.isAsking && $0.hasKey } ?? false }

    /// A device is being asked.
    mutating func ask(_ device: DeviceUUID) {
        open[device]?.isAsking = true
    }

    /// The key that is tried; nil if all were.
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
            // It was off when it was asked before.
            if open[device]?.isAsking == false { open[device]?.next = 0 }
        }
    }

    /// Until when a device is waited for that was not heard; nil if that makes no sense.
    ///
    /// - Parameter canCarry: whether a question could leave.
    func patience(for device: DeviceUUID, at now: Instant, canCarry: Bool) -> Instant? {
        guard let candidate = open[device], now < candidate.deadline, candidate.hasKey, candidate.isAsking || canCarry
        else { return nil }
        return candidate.deadline
    }

    /// Whether a device that no step is about has had its time.
    ///
    /// - Parameters:
    ///   - end: when the time for such devices is over.
    ///   - isCarried: whether questions are under way.
    func isOver(_ device: DeviceUUID, at now: Instant, end: Instant, isCarried: Bool) -> Bool {
        guard let candidate = open[device] else { return false }
        let isAnswerAwaited = candidate.isAsking && isCarried
        return now >= end && !(isAnswerAwaited && candidate.hasKey) || now >= candidate.deadline
    }

    /// Ends with a device; whether it was being asked, nil if it was not found out about.
    mutating func end(_ device: DeviceUUID) -> Bool? { open.removeValue(forKey: device)?.isAsking }

    /// Ends with all.
    mutating func endAll() {
        open = [:]
    }
}
