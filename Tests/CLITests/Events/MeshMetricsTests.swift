import Execution
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Metrics and logs")
struct MeshMetricsTests {
    /// The samples of a text in the format of Prometheus by their names and labels; records what is not in it.
    private func samples(_ text: String) -> [String: Double] {
        var samples: [String: Double] = [:]
        var types: [String: Substring] = [:]
        for line in text.split(separator: "\n") {
            if let match = line.wholeMatch(of: #/# TYPE ([a-z_]+) (counter|gauge|histogram)/#) {
                let former = types.updateValue(match.2, forKey: String(match.1))
                #expect(former == nil, "\(line) twice")
            } else if line.wholeMatch(of: #/# HELP [a-z_]+ [A-Z].*\./#) == nil {
                let sample = #/([a-z_]+)(\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? (-?[0-9.e+-]+)/#
                guard let match = line.wholeMatch(of: sample), let value = Double(match.3) else {
                    Issue.record("not a sample: \(line)")
                    continue
                }
                let family = match.1.replacing(#/_(bucket|sum|count)$/#, with: "")
                #expect((types[String(match.1)] ?? types[String(family)]) != nil, "no type: \(line)")
                let name = String(match.1 + (match.2 ?? ""))
                let former = samples.updateValue(value, forKey: name)
                #expect(former == nil, "\(name) twice")
            }
        }
        return samples
    }

    @Test("apply --metrics writes what was sent, answered and lost, and what the database knows")
    func apply() throws {
        let fixture = try CommandFixture.house()
        let run = ["apply", "--via", "simulator", "--auto-approve", "--off", "mary", "--metrics", "run.prom"]
        #expect(fixture.run(run).status == 4)
        let text = String(decoding: try #require(fixture.read("run.prom")), as: UTF8.self)
        let samples = samples(text)
        let sent = try #require(samples["meshplan_messages_sent_total"])
        #expect(sent > 8 && samples["meshplan_retries_total"] ?? 0 > 0 && samples["meshplan_unanswered_total"] ?? 0 > 0)
        #expect(samples["meshplan_pending_nodes"] == 1 && samples["meshplan_exit_code"] == 4)
        #expect(samples["meshplan_links_made_total"] ?? 0 >= 1)
        let answers = try #require(samples[#"meshplan_answers_total{answer="expected"}"#])
        #expect(answers >= 5)
        let count = try #require(samples["meshplan_round_trip_seconds_count"])
        #expect(count > 0 && samples[#"meshplan_round_trip_seconds_bucket{le="+Inf"}"#] == count)
        #expect(samples["meshplan_round_trip_seconds_sum"] ?? 0 > 0)
        #expect(samples[#"meshplan_iv_index{network="house"}"#] != nil)
        let left = try #require(samples[#"meshplan_sequence_numbers_left{network="house"}"#])
        #expect(left > 0 && left <= 16_777_216)
        #expect(samples[#"meshplan_requests_in_doubt{network="house"}"#] == 1)
        #expect(samples[#"meshplan_drifted_values{network="house"}"#] == 0)
        #expect(fixture.run("apply", "--via", "simulator", "--metrics", ".").status == 1)
    }

    @Test("labels are quoted, and buckets add up")
    func text() {
        var histogram = MetricsText.Histogram(bounds: [0.5, 1])
        for value in [0.25, 0.75, 1, 3] { histogram.add(value) }
        var text = MetricsText()
        text.add("x_seconds", "X.", histogram)
        let samples: [MetricsText.Sample] = [(["network": "a\"b\\c\n"], 1.5)]
        text.add("y", .gauge, "Y.", samples)
        #expect(
            text.text == """
                # HELP x_seconds X.
                # TYPE x_seconds histogram
                x_seconds_bucket{le="0.5"} 1
                x_seconds_bucket{le="1"} 3
                x_seconds_bucket{le="+Inf"} 4
                x_seconds_sum 5
                x_seconds_count 4
                # HELP y Y.
                # TYPE y gauge
                y{network="a\\"b\\\\c\\n"} 1.5

                """
        )
    }

    @Test("-v tells who was sent what, which try, and how long it took; trace adds packets; no line holds a key")
    func log() throws {
        let fixture = try CommandFixture.house()
        let run = ["apply", "--via", "simulator", "--auto-approve", "--off", "mary", "-v"]
        let log = fixture.run(run).error
        #expect(
            log.contains(
                #/\d\d:\d\d:\d\d\.\d{3}  debug  Bedside Light \(Brian\) \(0x0007\) config-appkey-add: sent, \d+ octets/#
            )
        )
        #expect(
            log.contains(#/debug  Bedside Light \(Brian\) \(0x0007\) config-default-ttl-set: answered after \d+ms/#),
            "\(log)"
        )
        #expect(log.contains(#/debug  Bedside Light \(Mary\) \(0x[0-9A-F]{4}\) \S+: sent again, try 2/#), "\(log)")
        #expect(log.contains(#/debug  Bedside Light \(Mary\) .*: no answer after .* and \d+ tries/#), "\(log)")
        #expect(log.contains(#/debug  link to Bell .* is up: listened/#), "\(log)")
        #expect(!log.contains("trace"))
        let trace = fixture.run(
            ["get", "brian", "attention", "--via", "simulator", "--log-level", "trace", "--log-file", "mesh.log"]
        )
        #expect(!trace.error.contains("debug"), "\(trace.error)")
        let refresh = [
            "refresh", "--node", "brian", "--via", "simulator", "--log-level", "trace", "--log-file", "mesh.log",
        ]
        #expect(fixture.run(refresh).status == 0)
        let file = String(decoding: try #require(fixture.read("mesh.log")), as: UTF8.self)
        #expect(file.contains(#/20\d\d-\S+Z  trace  link \d+: sent network PDU, \d+ octets/#), "\(file)")
        #expect(file.contains("received beacon"))
        let network = String(decoding: try #require(fixture.read("network.json")), as: UTF8.self)
        let keys = network.matches(of: #/"(?:key|deviceKey)"\s*:\s*"([0-9A-Fa-f]{32})"/#)
        #expect(!keys.isEmpty)
        for key in keys { #expect(!(log + file).lowercased().contains(key.1.lowercased())) }
        #expect(fixture.run("scan", "--via", "simulator", "--log-level", "loud").status == 64)
    }
}

@Suite("The progress line")
struct RunProgressTests {
    private let style = Style(isColoured: false, drawsBoxes: true, isTerminal: true, width: 80)
    private let node = DeviceUUID("0d5c5a0e6f5b4f0ea1a50b1f1c1f0001")

    private func figures(_ seconds: Int, messages: Int = 0, retries: Int = 0) throws -> RunFigures {
        RunFigures(
            elapsed: .seconds(seconds),
            messages: messages,
            retries: retries,
            links: 2,
            asked: Array(repeating: try required(node), count: 5)
        )
    }

    private func expect(_ text: String, in line: String?) {
        #expect(line?.contains(text) == true, "\(line ?? "nothing")")
    }

    @Test("the remaining time is that of the estimate at first, then that of the run's own pace")
    func remaining() throws {
        var progress = RunProgress(estimate: { 100 })
        progress.steps = (0, 40)
        progress.take(try figures(10))
        expect("0:10, 1:30 left", in: progress.status(style) { _ in "lamp" })
        progress.steps = (10, 40)
        progress.take(try figures(60))
        // A quarter is done: half of the estimate, half of the pace of 240 s in all.
        expect("1:00, 1:50 left", in: progress.status(style) { _ in "lamp" })
        progress.steps = (20, 40)
        progress.take(try figures(120))
        expect("2:00, 2:00 left", in: progress.status(style) { _ in "lamp" })
        progress.steps = (40, 40)
        progress.take(try figures(3_700))
        expect("1:01:40, 0:00 left", in: progress.status(style) { _ in "lamp" })
    }

    @Test("it fits the terminal: what is least important goes first")
    func width() throws {
        var progress = RunProgress(estimate: { 100 })
        progress.steps = (10, 40)
        progress.pending = 3
        progress.take(try figures(60, messages: 1_234, retries: 56))
        let wide = Style(isColoured: false, drawsBoxes: true, isTerminal: true, width: 200)
        let whole = progress.status(wide) { _ in "lamp-1" }
        #expect(
            whole == "[==        ] 10 of 40 steps · 1:00, 1:50 left · 3 pending · 56 retries · 1234 messages · 2 links "
                + "· lamp-1, lamp-1 +3"
        )
        let shortened = progress.status(style) { _ in "lamp-1" }
        let narrow = try #require(shortened)
        #expect(narrow.displayWidth < 80 && narrow.contains("lamp-1, lamp-1 +3") && !narrow.contains("links"))
    }

    @Test("where no line can be rewritten one comes every ten seconds of the calendar")
    func lines() throws {
        var progress = RunProgress(of: "node", estimate: { nil })
        progress.steps = (1, 4)
        progress.take(try figures(7, messages: 9))
        let line1000 = progress.line(at: 1_000) { _ in "lamp" }
        #expect(line1000 == nil)
        let line10999 = progress.line(at: 10_999) { _ in "lamp" }
        #expect(line10999 == nil)
        let line = progress.line(at: 11_000) { _ in "lamp" }
        #expect(line == "0:07, 1 of 4 nodes, 9 messages, 2 links, lamp, lamp +3")
        let line20999 = progress.line(at: 20_999) { _ in "lamp" }
        #expect(line20999 == nil)
        let line21000 = progress.line(at: 21_000) { _ in "lamp" }
        #expect(line21000 != nil)
    }
}
