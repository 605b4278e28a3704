import Basics
import MeshCore
import Planning

/// Whose turn it is to be provisioned: the places of devices that were heard, by the way to reach them, and of those
/// that wait for the person.
///
/// A place stays in its line after its device has left or moved to another line, and is then passed over. So the
/// devices are an input wherever a turn is given.
struct ProvisioningTurns {
    /// Devices that the bearer reaches.
    private var direct = MinimumHeap<Int>()
    /// Devices that only a server reaches, by server.
    private var remote: [UnicastAddress: MinimumHeap<Int>] = [:]
    /// Devices that wait for the person.
    private var forPerson = MinimumHeap<Int>()
    /// The device that has the person's attention.
    var personHolder: DeviceUUID?

    /// Whether no device was heard, apart from those that wait for the person.
    var isEmpty: Bool { remote.isEmpty && direct.isEmpty }

    /// The servers that may reach a device, sorted.
    var servers: [UnicastAddress] { remote.keys.sorted() }

    /// Whether the person may attend to a device: no other device has the attention.
    func isPersonFree(for uuid: DeviceUUID) -> Bool { personHolder == nil || personHolder == uuid }

    /// A device no longer needs the person.
    mutating func releasePerson(of uuid: DeviceUUID) {
        if personHolder == uuid { personHolder = nil }
    }

    /// Puts a device at the line for its path.
    mutating func wait(_ device: QueuedDevice) {
        switch device.path {
        case .remote(let server): remote[server, default: MinimumHeap<Int>()].insert(device.place)
        case nil, .direct: direct.insert(device.place)
        }
    }

    /// Puts a device at the line for the person.
    mutating func waitForPerson(_ device: QueuedDevice) {
        forPerson.insert(device.place)
    }

    /// Returns a device that ``takeDirect(of:)`` gave to its line.
    mutating func putBack(_ device: QueuedDevice) {
        if device.needsPerson { forPerson.insert(device.place) } else { direct.insert(device.place) }
    }

    /// Takes the next device that the bearer reaches; one that needs the person comes first.
    mutating func takeDirect(of devices: QueuedDevices) -> DeviceUUID? {
        let isDirect: (ProvisioningPath) -> Bool = { if case .direct = $0 { true } else { false } }
        if let uuid = takeForPerson(of: devices, where: isDirect) { return uuid }
        while let place = direct.popMinimum() {
            if let device = devices[place: place], case .ready = device.state { return device.order.uuid }
        }
        return nil
    }

    /// Takes the next device that a server reaches and the bearer does not.
    mutating func takeRemote(at server: UnicastAddress, of devices: QueuedDevices) -> DeviceUUID? {
        while let place = remote[server]?.popMinimum() {
            guard let device = devices[place: place], case .ready = device.state, device.path == .remote(server) else {
                continue
            }
            return device.order.uuid
        }
        remote[server] = nil
        return nil
    }

    /// Takes the first of the devices that wait for the person, if the person is free and the device's path is
    /// available.
    mutating func takeForPerson(
        of devices: QueuedDevices,
        where isUsable: (ProvisioningPath) -> Bool
    ) -> DeviceUUID? {
        guard personHolder == nil else { return nil }
        while let place = forPerson.popMinimum() {
            guard let device = devices[place: place], case .waitingForPerson = device.state else { continue }
            if let path = device.path, isUsable(path) { return device.order.uuid }
            forPerson.insert(place)
            return nil
        }
        return nil
    }
}
