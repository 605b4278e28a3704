import Bearers
import DefinitionModel
import Foundation
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan doctor")
struct DoctorCommandTests {
    @Test("tells what an imported network leaves to be desired, and what a broken one has")
    func examines() throws {
        let fixture = try CommandFixture.house()
        expectSnapshot(fixture.run("doctor").transcript, "doctor.txt")
        expectSnapshot(fixture.run("doctor", "--json").transcript, "doctor.jsonl")
        #expect(fixture.run("state", "mv", "group.Bedroom", "group.Attic").status == 0)
        let path = fixture.folder.appendingPathComponent(".meshplan/house.meshdb").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let open = fixture.run("doctor")
        #expect(open.status == 1 && open.output.contains("chmod 600 .meshplan/house.meshdb"), "\(open.output)")
        try fixture.put([1], to: ".meshplan/house.spill-outdated")
        try fixture.put([1], to: ".meshplan/house.meshdb.meshplan-2147483647")
        let left = fixture.run("doctor").output
        #expect(left.contains("house.spill-outdated holds changes that the database could not take"), "\(left)")
        #expect(left.contains("a command that was killed left .meshplan/house.meshdb.meshplan-2147483647"), "\(left)")
    }

    @Test("shows each adapter with what keeps it from being used, rights, and bluetoothd, without any network, too")
    func adapters() throws {
        let fixture = try CommandFixture()
        func adapter(
            _ number: UInt16,
            _ address: String,
            isUp: Bool = true,
            _ block: BluetoothAdapter.Block = .none
        )
            throws -> BluetoothAdapter
        {
            BluetoothAdapter(
                number: number,
                name: "hci\(number)",
                address: try required(BluetoothAddress(address)),
                isUp: isUp,
                block: block
            )
        }
        fixture.bluetooth = BluetoothSurvey(
            kernel: .available,
            adapters: [
                try adapter(0, "00:1B:DC:00:00:01"), try adapter(1, "00:1B:DC:00:00:02", isUp: false),
                try adapter(2, "00:1B:DC:00:00:03", isUp: false, .soft),
                try adapter(3, "00:1B:DC:00:00:04", isUp: false, .hard),
            ],
            canScan: true,
            isDaemonRunning: true
        )
        expectSnapshot(fixture.run("doctor").transcript, "doctor-adapters.txt")
        fixture.bluetooth.canScan = false
        #expect(fixture.run("doctor").output.contains("setcap"))
        fixture.bluetooth.adapters = []
        #expect(fixture.run("doctor").output.contains("no Bluetooth adapter"))
    }

    @Test("--via gatt takes an adapter by name or address, and says before any question what keeps it from being used")
    func chosenAdapter() throws {
        let fixture = try CommandFixture.house()
        let none = fixture.run("apply", "--via", "gatt")
        #expect(none.status == 1 && none.error.contains("this system's kernel has no Bluetooth"), "\(none.error)")
        let address = try required(BluetoothAddress("00:1B:DC:00:00:01"))
        fixture.bluetooth = BluetoothSurvey(
            kernel: .available,
            adapters: [BluetoothAdapter(number: 0, name: "hci0", address: address, isUp: false)],
            canScan: true
        )
        for name in ["hci0", "00:1b:dc:00:00:01"] {
            let off = fixture.run("scan", "--via", "gatt", "--adapter", name)
            #expect(off.status == 1 && off.error.contains("hci0 is switched off"), "\(off.error)")
        }
        let other = fixture.run("scan", "--via", "gatt", "--adapter", "hci7")
        #expect(other.status == 1 && other.error.contains("hci7") && other.error.contains("hci0"), "\(other.error)")
        let useless = fixture.run("scan", "--via", "simulator", "--adapter", "hci0")
        #expect(useless.status == 64 && useless.error.contains("--adapter needs --via gatt"), "\(useless.error)")
    }

    @Test("without a database it says how to begin, of another network that there is none")
    func nothing() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("doctor", "--network", "attic").status == 1)
        #expect(try CommandFixture().run("doctor").error.contains("meshplan init"))
    }
}
