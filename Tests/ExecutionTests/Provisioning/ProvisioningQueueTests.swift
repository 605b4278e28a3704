import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("Provisioning queue")
struct ProvisioningQueueTests {
    private let plain = ProvisioningCapabilities(elementCount: 2)
    private let shows = ProvisioningCapabilities(elementCount: 1, outputSize: 3, outputActions: [.numeric])

    @Test("A device becomes a node over packets of 20 octets, with the key and address it was given")
    func one() throws {
        let field = ProvisioningField()
        field.add(1)
        field.run(for: .seconds(2))
        let node = try required(field.completed[uuid(1)])
        let device = try required(field.devices[uuid(1)])
        #expect(device.deviceKey == node.deviceKey)
        #expect(device.data?.address == node.address)
        #expect(node.elementCount == 2)
        #expect(field.stored.map(\.deviceKey) == [node.deviceKey])
        #expect(field.packetSizes.max() == 20)
        #expect(field.queue.isEmpty)
        #expect(!field.queue.wantsScan)
        let stages = field.progress.map(\.1)
        #expect(stages.first == .listening)
        #expect(stages.contains(.session(.publicKeyExchange)))
        #expect(stages.last == .session(.completion))
    }

    @Test("40 devices are provisioned side by side, never over more links than allowed")
    func many() {
        let field = ProvisioningField()
        for number in 1...40 as ClosedRange<UInt64> { field.add(number) }
        field.run(for: .seconds(10), limit: 5)
        #expect(field.completed.count == 40)
        #expect(field.mostLinks == 5)
        #expect(Set(field.completed.values.map(\.address)).count == 40)
        #expect(field.retried.isEmpty)
    }

    @Test("Nothing leaves to the device before its record is durable")
    func durability() {
        let field = ProvisioningField()
        field.isStoreWorking = false
        field.add(1)
        field.run(for: .seconds(5))
        #expect(field.stored.count == 1)
        #expect(field.devices[uuid(1)]?.isNode == false)
        field.run(for: .seconds(70))
        #expect(field.discarded == [uuid(1)], "the record is not needed: the data has never left")
    }

    @Test("What needs a person is done one device after another, while others go on")
    func person() throws {
        let field = ProvisioningField()
        field.material = { _ in OutOfBandMaterial(canReadOutput: true, canEnterInput: true) }
        for number in 1...3 as ClosedRange<UInt64> { field.add(number, .init(capabilities: shows)) }
        field.add(4, .init(capabilities: plain))
        let enters = ProvisioningCapabilities(elementCount: 1, inputSize: 4, inputActions: [.numeric])
        field.add(5, .init(capabilities: enters))
        field.run(for: .seconds(20), limit: 5)
        #expect(field.completed.count == 5, "\(field.failed)")
        #expect(field.questions.count == 4)
        #expect(!field.isAsking)
        #expect(
            field.completed.values.count { $0.authentication.assurance == .claimed } == 4,
            "short values prove no more"
        )
        let waits = field.progress.filter { $0.1 == .waitingForPerson }
        #expect(waits.count == 3, "each of the others asked once and then waited")
        #expect(field.retried.isEmpty, "waiting is not failing")
    }

    @Test("A value that cannot be right is asked for again, a wrong one leads to another attempt")
    func misreading() {
        let field = ProvisioningField()
        field.material = { _ in OutOfBandMaterial(canReadOutput: true) }
        field.misread = { value, time in
            switch time {
            case 1: "banana"
            case 2: value == "1" ? "2" : "1"
            default: value
            }
        }
        field.add(1, .init(capabilities: shows))
        field.run(for: .seconds(20))
        #expect(field.completed.count == 1, "\(field.failed)")
        #expect(field.questions.count == 3)
        #expect(field.retried.count == 1)
    }

    @Test("Three answers that cannot be right end the attempt, and three such attempts the device")
    func nonsense() {
        let field = ProvisioningField()
        field.material = { _ in OutOfBandMaterial(canReadOutput: true) }
        field.misread = { _, _ in "banana" }
        field.add(1, .init(capabilities: shows))
        field.run(for: .seconds(60))
        #expect(field.questions.count == 9)
        #expect(field.failed[uuid(1)] == .outOfBandValue(.wrongKind))
        #expect(!field.isAsking)
    }

    @Test("A wrong static value is final, because it stays as it is")
    func wrongStaticValue() throws {
        let field = ProvisioningField()
        let (right, wrong) = (try StaticOutOfBandValue([1, 2, 3]), try StaticOutOfBandValue([1, 2, 4]))
        field.material = { _ in OutOfBandMaterial(staticValue: wrong) }
        let capabilities = ProvisioningCapabilities(elementCount: 1, isStaticValueAvailable: true)
        field.add(1, .init(capabilities: capabilities, staticValue: right))
        field.run(for: .seconds(5))
        #expect(field.retried.isEmpty)
        let problem = try required(field.failed[uuid(1)])
        #expect(problem.stage == .verification || problem.stage == .confirmation)
        #expect(!problem.mayBeProvisioned)
        #expect(field.stored.isEmpty)
    }

    @Test("A device that the policy refuses is not tried again")
    func policy() throws {
        let field = ProvisioningField()
        field.policy.assurance = .authenticated
        field.add(1)
        field.run(for: .seconds(5))
        guard case .policy = field.failed[uuid(1)] else {
            Issue.record("\(field.failed)")
            return
        }
        #expect(field.retried.isEmpty)
    }

    @Test("What can pass is tried again, later each time", arguments: [0, 1, 2, 3])
    func retries(kind: Int) {
        let field = ProvisioningField()
        var device = ProvisioningField.Device(capabilities: plain)
        switch kind {
        case 0: device.refusedConnections = 2
        case 1: device.hangsUpAt = (type: 0x03, count: 2)
        case 2: device.refuses = (.outOfResources, 2)
        default: device.hangsUpAt = (type: 0x06, count: 2)
        }
        field.add(1, device)
        field.run(for: .seconds(20))
        #expect(field.completed.count == 1, "\(field.failed)")
        #expect(field.retried.map(\.2) == [.seconds(2), .seconds(4)])
    }

    @Test("After three attempts a device is given up")
    func givenUp() throws {
        let field = ProvisioningField()
        var device = ProvisioningField.Device(capabilities: plain)
        device.refuses = (.outOfResources, 100)
        field.add(1, device)
        field.add(2)
        field.run(for: .seconds(20))
        #expect(field.completed.keys.sorted() == [uuid(2)])
        let failure = ProvisioningFailure(.reportedByDevice(.outOfResources), at: .invitation)
        #expect(field.failed[uuid(1)] == .session(failure, nil))
        #expect(field.retried.count == 2)
    }

    @Test("When the link is lost after the data, the device may be a node, and its record is not discarded")
    func lostCompletion() throws {
        let field = ProvisioningField()
        var device = ProvisioningField.Device(capabilities: plain)
        device.hangsUpAt = (type: 0x07, count: 1)
        field.add(1, device)
        field.run(for: .seconds(5))
        #expect(field.devices[uuid(1)]?.isNode == true)
        #expect(field.retried.map(\.1.mayBeProvisioned) == [true])
        #expect(field.discarded == [])
        #expect(field.notHeard == [])
        field.run(for: .seconds(60))
        #expect(field.notHeard == [uuid(1)], "it advertises as a device no more")
        #expect(field.completed.isEmpty)
    }

    @Test("A device that is not heard is told so after 30 seconds, and taken on when it comes")
    func notHeard() {
        let field = ProvisioningField()
        var device = ProvisioningField.Device(capabilities: plain)
        device.advertisesFrom = Instant.zero.advanced(by: .seconds(40))
        field.add(1, device)
        field.add(2)
        field.run(for: .seconds(29))
        #expect(field.notHeard == [])
        #expect(field.completed.keys.sorted() == [uuid(2)])
        field.run(for: .seconds(3))
        #expect(field.notHeard == [uuid(1)])
        field.run(for: .seconds(15))
        #expect(field.completed.count == 2)
    }

    @Test("An interrupt finishes the devices that have their data and takes the others out")
    func interrupt() {
        let field = ProvisioningField()
        for number in 1...3 as ClosedRange<UInt64> { field.add(number) }
        field.isStoreWorking = false
        field.run(for: .seconds(2), limit: 2)
        #expect(field.stored.count == 2)
        // The data of the first has left, the second waits to be durable, the third for a link.
        _ = field.queue.dataIsDurable(uuid(1), at: field.now)
        #expect(field.interrupt() == [uuid(2), uuid(3)])
        #expect(field.discarded == [uuid(2)])
        #expect(!field.queue.isEmpty)
        #expect(field.queue.linkCount == 1)
    }
}
