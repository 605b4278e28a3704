import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("LEScanner")
struct LEScannerTests {
    /// A scanner at a controller.
    private struct Bench {
        var scanner = LEScanner(HCITests.scan)
        var controller = ScriptedController()
        var now = Instant.zero
        var others: [LEScanner.Output] = []

        /// Hands commands to the controller and its answers back until nothing comes any more.
        mutating func run(_ outputs: [LEScanner.Output]) {
            var queue = outputs
            while !queue.isEmpty {
                let output = queue.removeFirst()
                guard case .send(let command) = output else {
                    others.append(output)
                    continue
                }
                for packet in controller.receive(command) { queue += scanner.receive(packet, at: now) }
            }
        }

        mutating func set(_ demand: LEScanner.Demand) { run(scanner.set(demand, at: now)) }
        mutating func show(_ packets: [HCIPacket]) {
            for packet in packets { run(scanner.receive(packet, at: now)) }
        }
        mutating func wait(_ duration: Duration) {
            now = now.advanced(by: duration)
            run(scanner.advance(to: now))
        }
    }

    private static let peer = BluetoothAddress("C0:00:00:00:00:01", .random)

    @Test("it scans with the commands that the controller has, and ends its own scan", arguments: [false, true])
    func own(isExtended: Bool) throws {
        var bench = Bench()
        bench.controller.isExtended = isExtended
        bench.set(.on)
        #expect(bench.controller.isScanning && !bench.scanner.isQuiet)
        #expect(
            bench.controller.commands.map(\.opcode) == [
                .readLocalSupportedCommands, isExtended ? .leSetExtendedScanParameters : .leSetScanParameters,
                isExtended ? .leSetExtendedScanEnable : .leSetScanEnable,
            ]
        )
        bench.show([ScriptedController.proxy(try required(Self.peer))])
        #expect(bench.others.count == 1)
        bench.set(.paused)
        #expect(!bench.controller.isScanning && bench.scanner.isQuiet)
        bench.set(.on)
        #expect(bench.controller.isScanning)
        bench.set(.off)
        #expect(!bench.controller.isScanning && bench.others.count == 1)
        #expect(bench.scanner.nextDeadline == nil)
    }

    @Test("somebody else's scan that brings something is shared and left on")
    func shared() throws {
        var bench = Bench()
        bench.controller.isScanning = true
        bench.set(.on)
        for _ in 0..<5 {
            bench.wait(.seconds(1))
            bench.show([ScriptedController.proxy(try required(Self.peer))])
            bench.scanner.heardSomethingOfUse(at: bench.now)
        }
        #expect(bench.others.count == 5 && bench.scanner.isQuiet)
        bench.set(.off)
        #expect(bench.controller.isScanning)
        #expect(!bench.controller.commands.contains { $0.opcode == .leSetScanEnable })
        #expect(!bench.others.contains(.restoreKernelScan))
    }

    @Test("somebody else's scan that brings nothing is replaced, and the kernel's restored in the end")
    func replaced() {
        var bench = Bench()
        bench.controller.isScanning = true
        bench.set(.on)
        #expect(bench.scanner.isQuiet)
        bench.wait(.milliseconds(1_500))
        #expect(bench.controller.isScanning && !bench.scanner.isQuiet)
        #expect(
            bench.controller.commands.suffix(3).map(\.opcode) == [
                .leSetScanEnable, .leSetScanParameters, .leSetScanEnable,
            ]
        )
        // The kernel scans again after a connection; now it is known that this is of no use.
        bench.set(.paused)
        bench.show(bench.controller.foreignScan(true))
        bench.set(.on)
        #expect(!bench.scanner.isQuiet && bench.controller.isScanning)
        bench.set(.off)
        #expect(!bench.controller.isScanning)
        #expect(bench.others == [.restoreKernelScan])
    }

    @Test("a scan that somebody switches off is switched on again, later each time that nothing was heard")
    func interrupted() throws {
        var bench = Bench()
        bench.set(.on)
        var waits: [Duration] = []
        for _ in 0..<7 {
            bench.show(bench.controller.foreignScan(false))
            #expect(!bench.controller.isScanning)
            waits.append(bench.now.duration(to: try required(bench.scanner.nextDeadline)))
            bench.wait(try required(waits.last))
            #expect(bench.controller.isScanning)
        }
        #expect(waits == [100, 200, 400, 800, 1_600, 1_600, 1_600].map { .milliseconds($0) })
        bench.show([ScriptedController.proxy(try required(Self.peer))])
        bench.show(bench.controller.foreignScan(false))
        #expect(bench.scanner.nextDeadline == bench.now.advanced(by: .milliseconds(100)))
    }

    @Test("a scan that has gone quiet is switched off and on")
    func quiet() {
        var bench = Bench()
        bench.set(.on)
        let before = bench.controller.commands.count
        bench.wait(.seconds(10))
        #expect(bench.controller.commands.count == before + 3 && bench.controller.isScanning)
        bench.set(.off)
        #expect(bench.others.isEmpty, "it was an own scan, so there is nothing to restore")
    }

    @Test("a controller that is silent or refuses fails in plain words, and may be tried again")
    func failures() throws {
        var bench = Bench()
        bench.controller.silent = [.leSetScanParameters]
        bench.set(.on)
        for _ in 0..<2 {
            bench.wait(.seconds(4))
            #expect(bench.others.isEmpty, "an answer may have been lost")
        }
        bench.wait(.seconds(4))
        guard case .failed(let silence)? = bench.others.last else { throw MissingValue() }
        #expect(silence.message == "the Bluetooth adapter does not answer commands")
        bench.controller.silent = []
        bench.set(.off)
        bench.controller.refusals = [.leSetScanEnable: .hardwareFailure]
        bench.set(.on)
        guard case .failed(let refusal)? = bench.others.last else { throw MissingValue() }
        #expect(refusal.message.hasPrefix("the Bluetooth adapter refuses to scan: the adapter's hardware has failed"))
        bench.controller.refusals = [:]
        bench.set(.off)
        bench.set(.on)
        #expect(bench.controller.isScanning)
    }

    @Test("a controller that names commands and does not have them is asked with the others")
    func wrongKind() {
        var bench = Bench()
        bench.controller.refusals = [.leSetScanParameters: .unknownCommand]
        bench.controller.isExtended = true
        bench.run(bench.scanner.set(.on, at: bench.now))
        #expect(bench.controller.isScanning)
        var old = Bench()
        old.controller.refusals = [
            .readLocalSupportedCommands: .unknownCommand, .leSetExtendedScanParameters: .unknownCommand,
        ]
        old.set(.on)
        #expect(old.controller.isScanning)
    }

    @Test("whatever happens in whatever order, it is silent when it is to be", arguments: propertySeeds(60))
    func anyOrder(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var bench = Bench()
        bench.controller.isExtended = generator.chance(50)
        for _ in 0..<80 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bench.set(.on)
            case 1:
                bench.set(.paused)
                #expect(bench.scanner.isQuiet, "seed \(seed)")
            case 2: bench.set(.off)
            case 3: bench.show(bench.controller.foreignScan(.random(using: &generator)))
            default: bench.wait(.milliseconds(Int.random(in: 1...4_000, using: &generator)))
            }
        }
        bench.show(bench.controller.foreignScan(false))
        bench.set(.off)
        #expect(bench.scanner.isQuiet && !bench.controller.isScanning, "seed \(seed)")
        bench.set(.on)
        for _ in 0..<3 { bench.wait(.seconds(2)) }
        #expect(bench.controller.isScanning, "seed \(seed)")
        #expect(!bench.others.contains { if case .failed = $0 { true } else { false } }, "seed \(seed)")
    }
}

extension HCIErrorCode {
    fileprivate static let hardwareFailure = HCIErrorCode(rawValue: 0x03)
}
