import Foundation
import Testing

/// Tests several adapters, each of which hears the nodes with different strength.
@Suite("Kernel, two adapters", .enabled(if: KernelRadio.isHere), .serialized, .timeLimit(.minutes(45)))
struct KernelTwoAdaptersTests {
    /// The options of an adapter that is next to one of ``Lamps`` and far from the others.
    private static func nextTo(_ lamp: Int) -> [String] { ["--signals", "\(Lamps.uuid(lamp))=-45,=-85"] }

    @Test("Devices become a network through two adapters, and each prefers the proxy that it hears best")
    func twoAdapters() async throws {
        let house = try await Lamps.house()
        defer { house.remove() }
        let simulator = house.folder.appending(path: "s")
        let first = try Field(.kernel, to: house, devices: Lamps.devices, radio: Self.nextTo(1))
        let second = try VirtualAdapter(simulator: simulator, options: Self.nextTo(3))
        let adapters = [try #require(first.adapter), second]
        let apply = try await house.meshplan(
            ["apply", "--auto-approve", "--listen", "0", "--connections", "2"]
                + adapters.flatMap { ["--via", "gatt:\($0.name)"] }
        )
        #expect(apply.status == 0 && apply.output.contains("Provisioned 3 devices"), "\(apply.output)")
        #expect(adapters.allSatisfy { $0.connections > 0 }, "\(apply.output)")
        second.remove()
        try await first.expectFinished()

        // The nodes restart first, so that they no longer advertise their identities. New nodes do so for a minute, and
        // that would outweigh the signal strength.
        let later = try Field(.kernel, to: house, devices: Lamps.devices, radio: Self.nextTo(1))
        let left = try #require(later.adapter)
        let right = try VirtualAdapter(simulator: simulator, options: Self.nextTo(3))
        for (adapter, other, proxy) in [(left, right, "0x0011"), (right, left, "0x0013")] {
            let before = other.connections
            let refresh = try await house.meshplan(
                ["refresh", "--node", "lamp-2", "--via", "gatt", "--adapter", adapter.name]
            )
            #expect(refresh.status == 0, "\(refresh.output)")
            #expect(refresh.output.contains(" (\(proxy))."), "\(refresh.output)")
            #expect(other.connections == before, "\(refresh.output)")
        }
    }

    @Test("An apply goes on over the other adapter when the one in use is pulled out")
    func oneOfTwoPulledOut() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house, radio: ["--signals", "=-45"])
        let used = try #require(field.adapter)
        let spare = try VirtualAdapter(
            simulator: house.folder.appending(path: "s"),
            options: ["--signals", "=-85"]
        )
        let both = ["--via", "gatt:\(used.name)", "--via", "gatt:\(spare.name)"]
        let apply = try LiveProcess(
            House.meshplan,
            ["apply", "--auto-approve", "--listen", "0"] + both,
            in: house.folder,
            through: .pipes
        )
        try apply.wait(for: "Connected through ")
        #expect(spare.connections == 0)
        used.remove()
        #expect(try apply.finish() == 0, "\(apply.transcript)")
        #expect(apply.transcript.contains("\(used.name) is gone; continuing without it"), "\(apply.transcript)")
        #expect(spare.connections > 0, "\(apply.transcript)")
        spare.remove()
        try await field.expectFinished()
    }
}
