import MeshCore

/// Decides which bearer reports an advertiser that several bearers hear; see ``ComposedBearer``.
struct Sightings {
    /// By how many dB another bearer must hear it more strongly to take over. Signals vary by that much even if nothing
    /// moves.
    static let margin = 8
    /// How long a bearer keeps reporting an advertiser that it does not hear any more.
    static let lifetime = Duration.seconds(5)
    /// How many advertisers are remembered. Beyond that, each bearer reports for itself.
    static let memory = 2048

    private struct Sighting {
        var place: Int
        var signal: Int8?
        var heardAt: Instant
    }

    private var speakers: [AdvertiserIdentifier: Sighting] = [:]
    /// Bearers with a link to an advertiser; the first one reports it.
    private var holders: [AdvertiserIdentifier: [Int]] = [:]

    /// A bearer has a link to the advertiser, or begins to connect.
    mutating func hold(_ advertiser: AdvertiserIdentifier, by index: Int) {
        holders[advertiser, default: []].append(index)
    }

    mutating func release(_ advertiser: AdvertiserIdentifier, by place: Int) {
        guard let index = holders[advertiser]?.firstIndex(of: place) else { return }
        holders[advertiser]?.remove(at: index)
        if holders[advertiser]?.isEmpty == true { holders[advertiser] = nil }
    }

    /// The bearer with a link to an advertiser; nil if there is none.
    func holder(of advertiser: AdvertiserIdentifier) -> Int? { holders[advertiser]?.first }

    mutating func forget(_ index: Int) {
        speakers = speakers.filter { $0.value.place != index }
    }

    /// Whether to report what a bearer has heard.
    ///
    /// - Parameter isFull: whether the bearer at that index has no room for another link.
    mutating func takes(
        _ advertisement: Advertisement,
        by index: Int,
        isFull: (Int) -> Bool,
        at now: Instant
    ) -> Bool {
        let advertiser = advertisement.advertiser
        if let holder = holders[advertiser]?.first { return holder == index }
        let own = Sighting(place: index, signal: advertisement.signal, heardAt: now)
        guard let speaker = speakers[advertiser], speaker.heardAt.duration(to: now) < Self.lifetime else {
            if speakers[advertiser] == nil, speakers.count >= Self.memory {
                speakers = speakers.filter { $0.value.heardAt.duration(to: now) < Self.lifetime }
                guard speakers.count < Self.memory else { return true }
            }
            speakers[advertiser] = own
            return true
        }
        if speaker.place == index {
            speakers[advertiser] = own
            return true
        }
        guard !isFull(index) else { return false }
        let difference = Int(own.signal ?? .min) - Int(speaker.signal ?? .min)
        guard isFull(speaker.place) || difference >= Self.margin else { return false }
        speakers[advertiser] = own
        return true
    }
}
