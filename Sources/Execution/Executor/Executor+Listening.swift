package import MeshCore
import Store

/// An advertiser that was heard while listening.
package struct Sighting: Hashable, Sendable {
    /// The last advertisement, with the strength of its signal.
    package var advertisement: Advertisement
    /// The node that advertises; nil for devices without a network and for strangers.
    package var identity: AdvertisedIdentity?
}

/// The result of listening.
package struct ListeningReport: Hashable, Sendable {
    /// The advertisers that were heard, each once, in the order of their identifiers.
    package var sightings: [Sighting] = []
    /// Nodes of the database that were heard as devices without a network for the first time: they were reset.
    package var foundUnprovisioned: [DeviceUUID] = []
    /// Nodes that were recorded as reset and were heard as nodes.
    package var foundAlive: [DeviceUUID] = []
    /// Why it ended early; ``Recap/Ending/completed`` if it did not.
    package var ending = Recap.Ending.completed

    /// An empty report.
    package init() {}
}

extension Executor {
    /// How many advertisers are remembered. The number is bounded, because others can advertise under any number of
    /// addresses.
    private static let memory = 65_536

    /// Listens to advertising, and records which nodes of the database advertise as devices without a network, so that
    /// the next plan provisions them again. It also remembers which proxies it heard, so that the run that follows need
    /// not listen for them again.
    ///
    /// What it records is durable when it returns. If the bearer cannot scan, it ends at once with
    /// ``Recap/Ending/linkFailed(_:hint:)`` and records nothing.
    ///
    /// - Parameter enough: after this time it ends as soon as a proxy of the network has been heard; nil to listen for
    ///   the whole `duration`. Devices advertise about once a second, so most devices that were reset are heard by
    ///   then. One that is not heard does not answer in the run, and the next run notices it.
    package func listen(for duration: Duration, enough: Duration? = nil) -> ListeningReport {
        var report = ListeningReport()
        do throws(ExecutionStop) {
            let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
            let heard = try hear(for: duration, enough: enough, in: snapshot.network, &report)
            try record(heard, of: snapshot.network, &report)
        } catch {
            report.ending = error.ending
        }
        return report
    }

    /// Records how a node was last heard, by its UUID: whether as a device without a network.
    private func hear(
        for duration: Duration,
        enough: Duration?,
        in network: MeshNetwork,
        _ report: inout ListeningReport
    ) throws(ExecutionStop) -> [DeviceUUID: Bool] {
        var proxies = ProxyNodes(network)
        var heardProxies = HeardProxies(policy: options.link)
        let start = bearer.now
        let nodes = Dictionary(
            network.nodes.map { ($0.unicastAddress, $0.uuid) },
            uniquingKeysWith: { first, _ in first }
        )
        let known = Set(network.nodes.map(\.uuid))
        var sightings: [AdvertiserIdentifier: Sighting] = [:]
        var heard: [DeviceUUID: Bool] = [:]
        do throws(BearerError) {
            try bearer.scan(true)
            let end = start.advanced(by: duration)
            let earliestEnd = enough.map { start.advanced(by: $0) } ?? end
            while bearer.now < end, context.interrupts() == 0 {
                if bearer.now >= earliestEnd, heardProxies.selection.hearsAnybody(at: bearer.now) { break }
                let next = bearer.now < earliestEnd ? earliestEnd : end
                let pause = min(next, bearer.now.advanced(by: .milliseconds(500)))
                guard case .heard(let advertisement) = try bearer.next(until: pause) else { continue }
                var sighting = Sighting(advertisement: advertisement, identity: nil)
                switch advertisement.content {
                case .unprovisioned(let device, uriHash: _):
                    if known.contains(device.uuid) { heard[device.uuid] = true }
                case .proxy:
                    sighting.identity = proxies.resolve(advertisement)
                    if case .node(let address, _) = sighting.identity, let uuid = nodes[address] { heard[uuid] = false }
                    if let identity = sighting.identity, !proxies.isExcluded(identity) {
                        heardProxies.selection.heard(advertisement, as: identity, at: bearer.now)
                    }
                }
                let isRoom = sightings.count < Executor.memory
                if isRoom || sightings[advertisement.advertiser] != nil {
                    sightings[advertisement.advertiser] = sighting
                }
            }
            try bearer.scan(false)
        } catch {
            throw ExecutionStop(Recap.Ending(error))
        }
        heardProxies.listened = start..<max(start, bearer.now)
        self.heardProxies = heardProxies
        report.sightings = sightings.sorted { $0.key < $1.key }.map(\.value)
        if context.interrupts() > 0 { report.ending = .interrupted }
        return heard
    }

    private func record(
        _ heard: [DeviceUUID: Bool],
        of network: MeshNetwork,
        _ report: inout ListeningReport
    ) throws(ExecutionStop) {
        var changes = StoreChanges()
        for var node in network.nodes where node.uuid != network.ownProvisioner {
            guard let isUnprovisioned = heard[node.uuid], isUnprovisioned != (node.unprovisionedSeenAt != nil) else {
                continue
            }
            node.unprovisionedSeenAt = isUnprovisioned ? context.now() : nil
            changes.nodes.append(node)
            if isUnprovisioned {
                report.foundUnprovisioned.append(node.uuid)
            } else {
                report.foundAlive.append(node.uuid)
            }
        }
        guard !changes.isEmpty else { return }
        _ = try stopping { () throws(StoreError) in try database.commit(changes, with: lease) }
    }
}
