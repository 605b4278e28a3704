import Bearers
import DefinitionModel
import MeshCore
import SystemLayer
import Testing

@testable import MeshplanCLI

@Suite("The log of a gateway")
struct GatewayLogTests {
    /// The lines of a log.
    ///
    /// - Parameter step: the seconds that pass with each event.
    private func lines(_ events: [GatewayRelay.Event], step: Int64 = 0) -> [String] {
        var text = ""
        var now = Timestamp(rawValue: 1_795_000_000)
        let context = Context(
            Effects(
                workingDirectory: "/",
                environment: [:],
                output: Output { line in
                    text += line
                    return nil
                },
                errorOutput: Output { _ in nil },
                terminal: Terminal(isInputTerminal: false, isOutputTerminal: false, isErrorTerminal: false, width: 80),
                readLine: { nil },
                lineInput: LineInput(poll: { .nothing }, discard: {}),
                now: { now },
                randomBits: { 0 },
                interrupts: Interrupts(arm: {}, count: { 0 }),
                process: ProcessIdentity(number: 1, user: "tester", host: "bench"),
                pause: { _ in }
            )
        )
        let log = GatewayLog(context: context)
        for event in events {
            log.write(event)
            now.rawValue += step
        }
        return text.split(separator: "\n").map(String.init)
    }

    private let client = FrameServer.Client(rawValue: 0)

    private func link(_ number: UInt32) -> FrameServer.ClientLink {
        FrameServer.ClientLink(client: client, link: LinkIdentifier(rawValue: number))
    }

    @Test("who comes is named with the fingerprint that --deny takes, and on one line whatever the name is")
    func came() {
        let fingerprint = [UInt8](repeating: 0xAB, count: 32)
        let lines = lines([
            .came(client, peer: "ann\nclient 9 (root) came\u{1B}[2J at 10.0.0.7:5", fingerprint: fingerprint),
            .came(FrameServer.Client(rawValue: 1), peer: "a local process", fingerprint: nil),
        ])
        #expect(lines.count == 2 && !lines[0].contains("\u{1B}"))
        #expect(
            lines[0].hasPrefix("client 1 (ann")
                && lines[0].hasSuffix(" came with the certificate " + String(repeating: "ab", count: 32))
        )
        #expect(lines[1] == "client 2 (a local process) came")
    }

    @Test("whoever is turned away without end does not fill the log, and is counted")
    func turnedAway() {
        let knocks = (0..<70).map { GatewayRelay.Event.turnedAway(peer: "10.0.0.9:\($0)", reason: "no TLS") }
        #expect(lines(knocks).count == 20)
        // With one per second, the lines of one minute are followed by those of the next.
        let slow = lines(knocks, step: 1)
        #expect(slow.count == 31)
        #expect(slow[19] == "refused 10.0.0.9:19: no TLS")
        #expect(slow[20] == "refused 40 more since 2026-11-18T11:06:40Z")
        #expect(slow[21] == "refused 10.0.0.9:60: no TLS")
        #expect(lines(knocks, step: 4).count == 70)
    }

    @Test("only a link that was open is over; another one did not come about")
    func links() {
        let full = BearerError("all 4 links of the gateway are in use", hint: "Wait.")
        let lines = lines([
            .came(client, peer: "ann", fingerprint: nil), .lost(link(0), full, carried: .init()),
            .opened(link(1), .anyProxy), .lost(link(1), BearerError("out of range"), carried: .init()),
            .lost(link(1), BearerError("out of range"), carried: .init()),
        ])
        #expect(
            lines.dropFirst() == [
                "client 1 (ann): link 0 failed: all 4 links of the gateway are in use (Wait.)",
                "client 1 (ann): link 1 to a proxy is open",
                "client 1 (ann): link 1 ended: out of range; 0 packets sent, 0 received",
                "client 1 (ann): link 1 failed: out of range",
            ]
        )
    }
}
