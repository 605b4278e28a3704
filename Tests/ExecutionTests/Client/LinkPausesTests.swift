import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Execution

@Suite("Pauses between attempts at a link")
struct LinkPausesTests {
    private let home = [ProxyField.home]

    /// When each attempt at a link began, in milliseconds.
    private func attempts(_ field: ProxyField) -> [Int] {
        field.log.filter { $0.contains("connect to") }.compactMap { Int($0.prefix { $0 != " " }) }
    }

    @Test(
        "A bearer that fails at once is tried as often and as late as the policy says, with however many links",
        arguments: [1, 2, 5],
        [1, 6]
    )
    func instantFailures(maximumLinks: Int, proxies: Int) throws {
        let policy = LinkPolicy()
        let field = try ProxyField(maximumLinks: maximumLinks)
        let lamps = try (1...proxies).map { try field.add("lamp-\($0)", 0x10 * UInt16($0), home) }
        field.canConnect = false
        try field.request(lamps[0])
        try field.run(for: .seconds(60))
        let attempts = attempts(field)
        #expect(attempts.count == policy.maximumAttempts)
        #expect(field.logged("down").last == "down: nobody there, for good")
        let pauses = zip(attempts, attempts.dropFirst()).map { $1 - $0 }
        for (place, pause) in pauses.enumerated() {
            #expect(.milliseconds(pause) >= policy.delay(afterFailures: place + 1), "\(attempts)")
        }
        #expect(field.client.outstandingCount == 1 && field.client.nextDeadline == nil)
    }

    @Test("A bearer that works again within that time loses no request", arguments: [1, 2, 5])
    func recovery(maximumLinks: Int) throws {
        let field = try ProxyField(maximumLinks: maximumLinks)
        let lamp = try field.add("lamp", 0x10, home)
        field.canConnect = false
        try field.request(lamp)
        try field.run(for: .seconds(8))
        field.canConnect = true
        try field.run(for: .seconds(8))
        #expect(field.logged("answered") == ["answered after 1"])
    }

    @Test("While others are listened for, what a link's loss says of the next attempt is true")
    func toldDelay() throws {
        let field = try ProxyField(maximumLinks: 2)
        let lamp = try field.add("lamp", 0x10, home)
        let guest = try field.add("guest", 0x20, [ProxyField.guests])
        guest.isProxy = false
        try field.request(lamp)
        try field.run(for: .seconds(3))
        try field.request(guest)
        try field.run(for: .seconds(1))
        #expect(field.isScanning)
        lamp.answers = false
        try field.request(lamp)
        try field.dropLink(lamp)
        let lost = try required(field.time(of: "down: out of range"))
        #expect(field.delays.last == .milliseconds(500))
        try field.run(for: .seconds(3))
        #expect(attempts(field).filter { $0 >= lost }.allSatisfy { $0 >= lost + 500 })
        #expect(field.logged("up lamp").count == 2)
    }
}
