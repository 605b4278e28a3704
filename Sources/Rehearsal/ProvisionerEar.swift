import DefinitionModel
import Execution
import MeshCore

/// What our own node must hear in a step of a test: heartbeats of nodes, which come over a proxy (Mesh Protocol 3.6.7).
struct ProvisionerEar {
    private let own: DeviceUUID
    private var expected: [(heartbeat: ExpectedHeartbeat, within: Duration)] = []
    /// The groups to which these nodes send heartbeats.
    private(set) var addresses: Set<Address> = []

    /// Finds what a step expects, of nodes that are in the network.
    init(_ step: TestStep, _ definition: Definition, in network: MeshNetwork) {
        own = network.ownProvisioner
        for expectation in step.expectations where expectation.isAtProvisioner {
            guard let sender = expectation.heartbeat?.value,
                let uuid = definition.nodes.first(where: { $0.name.value == sender })?.uuid.value,
                let node = network.nodes.first(where: { $0.uuid == uuid })
            else { continue }
            let milliseconds = expectation.within?.value ?? step.within?.value ?? TestStep.usualTime
            let heartbeat = ExpectedHeartbeat(
                own,
                named: PublishTarget.provisionerName,
                from: sender,
                node.unicastAddress,
                mostHops: expectation.hops?.value
            )
            expected.append((heartbeat, .milliseconds(milliseconds)))
            if case .heartbeatPublication(let publication) = node.state(.heartbeatPublication),
                publication.destination.kind == .group
            {
                addresses.insert(publication.destination)
            }
        }
    }

    var isEmpty: Bool { expected.isEmpty }

    /// What a proxy must pass on.
    static func wish(_ addresses: Set<Address>, in network: MeshNetwork) -> WatchWish {
        WatchWish(
            addresses: addresses.sorted { $0.rawValue < $1.rawValue },
            subnets: network.netKeys.map(\.index).sorted()
        )
    }

    /// Waits for what is expected, with a session that listens. The time begins when a link passes on what is heard.
    ///
    /// - Returns: what has not come in its time; less than that if the session has ended.
    func problems(in session: OperatingSession) -> [TestFailure.Problem] {
        guard !expected.isEmpty else { return [] }
        while !session.isListening, session.ending == nil { session.pause(for: Self.pause) }
        let begin = session.now
        var open = expected
        var heard: [HeardHeartbeat] = []
        var problems: [TestFailure.Problem] = []
        while !open.isEmpty, session.ending == nil {
            heard += session.takeHeartbeats().map { HeardHeartbeat(uuid: own, source: $0.source, hops: $0.hops) }
            open.removeAll { $0.heartbeat.isTrue(heard) }
            let passed = begin.duration(to: session.now)
            for (heartbeat, within) in open where within <= passed {
                let text = heartbeat.problem(heard, after: within)
                problems.append(TestFailure.Problem(node: heartbeat.name, text: text))
            }
            open.removeAll { $0.within <= passed }
            if !open.isEmpty { session.pause(for: Self.pause) }
        }
        return problems
    }

    /// How often it is looked what has come.
    private static let pause = Duration.milliseconds(100)
}
