internal import MeshCore

/// Which of several bearers speaks for an advertiser that more than one of them hears; see ``ComposedBearer``.
struct Sightings {
    /// So much stronger, in dB, must another bearer hear it: signals sway by that much when nobody moves.
    static let margin = 8
    /// How long a bearer speaks for an advertiser that it does not hear any more.
    static let lifetime = Duration.seconds(5)
    /// How many advertisers are remembered; of others each bearer tells by itself.
    static let memory = 2048

    private struct Sighting {
        var place: Int
        var signal: Int8?
        var heardAt: Instant
    }

    private var speakers: [AdvertiserIdentifier: Sighting] = [:]
    /// Bearers with a link to an advertiser; the first of them speaks for it.
    private var holders: [AdvertiserIdentifier: [Int]] = [:]

    /// A bearer has a link to the advertiser, or begins to connect.
    mutating func hold(_ advertiser: AdvertiserIdentifier, by place: Int) {
        holders[advertiser, default: []].append(place)
    }

    /// A link is over.
    mutating func release(_ advertiser: AdvertiserIdentifier, by place: Int) {
        guard let index = holders[advertiser]?.firstIndex(of: place) else { return }
        holders[advertiser]?.remove(at: index)
        if holders[advertiser]?.isEmpty == true { holders[advertiser] = nil }
    }

    /// The bearer with a link to an advertiser, nil if none has.
    func holder(of advertiser: AdvertiserIdentifier) -> Int? { holders[advertiser]?.first }

    /// A bearer is gone.
    mutating func forget(_ place: Int) {
        speakers = speakers.filter { $0.value.place != place }
    }

    /// Whether what a bearer has heard is to be told of.
    ///
    /// - Parameter isFull: whether the bearer at a place can make no further link.
    mutating func takes(
        _ advertisement: Advertisement,
        by place: Int,
        isFull: (Int) -> Bool,
        at now: Instant
    ) -> Bool {
        let advertiser = advertisement.advertiser
        if let holder = holders[advertiser]?.first { return holder == place }
        let own = Sighting(place: place, signal: advertisement.signal, heardAt: now)
        guard let speaker = speakers[advertiser], speaker.heardAt.duration(to: now) < Self.lifetime else {
            if speakers[advertiser] == nil, speakers.count >= Self.memory {
                speakers = speakers.filter { $0.value.heardAt.duration(to: now) < Self.lifetime }
                guard speakers.count < Self.memory else { return true }
            }
            speakers[advertiser] = own
            return true
        }
        if speaker.place == place {
            speakers[advertiser] = own
            return true
        }
        guard !isFull(place) else { return false }
        let difference = Int(own.signal ?? .min) - Int(speaker.signal ?? .min)
        guard isFull(speaker.place) || difference >= Self.margin else { return false }
        speakers[advertiser] = own
        return true
    }
}
