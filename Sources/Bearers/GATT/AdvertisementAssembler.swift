package import MeshCore

/// Joins what one advertiser says in several packets. The service data comes in the advertising data; the URI often
/// comes only in the scan response (Mesh Protocol 7.1.2.2.1).
///
/// It remembers a bounded number of advertisers for a limited time. It remembers no address that has sent nothing of
/// Bluetooth Mesh, unless that address advertises a URI.
package struct AdvertisementAssembler: Sendable {
    private struct Known {
        var service: AdvertisingData.Service?
        var uriHash: UInt32?
        var heardAt: Instant
    }

    private var known: [AdvertiserIdentifier: Known] = [:]
    private let capacity: Int
    private let lifetime: Duration

    /// Remembers up to `capacity` advertisers, at least one, and forgets each after it was silent for `lifetime`.
    package init(capacity: Int = 1024, lifetime: Duration = .seconds(60)) {
        self.capacity = max(capacity, 1)
        self.lifetime = lifetime
    }

    package var count: Int { known.count }

    /// Processes one packet: advertising data or a scan response.
    ///
    /// - Parameter signal: the packet's signal strength in dBm; nil if unknown.
    /// - Returns: what the advertiser advertises, if this packet says so or adds to it.
    package mutating func receive(
        _ data: AdvertisingData,
        from advertiser: AdvertiserIdentifier,
        signal: Int8?,
        at now: Instant
    ) -> Advertisement? {
        var entry = known[advertiser] ?? Known(heardAt: now)
        if now >= entry.heardAt.advanced(by: lifetime) { entry = Known(heardAt: now) }
        let isNews = data.service != nil || data.uriHash != nil && data.uriHash != entry.uriHash
        guard isNews || data.uriHash != nil else { return nil }
        entry.service = data.service ?? entry.service
        entry.uriHash = data.uriHash ?? entry.uriHash
        entry.heardAt = now
        if known[advertiser] == nil { makeRoom(at: now) }
        known[advertiser] = entry
        guard isNews, let service = entry.service else { return nil }
        return Advertisement(
            advertiser: advertiser,
            content: service.content(uriHash: entry.uriHash),
            signal: signal
        )
    }

    /// Forgets silent advertisers. If that is not enough, it forgets the quarter that has been silent for longest, so
    /// that a device that keeps changing its address costs little.
    private mutating func makeRoom(at now: Instant) {
        guard known.count >= capacity else { return }
        known = known.filter { now < $0.value.heardAt.advanced(by: lifetime) }
        guard known.count >= capacity else { return }
        let newestFirst = known.sorted { ($1.value.heardAt, $1.key) < ($0.value.heardAt, $0.key) }
        known = Dictionary(uniqueKeysWithValues: newestFirst.prefix(capacity * 3 / 4).map { ($0.key, $0.value) })
    }
}
