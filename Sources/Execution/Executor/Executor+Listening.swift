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
            let network = try access.snapshot().network
            var listener = AdvertisingListener(network, policy: options.link)
            try listener.listen(over: bearer, for: duration, enough: enough) { context.interrupts() > 0 }
            access.heardProxies = listener.heardProxies
            report.sightings = listener.sightings
            if context.interrupts() > 0 { report.ending = .interrupted }
            var changes = StoreChanges()
            for var node in network.nodes where node.uuid != network.ownProvisioner {
                guard let isUnprovisioned = listener.news(of: node) else { continue }
                node.unprovisionedSeenAt = isUnprovisioned ? context.now() : nil
                changes.nodes.append(node)
                if isUnprovisioned {
                    report.foundUnprovisioned.append(node.uuid)
                } else {
                    report.foundAlive.append(node.uuid)
                }
            }
            try access.commit(changes)
        } catch {
            report.ending = error.ending
        }
        return report
    }
}
