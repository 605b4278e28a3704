import MeshCore
import Synchronization
import Testing

@testable import Bearers

@Suite("Addresses of hosts")
struct HostAddressesTests {
    private let address = SocketAddress.tcp(host: "127.0.0.1", port: 7447)
    private let moved = Candidate(family: 2, storage: [2, 0, 0x1D, 0x17, 127, 0, 0, 9])

    /// What is known in the end.
    private func settled(_ addresses: HostAddresses, _ isExpected: ([Candidate]) -> Bool) throws -> [Candidate] {
        let clock = BearerClock()
        let deadline = clock.now.advanced(by: .seconds(10))
        var found = try addresses.candidates(for: address, called: "pi")
        while !isExpected(found), clock.now < deadline { found = try addresses.candidates(for: address, called: "pi") }
        return found
    }

    @Test("a host that is lost is looked up anew beside, and what is known does for the time being")
    func lookedUpAnew() throws {
        let moved = moved
        let addresses = HostAddresses { _ in [moved] }
        addresses.lookAgain(for: address)
        let first = try addresses.candidates(for: address, called: "pi")
        #expect(first.count == 1 && first[0].storage != moved.storage, "nothing was known that could be lost")
        addresses.lookAgain(for: address)
        #expect(try settled(addresses) { $0.first?.storage == moved.storage }.map(\.storage) == [moved.storage])
    }

    @Test("a host that is not found any more keeps the addresses that it had")
    func lost() throws {
        let count = Mutex(0)
        let addresses = HostAddresses { _ in
            count.withLock { $0 += 1 }
            return nil
        }
        let first = try addresses.candidates(for: address, called: "pi")
        let clock = BearerClock()
        let deadline = clock.now.advanced(by: .seconds(10))
        // A second look-up begins once what the first one gave was taken.
        while count.withLock({ $0 }) < 2, clock.now < deadline {
            addresses.lookAgain(for: address)
            #expect(try addresses.candidates(for: address, called: "pi").map(\.storage) == first.map(\.storage))
        }
        #expect(count.withLock { $0 } >= 2)
    }
}
