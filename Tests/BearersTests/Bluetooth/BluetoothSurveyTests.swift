import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("BluetoothSurvey")
struct BluetoothSurveyTests {
    private static func adapter(
        _ number: UInt16,
        isUp: Bool = true,
        hasLowEnergy: Bool = true,
        block: BluetoothAdapter.Block = .none
    ) throws -> BluetoothAdapter {
        BluetoothAdapter(
            number: number,
            name: "hci\(number)",
            address: try required(BluetoothAddress("00:1B:DC:00:00:0\(number)")),
            isUp: isUp,
            hasLowEnergy: hasLowEnergy,
            block: block
        )
    }

    private static func problem(_ survey: BluetoothSurvey, _ name: String? = nil) -> BearerError? {
        do throws(BearerError) {
            _ = try survey.adapter(name)
            return nil
        } catch {
            return error
        }
    }

    @Test("the first adapter that is ready is taken, or the one that is named")
    func selection() throws {
        let adapters = [try Self.adapter(0, isUp: false), try Self.adapter(1), try Self.adapter(2)]
        let survey = BluetoothSurvey(kernel: .available, adapters: adapters, canScan: true)
        #expect(try survey.adapter(nil).name == "hci1")
        #expect(try survey.adapter("hci2").number == 2)
        #expect(try survey.adapter("00:1b:dc:00:00:02").number == 2)
        let unknown = try #require(Self.problem(survey, "hci7"))
        #expect(unknown.message == "there is no Bluetooth adapter hci7")
        let hint = try #require(unknown.hint)
        #expect(hint.hasPrefix("there are hci0 (00:1") && hint.contains(", hci2 ("))
    }

    @Test("everything that is missing is said with what to do")
    func problems() throws {
        func said(_ survey: BluetoothSurvey) -> String {
            Self.problem(survey).map { "\($0.message) | \($0.hint ?? "")" } ?? "nothing"
        }
        var survey = BluetoothSurvey(kernel: .unsupported)
        #expect(said(survey).hasPrefix("this system's kernel has no Bluetooth | load it with sudo modprobe bluetooth;"))
        survey.kernel = .refused("Permission denied")
        #expect(said(survey).contains("Permission denied"))
        survey.kernel = .otherSystem
        #expect(said(survey).contains("run a gateway on a Linux machine"))
        survey.kernel = .available
        #expect(said(survey).hasPrefix("this machine has no Bluetooth adapter | plug one in;"))
        survey.block = .soft
        #expect(said(survey).hasSuffix("| switch it on with rfkill unblock bluetooth"))
        survey.block = .hard
        #expect(said(survey).contains("a switch or key of this machine"))
        survey.block = .none
        survey.adapters = [try Self.adapter(3, isUp: false)]
        #expect(said(survey).hasSuffix("sudo btmgmt --index 3 le on && sudo btmgmt --index 3 power on"))
        survey.isDaemonRunning = true
        #expect(said(survey).hasSuffix("is switched off | switch it on with bluetoothctl power on"))
        survey.adapters = [try Self.adapter(3, isUp: false, block: .soft)]
        #expect(said(survey).hasSuffix("is blocked (rfkill) | unblock it with rfkill unblock bluetooth"))
        survey.adapters = [try Self.adapter(3, isUp: false, block: .hard)]
        #expect(said(survey).contains("hci3 is switched off by a switch or key"))
        survey.adapters = [try Self.adapter(3, hasLowEnergy: false)]
        #expect(said(survey).contains("does not support Low Energy | use one with Bluetooth 4.0 or later"))
        survey.adapters = [try Self.adapter(3)]
        survey.program = "/opt/meshplan"
        #expect(said(survey).contains("sudo setcap cap_net_raw+ep /opt/meshplan"))
        survey.canScan = true
        #expect(said(survey) == "nothing")
    }

    @Test("system calls that fail are said in plain words")
    func systemErrors() {
        let said = [EPERM, EAFNOSUPPORT, ENETDOWN, ENODEV, EBUSY, ENOBUFS].map {
            BluetoothSurvey.error(SystemError(number: $0), of: "hci0").message
        }
        #expect(said[0].contains("CAP_NET_RAW"))
        #expect(
            Array(said[1...]) == [
                "this system's kernel has no Bluetooth", "the Bluetooth adapter hci0 was switched off",
                "the Bluetooth adapter hci0 is gone", "another program uses the Bluetooth adapter hci0 exclusively",
                "the Bluetooth adapter hci0 cannot be used: No buffer space available",
            ]
        )
    }

    @Test("capabilities, features and switches are read as the kernel shows them")
    func reading() throws {
        #expect(BluetoothSurvey.hasCapability(in: "CapPrm:\t0000000000000000\nCapEff:\t0000000000002000\n"))
        #expect(BluetoothSurvey.hasCapability(in: "CapEff:\t000001ffffffffff\n"))
        #expect(!BluetoothSurvey.hasCapability(in: "CapEff:\t0000000000001000\nCapBnd:\t000001ffffffffff\n"))
        #expect(!BluetoothSurvey.hasCapability(in: "CapEff:\tx\n") && !BluetoothSurvey.hasCapability(in: ""))
        #expect(BluetoothAdapter.hasLowEnergy(features: hex("0000000060000000")))
        #expect(!BluetoothAdapter.hasLowEnergy(features: hex("FFFF8FFE9BF90087")))
        #expect(BluetoothAdapter.hasLowEnergy(features: [UInt8](repeating: 0, count: 8)))
        let folder = FileManager.default.temporaryDirectory.appending(path: "rfkill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, type, label, soft, hard) in [
            ("rfkill0", "wlan", "phy0", "1", "1"), ("rfkill1", "bluetooth", "hci0", "1", "0"),
            ("rfkill2", "bluetooth", "hci1", "0", "1"),
        ] {
            let entry = folder.appending(path: name)
            try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: true)
            for (file, text) in [("type", type), ("name", label), ("soft", soft), ("hard", hard)] {
                try "\(text)\n".write(to: entry.appending(path: file), atomically: true, encoding: .utf8)
            }
        }
        let switches = RadioSwitch.all(in: folder.path)
        #expect(switches.map(\.name) == ["hci0", "hci1"])
        #expect(["hci0", "hci1", "hci2"].map { RadioSwitch.block(of: $0, among: switches) } == [.soft, .hard, .none])
        let driver = RadioSwitch(name: "tpacpi_bluetooth_sw", isSoftBlocked: true, isHardBlocked: false)
        #expect(RadioSwitch.block(of: nil, among: [driver]) == .soft)
        #expect(RadioSwitch.block(of: nil, among: switches) == .none)
        #expect(RadioSwitch.all(in: folder.appending(path: "nowhere").path).isEmpty)
    }

    @Test("this machine can be asked, whatever it has")
    func here() {
        let survey = BluetoothSurvey.now()
        #expect(survey.program.hasPrefix("/"))
        #expect(survey.kernelProblem == nil || survey.adapters.isEmpty)
    }
}
