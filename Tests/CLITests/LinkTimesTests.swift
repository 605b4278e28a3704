import Bearers
import DefinitionModel
import Execution
import Foundation
import MeshCore
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("How long links took")
struct LinkTimesTests {
    private static let times = GATTTimes(
        wait: .microseconds(5_900),
        connection: .milliseconds(310),
        mtuExchange: .milliseconds(60),
        discovery: .milliseconds(240),
        subscription: .milliseconds(61)
    )

    @Test("JSON tells the stages of a link over Bluetooth, and nothing of them where they are not known")
    func json() throws {
        var text = ""
        let output = Output {
            text += $0
            return nil
        }
        let json = ApplyJSON(lines: JSONLines(output, command: "apply", clock: { 1_795_000_000_123 }))
        var times = LinkTimes(scan: .milliseconds(812))
        times.connect = .milliseconds(677)
        times.beacon = .milliseconds(2)
        times.filter = .milliseconds(30)
        json.handle(.linkUp(proxy: try required(UnicastAddress(rawValue: 0x0104)), isDirect: false, times))
        times.gatt = Self.times
        json.handle(.linkUp(proxy: nil, isDirect: true, times))
        let lines = text.split(separator: "\n").map(String.init)
        try #require(lines.count == 3)
        let time = #""time":"2026-11-18T11:06:40.123Z""#
        let common = #""scan_ms":812,"connect_ms":677,"beacon_ms":2,"filter_ms":30"#
        #expect(lines[1] == #"{"type":"link_up","proxy":"0x0104","direct":false,\#(common),\#(time)}"#)
        let gatt = #""gatt":{"wait_ms":5,"connect_ms":310,"mtu_ms":60,"discover_ms":240,"subscribe_ms":61}"#
        #expect(lines[2] == #"{"type":"link_up","direct":true,\#(common),\#(gatt),\#(time)}"#)
    }

    @Test("a gateway's line tells them, too")
    func gateway() throws {
        let fixture = try CommandFixture()
        var text = ""
        let output = Output {
            text += $0
            return nil
        }
        let log = GatewayLog(
            context: Context(
                Effects(
                    workingDirectory: fixture.folder.path,
                    environment: [:],
                    output: output,
                    errorOutput: output,
                    terminal: Terminal(
                        isInputTerminal: false,
                        isOutputTerminal: false,
                        isErrorTerminal: false,
                        width: 80
                    ),
                    readLine: { nil },
                    lineInput: LineInput(poll: { .nothing }, discard: {}),
                    now: { fixture.now },
                    randomBits: { 0 },
                    interrupts: Interrupts(arm: {}, count: { 0 }),
                    process: ProcessIdentity(number: 1, user: "tester", host: "bench"),
                    pause: { _ in }
                )
            )
        )
        let client = FrameServer.Client(rawValue: 1)
        let link = FrameServer.ClientLink(client: client, link: LinkIdentifier(rawValue: 0))
        log.write(.opened(link, .anyProxy))
        log.write(.opened(link, .anyProxy, Self.times))
        #expect(
            text == """
                client 2: link 0 to a proxy is open
                client 2: link 0 to a proxy is open; waited 5 ms, connected within 310 ms, MTU 60 ms, discovery 240 ms, \
                subscription 61 ms

                """
        )
    }
}
