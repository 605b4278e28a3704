import Foundation
import Testing

/// Does the same work over every way to the nodes.
///
/// The tests run one after another, because the simulator keeps real time and the guest's processor is emulated.
@Suite("Over every bearer", .serialized, .timeLimit(.minutes(45)))
struct BearerTests {
    @Test("A scan lists devices in their boxes and the proxies of the network", arguments: Route.direct)
    func scan(over route: Route) async throws {
        let house = try await House.make()
        defer { house.remove() }
        try house.write(Lamps.box, to: Lamps.devices)
        let field = try Field(route, to: house, devices: Lamps.devices)
        let scan = try await field.meshplan("scan", ["--time", "4s"])
        #expect(scan.status == 0, "\(scan.output)")
        for device in 1...3 { #expect(scan.output.contains(Lamps.uuid(device).uppercased()), "\(scan.output)") }
        #expect(scan.output.contains("Home Network"), "\(scan.output)")
    }

    @Test("Devices in their boxes become a network, several at once", arguments: Route.here)
    func provision(over route: Route) async throws {
        try await commission(over: route)
    }

    @Test("The smallest ATT_MTU does, too", arguments: Route.direct)
    func smallestPackets(over route: Route) async throws {
        // The harsh radio has packets of 20 octets. Its losses are left to another test.
        let harsh = ["--radio", "harsh", "--hops", "1", "--loss", "0"]
        try await commission(over: route, simulation: route == .kernel ? [] : harsh, radio: ["--mtu", "23"])
    }

    @Test("The house is applied, read back, and nothing is left to do", arguments: Route.direct)
    func house(over route: Route) async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(route, to: house)
        let apply = try await field.apply()
        #expect(apply.contains("Apply complete."), "\(apply)")
        // All values of all nodes arrive in notifications.
        let refresh = try await field.meshplan("refresh")
        #expect(refresh.status == 0, "\(refresh.output)")
        let again = try await field.apply()
        #expect(again.contains("No changes."), "\(again)")
        try await field.expectFinished()
    }

    @Test("An apply whose link is lost in the middle makes another and completes", arguments: Route.toProcesses)
    func lostLink(over route: Route) async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(route, to: house, isDisturbed: true)
        let apply = try field.start("apply", ["--auto-approve", "--listen", "0"])
        try apply.wait(for: Self.connected)
        let words = try apply.restOfLine().split { " ().".contains($0) }
        let proxy = try #require(words.first { $0.hasPrefix("0x") })
        try apply.wait(for: Self.firstDone)
        try field.restart(String(proxy))
        try apply.wait(for: Self.connected)
        #expect(try apply.finish() == 0, "\(apply.transcript)")
        try await field.expectFinished()
    }

    @Test("One more apply after kill -9 completes what was left", arguments: Route.toProcesses)
    func killed(over route: Route) async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(route, to: house, isDisturbed: true)
        let killed = try field.start("apply", ["--auto-approve", "--listen", "0"])
        try killed.wait(for: Self.firstDone)
        killed.signal(SIGKILL)
        #expect(try killed.finish() == SIGKILL)
        let apply = try await field.apply()
        #expect(apply.contains("Apply complete."), "\(apply)")
        try await field.expectFinished()
    }

    /// The output of apply once it has a link.
    private static let connected = "Connected through "
    /// The output of apply when the first of several nodes is done.
    private static let firstDone = ": done ("

    private func commission(over route: Route, simulation: [String] = [], radio: [String] = []) async throws {
        let house = try await Lamps.house()
        defer { house.remove() }
        let field = try Field(route, to: house, devices: Lamps.devices, simulation: simulation, radio: radio)
        let apply = try await field.apply(["--connections", "2"])
        #expect(apply.contains("Provisioned 3 devices, not authenticated."), "\(apply)")
        #expect(apply.contains("Apply complete."), "\(apply)")
        try await field.expectFinished()
    }
}
