import MeshCore
import Planning
import Testing

@Suite("Estimate of a plan's time")
struct PlanEstimatorTests {
    private static let model = ModelAddress(element: 0, model: .sig(0x1000))

    private static func uuid(_ number: UInt64) -> DeviceUUID {
        DeviceUUID(rawValue: Octets16(high: 7, low: number))
    }

    /// The job of a usual node: an AppKey, five bindings, five subscriptions, two publications, four states; 17 messages
    /// with 22 PDUs each way.
    private static func job(of node: UInt64) throws -> [Step] {
        let publication = Publication(
            address: .group(.allNodes),
            appKeyIndex: try #require(AppKeyIndex(rawValue: 0)),
            usesFriendshipCredentials: false,
            ttl: 5,
            period: .none,
            retransmit: .none
        )
        let key = try #require(AppKeyIndex(rawValue: 0))
        let group = try #require(GroupAddress(rawValue: 0xC000))
        var actions: [ConfigurationAction] = [.addAppKey(key, boundTo: .primary)]
        actions += (0..<5).map { _ in .bind(model, key) }
        actions += (0..<5).map { _ in .addSubscription(model, .group(group)) }
        actions += (0..<2).map { _ in .setPublication(model, publication) }
        actions += [
            .setDefaultTTL(5), .setProxy(false), .setRelay(true, TransmitParameters(octet: 0)),
            .setNetworkTransmit(TransmitParameters(octet: 0)),
        ]
        return actions.map { Step(change: 0, work: .configure(uuid(node), $0)) }
    }

    private static func jobs(_ count: UInt64) throws -> [Step] { try (1...count).flatMap { try job(of: $0) } }

    /// What the formula of the field's tables says for 100 such nodes, without connecting and without losses.
    @Test(
        "100 usual nodes take what the limits of the radio say",
        arguments: [
            (2.0, 1.0, 0.0538, PlanEstimate.Bound.flood, 237.0), (1.0, 1.0, 0.0538, .advertising, 118.0),
            (2.0, 4.0, 0.0538, .air, 65.0), (2.0, 1.0, 0.110, .flood, 484.0), (1.0, 4.0, 0.0038, .roundTrips, 21.06),
        ]
    )
    func limits(hops: Double, sets: Double, service: Double, bound: PlanEstimate.Bound, seconds: Double) throws {
        var profile = RadioProfile.office
        profile.hops = hops
        profile.advertisingSets = sets
        profile.advertisingTime = service
        profile.copyLoss = 0
        profile.connecting = 0
        let estimate = PlanEstimator(profile: profile).estimate(try Self.jobs(100), barriers: [])
        #expect(estimate.bound == bound)
        #expect(abs((estimate.total.median - RadioProfile.listening) / seconds - 1) < 0.02, "\(estimate.total)")
        #expect(estimate.total.percentile95 >= estimate.total.median)
        #expect(estimate.nodes.count == 100)
    }

    @Test("Losses, connecting and barriers make it longer, and losses widen it")
    func longer() throws {
        let steps = try Self.jobs(10)
        var quiet = RadioProfile.harsh
        quiet.copyLoss = 0
        let harsh = PlanEstimator(profile: .harsh).estimate(steps, barriers: [])
        let calm = PlanEstimator(profile: quiet).estimate(steps, barriers: [])
        #expect(harsh.total.median > calm.total.median)
        #expect(
            harsh.total.percentile95 - harsh.total.median > calm.total.percentile95 - calm.total.median
        )
        // Two nodes one after the other take twice the round trips of one.
        let two = try Self.jobs(2)
        let apart = PlanEstimator(profile: .office).estimate(two, barriers: [two.count / 2])
        let together = PlanEstimator(profile: .office).estimate(two, barriers: [])
        #expect(apart.total.median > together.total.median)
    }

    @Test("What sends nothing takes no time and is bound by nothing")
    func nothing() {
        let estimate = PlanEstimator(profile: .office).estimate([], barriers: [])
        #expect(estimate.bound == nil && estimate.total == .zero && estimate.nodes.isEmpty)
    }

    @Test("What was learned is the median of what runs took, and keeps to runs that say something")
    func learning() throws {
        #expect(RadioProfile.learned(from: []) == nil)
        #expect(RadioProfile.learned(from: [.infinity, -1, 0]) == nil)
        let learned = try #require(RadioProfile.learned(from: [4, 1, 2]))
        #expect(learned.correction == 2 && learned.name == "learned")
        let steps = try Self.jobs(3)
        let usual = PlanEstimator(profile: .office).estimate(steps, barriers: [])
        let corrected = PlanEstimator(profile: learned).estimate(steps, barriers: [])
        #expect(abs(corrected.total.median / usual.total.median - 2) < 1e-9)
    }
}
