import DefinitionModel
import MeshCore
import Planning
import TestSupport

@testable import Execution

/// Devices that speak the real protocol around a queue, on a manual clock, with people who carry values.
final class ProvisioningField {
    /// One device and how it behaves.
    struct Device {
        var capabilities: ProvisioningCapabilities
        var staticValue: StaticOutOfBandValue?
        /// Since when it can be heard; nil if never.
        var advertisesFrom: Instant? = .zero
        /// How many connections it refuses before it takes one.
        var refusedConnections = 0
        /// Closes the link instead of answering a PDU of that type, so many times.
        var hangsUpAt: (type: UInt8, count: Int)?
        /// Answers with that error, so many times, at the Invite.
        var refuses: (code: ProvisioningErrorCode, count: Int)?
        var isNode = false
        fileprivate(set) var data: ProvisioningData?
        fileprivate(set) var deviceKey: KeyMaterial?
    }

    private struct Link {
        let uuid: DeviceUUID
        var device: ProvisioningDevice
        var reassembler = ProxyReassembler()
    }

    var queue: ProvisioningQueue
    var devices: [DeviceUUID: Device] = [:]
    var material: (DeviceUUID) -> OutOfBandMaterial = { _ in OutOfBandMaterial() }
    var policy = ProvisioningPolicy()
    /// What a person answers instead of what the device shows.
    var misread: (String, _ time: Int) -> String = { value, _ in value }
    var packetSize = 20
    /// Whether stored candidates are called durable.
    var isStoreWorking = true
    private(set) var now = Instant.zero
    private(set) var stored: [ProvisioningConversation.Candidate] = []
    private(set) var discarded: [DeviceUUID] = []
    private(set) var completed: [DeviceUUID: ProvisionedNode] = [:]
    private(set) var completionOrder: [DeviceUUID] = []
    private(set) var failed: [DeviceUUID: ProvisioningProblem] = [:]
    private(set) var retried: [(DeviceUUID, ProvisioningProblem, Duration)] = []
    private(set) var notHeard: [DeviceUUID] = []
    private(set) var questions: [OutOfBandQuestion] = []
    private(set) var progress: [(DeviceUUID, ProvisioningProgress)] = []
    private(set) var isAsking = false
    private(set) var mostLinks = 0
    private(set) var packetSizes: Set<Int> = []
    private var links: [ProvisioningLink: Link] = [:]
    private var nextLink: UInt32 = 0
    private var nextAddress: UInt16 = 0x0100
    private var events: [() -> [ProvisioningQueue.Output]] = []
    private var shown: [DeviceUUID: OutOfBandValue] = [:]
    private var answers = 0
    private var generator = SplitMix64(seed: 7)

    init(attempts: ProvisioningAttempts = ProvisioningAttempts()) {
        queue = ProvisioningQueue(policy: attempts)
    }

    func order(_ number: UInt64) -> ProvisioningOrder {
        ProvisioningOrder(uuid: uuid(number), name: "device-\(number)", netKeyIndex: .primary)
    }

    func add(_ number: UInt64, _ device: Device = Device(capabilities: ProvisioningCapabilities(elementCount: 2))) {
        devices[uuid(number)] = device
        perform(queue.add(order(number), at: now))
    }

    /// Lets a time pass in steps of 100 ms.
    func run(for duration: Duration, limit: Int = 3) {
        let end = now.advanced(by: duration)
        while now < end {
            advertise()
            perform(queue.start(limit: limit, at: now))
            mostLinks = max(mostLinks, queue.linkCount)
            while !events.isEmpty { perform(events.removeFirst()()) }
            if isAsking, queue.awaitsAnswer { answer() }
            now = now.advanced(by: .milliseconds(100))
            if let due = queue.nextDeadline, due <= now { perform(queue.advance(to: now)) }
        }
    }

    private func advertise() {
        for uuid in devices.keys.sorted() {
            guard let device = devices[uuid], let start = device.advertisesFrom, start <= now, !device.isNode,
                !links.values.contains(where: { $0.uuid == uuid })
            else { continue }
            _ = queue.heard(uuid, as: .direct(AdvertiserIdentifier(rawValue: uuid.rawValue.bytes)))
        }
    }

    private func answer() {
        guard case .output(device: let name, _, size: _)? = questions.last,
            let uuid = devices.keys.first(where: { "device-\($0.rawValue.low)" == name }), let value = shown[uuid]
        else { return }
        let text =
            switch value {
            case .number(let number): String(number)
            case .text(let text): text
            }
        answers += 1
        perform(queue.answer(misread(text, answers), at: now))
    }

    func interrupt() -> [DeviceUUID] {
        let (devices, outputs) = queue.interrupt()
        perform(outputs)
        return devices
    }

    private func perform(_ outputs: [ProvisioningQueue.Output]) {
        for output in outputs { perform(output) }
    }

    private func perform(_ output: ProvisioningQueue.Output) {
        switch output {
        case .connect(let uuid, _): connect(uuid)
        case .send(let packet, on: let link):
            packetSizes.insert(packet.count)
            events.append { [unowned self] in deliver(packet, on: link) }
        case .close(let link, isCompleted: _):
            if let uuid = links.removeValue(forKey: link)?.uuid { shown[uuid] = nil }
        case .progress(let uuid, let step): progress.append((uuid, step))
        case .capabilities(let order, let capabilities): choose(order, capabilities)
        case .ask(let question):
            questions.append(question)
            isAsking = true
            if case .input(device: let name, _, let value) = question { enter(value, name) }
        case .withdraw: isAsking = false
        case .store(let order, let candidate):
            stored.append(candidate)
            guard isStoreWorking else { break }
            events.append { [unowned self] in queue.dataIsDurable(order.uuid, at: now) }
        case .discard(let uuid): discarded.append(uuid)
        case .completed(let order, let node):
            completed[order.uuid] = node
            completionOrder.append(order.uuid)
        case .retrying(let uuid, let problem, in: let delay): retried.append((uuid, problem, delay))
        case .failed(let uuid, let problem): failed[uuid] = problem
        case .notHeard(let uuid): notHeard.append(uuid)
        }
    }

    private func choose(_ order: ProvisioningOrder, _ capabilities: ProvisioningCapabilities) {
        do throws(ProvisioningPolicyError) {
            let choice = try policy.choice(for: capabilities, with: material(order.uuid))
            guard let address = UnicastAddress(rawValue: nextAddress) else { return }
            nextAddress += UInt16(capabilities.elementCount)
            let data = ProvisioningData(
                netKey: secret(0x10),
                netKeyIndex: .primary,
                ivIndex: IVIndex(value: 5),
                address: address
            )
            perform(queue.choose(order.uuid, choice, data: data, at: now))
        } catch {
            perform(queue.refuse(order.uuid, .policy(error), at: now))
        }
    }

    // MARK: The devices' side

    private func connect(_ uuid: DeviceUUID) {
        let link = ProvisioningLink.bearer(LinkIdentifier(rawValue: nextLink))
        nextLink += 1
        queue.connecting(uuid, over: link, at: now)
        guard let device = devices[uuid] else { return }
        guard device.refusedConnections == 0, !device.isNode else {
            devices[uuid]?.refusedConnections = max(0, device.refusedConnections - 1)
            events.append { [unowned self] in queue.closed(link, .bearer(BearerError("refused")), at: now) }
            return
        }
        let secrets = ProvisioningSecrets.random(using: &generator)
        links[link] = Link(
            uuid: uuid,
            device: ProvisioningDevice(
                capabilities: device.capabilities,
                staticValue: device.staticValue,
                secrets: secrets,
                at: now
            )
        )
        let own = ProvisioningSecrets.random(using: &generator)
        let carriage = ProvisioningCarriage.proxy(maximumPacketSize: packetSize)
        events.append { [unowned self] in queue.opened(link, carriage: carriage, secrets: own, at: now) }
    }

    private func deliver(_ packet: [UInt8], on link: ProvisioningLink) -> [ProvisioningQueue.Output] {
        guard let uuid = links[link]?.uuid, let pdu = try? links[link]?.reassembler.receive(packet, at: now) else {
            return []
        }
        if let hangUp = devices[uuid]?.hangsUpAt, hangUp.count > 0, pdu.payload.first == hangUp.type {
            devices[uuid]?.hangsUpAt?.count -= 1
            // What it was sent has arrived all the same.
            take(links[link]?.device.receive(pdu.payload, at: now) ?? [], on: link, isMute: true)
            links[link] = nil
            return queue.closed(link, .bearer(BearerError("the device hung up")), at: now)
        }
        if let refusal = devices[uuid]?.refuses, refusal.count > 0, pdu.payload.first == 0 {
            devices[uuid]?.refuses?.count -= 1
            take(links[link]?.device.refuse(with: refusal.code, at: now) ?? [], on: link)
            return []
        }
        take(links[link]?.device.receive(pdu.payload, at: now) ?? [], on: link)
        return []
    }

    private func take(_ actions: [ProvisioningDeviceAction], on link: ProvisioningLink, isMute: Bool = false) {
        guard let uuid = links[link]?.uuid else { return }
        for action in actions {
            switch action {
            case .send(let bytes):
                guard !isMute else { continue }
                let pdu = ProxyPDU(type: .provisioning, payload: bytes)
                for packet in ProxySegmenter.packets(of: pdu, maximumSize: packetSize) {
                    events.append { [unowned self] in queue.received(packet, on: link, at: now) }
                }
            case .output(_, size: _, let value): shown[uuid] = value
            case .outputCompleted: shown[uuid] = nil
            case .provisioned(let data, let deviceKey):
                devices[uuid]?.isNode = true
                devices[uuid]?.data = data
                devices[uuid]?.deviceKey = deviceKey
            case .drawAttention, .askForInput, .failed: break
            }
        }
    }

    private func enter(_ value: OutOfBandValue, _ name: String) {
        // The device asks for it when it has the public key, which is on its way.
        events.append { [unowned self] in
            guard let link = links.keys.sorted().first(where: { "device-\(links[$0]?.uuid.rawValue.low ?? 0)" == name })
            else { return [] }
            take((try? links[link]?.device.supply(value, at: now)) ?? [], on: link)
            return []
        }
    }
}
