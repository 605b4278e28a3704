import Foundation
import Testing

/// Tests usable and unusable adapters of the kernel, and the permissions to use them.
@Suite("Kernel adapters", .enabled(if: KernelRadio.isHere), .serialized, .timeLimit(.minutes(45)))
struct KernelAdapterTests {
    @Test("A scan that was killed leaves the adapter to those who scan and connect next")
    func killedScan() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        let adapter = try #require(field.adapter)
        let killed = try field.start("scan", ["--time", "1m"])
        try await adapter.wait(for: "scanning, 0 links")
        killed.signal(SIGKILL)
        #expect(try killed.finish() == SIGKILL)
        let scan = try await field.meshplan("scan", ["--time", "6s"])
        #expect(scan.status == 0 && scan.output.contains("Home Network"), "\(scan.output)")
        let apply = try await field.apply(["--node", "push"])
        #expect(apply.contains("Apply complete."), "\(apply)")
    }

    @Test("An adapter that is switched off", .enabled(if: !KernelRadio.isBesideDaemon, "bluetoothd switches it on"))
    func switchedOff() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house, radio: ["--off"])
        let adapter = try #require(field.adapter)
        try await expectRefusal("\(adapter.name) is switched off", mending: "power on", by: field)
    }

    @Test("An adapter that rfkill blocks")
    func blocked() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        let adapter = try #require(field.adapter)
        try adapter.block(true)
        defer { try? adapter.block(false) }
        try await expectRefusal("\(adapter.name) is blocked", mending: "rfkill unblock bluetooth", by: field)
    }

    @Test("An adapter that is pulled out while it is used")
    func pulledOut() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        let apply = try field.start("apply", ["--auto-approve", "--listen", "0"])
        try apply.wait(for: "Connected through ")
        field.adapter?.remove()
        #expect(try apply.finish() != 0)
        #expect(apply.transcript.contains("is gone"), "\(apply.transcript)")
        #expect(apply.transcript.contains("Next: "), "\(apply.transcript)")
    }

    @Test("An adapter that is not there")
    func missing() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let scan = try await house.meshplan(["scan", "--via", "gatt"])
        #expect(scan.status != 0 && scan.output.contains("no Bluetooth adapter"), "\(scan.output)")
        let field = try Field(.kernel, to: house)
        let other = try await house.meshplan(["scan", "--via", "gatt", "--adapter", "hci41"])
        #expect(other.status != 0 && other.output.contains("no Bluetooth adapter hci41"), "\(other.output)")
        #expect(other.output.contains(try #require(field.adapter).name), "\(other.output)")
    }

    @Test("A user whose program has the capability that is asked for does everything; with any other, nothing")
    func rights() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        let user = "65534"
        // Copies the program, as an installation does: the file holds the capabilities, and the loader trusts fewer
        // folders for such a program.
        let program = house.folder.appending(path: "meshplan")
        try FileManager.default.copyItem(at: House.meshplan, to: program)
        func asUser(_ arguments: [String]) async throws -> (status: Int32, output: String) {
            let drop = ["--reuid", user, "--regid", user, "--clear-groups"]
            return try await house.run(URL(filePath: "/usr/bin/setpriv"), drop + [program.path] + arguments)
        }
        _ = try await house.run(URL(filePath: "/bin/chown"), ["-R", user, house.folder.path])
        let apply = ["apply", "--auto-approve", "--listen", "0"] + field.via
        let hint = "sudo setcap cap_net_raw+ep \(program.path)"
        for capability in [nil, "cap_net_admin+ep"] {
            if let capability { try await set(capability, of: program, in: house) }
            let refused = try await asUser(apply)
            #expect(refused.status != 0, "\(refused.output)")
            #expect(refused.output.contains("lacks the capability CAP_NET_RAW"), "\(refused.output)")
            #expect(refused.output.contains(hint), "\(refused.output)")
        }
        let doctor = try await asUser(["doctor"])
        #expect(doctor.output.contains(hint), "\(doctor.output)")
        try await set("cap_net_raw+ep", of: program, in: house)
        let scan = try await asUser(["scan", "--time", "4s"] + field.via)
        #expect(scan.status == 0 && scan.output.contains("Home Network"), "\(scan.output)")
        let applied = try await asUser(apply)
        #expect(applied.status == 0 && applied.output.contains("Apply complete."), "\(applied.output)")
        try await field.adapter?.wait(for: "not scanning, 0 links")
        try await field.expectFinished()
    }

    /// Does, as root, what the message suggests.
    private func set(_ capability: String, of program: URL, in house: House) async throws {
        let setcap = try await house.run(URL(filePath: "/usr/sbin/setcap"), [capability, program.path])
        #expect(setcap.status == 0, "\(setcap.output)")
    }

    /// Expects that commands that need the radio, and the doctor, report the problem and the remedy.
    private func expectRefusal(
        _ problem: String,
        mending: String,
        by field: Field,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for output in try await [
            field.meshplan("scan", ["--time", "4s"]).output, field.house.meshplan(["doctor"]).output,
        ] {
            #expect(output.contains(problem), "\(output)", sourceLocation: sourceLocation)
            #expect(output.contains(mending), "\(output)", sourceLocation: sourceLocation)
        }
    }
}
