import Foundation
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Commands of a fleet that share a process")
struct FleetServingTests {
    /// What a server writes if it gets these requests, and the folders that it has entered.
    private func serve(
        _ requests: [String],
        _ fixture: CommandFixture,
        memory: Int = 0,
        environment: [String: String]? = nil
    ) -> (lines: [Substring], folders: [String]) {
        var octets: [[UInt8]] = [Array((requests.joined(separator: "\n") + "\n").utf8)]
        // Requests come in pieces.
        if let all = octets.first, all.count > 8 { octets = [Array(all[..<7]), Array(all[7...])] }
        fixture.byteInput = ByteInput { _ in octets.isEmpty ? .end : .bytes(octets.removeFirst()) }
        var folders: [String] = []
        let result = fixture.run { context in
            var context = context
            if let environment { context.environment = environment }
            var serving = FleetServing(context: context)
            serving.memory = { memory }
            serving.enter = { folder in
                folders.append(folder)
                return Files.kind(folder) == .folder ? nil : "no such folder"
            }
            serving()
        }
        #expect(result.error == "")
        return (result.output.split(separator: "\n"), folders)
    }

    private func call(_ name: String, _ fixture: CommandFixture, _ more: [String] = []) -> FleetCall {
        let folder = fixture.folder.path + "/sites/" + name
        var call = FleetCall(
            network: FleetNetwork(name: name, folder: folder, definition: []),
            arguments: ["plan", fixture.folder.path + "/shop.yaml", "--network", name, "--detailed-exitcode"] + more,
            environment: fixture.environment
        )
        call.environment["MESHPLAN_VAR_name"] = name
        call.environment["MESHPLAN_VAR_building"] = name == "graz-1" ? "1" : "3"
        return call
    }

    private func alone(_ call: FleetCall) -> CommandFixture.Result {
        let own = CommandFixture(inSystemFolder: call.network.folder)
        own.environment = call.environment
        return own.run(call.arguments)
    }

    @Test("Each gets what it gets in a process of its own: folder, environment, output, status")
    func same() throws {
        let fixture = try FleetCommandTests.shops()
        let calls = [call("graz-1", fixture), call("wien-1", fixture, ["--json"]), call("wien-1", fixture, ["--no"])]
        let (lines, folders) = serve(calls.map { $0.request(in: fixture.environment) }, fixture)
        #expect(folders == calls.map(\.network.folder))
        var rest = lines[...]
        for call in calls {
            let alone = alone(call)
            let own = rest.prefix { $0.first != "=" }
            rest = rest.dropFirst(own.count)
            func stream(_ mark: Character) -> String {
                own.filter { $0.first == mark }.map { $0.dropFirst() + "\n" }.joined()
            }
            // Empty lines are none of a split text. Identifiers of plans are random.
            func comparable(_ text: String) -> String {
                text.split(separator: "\n").joined(separator: "\n").replacing(#/"plan":"[0-9a-f]{32}"/#, with: "")
                    .replacing(#/,"time":"[^"]*"/#, with: "")
            }
            #expect(comparable(stream("o")) == comparable(alone.output))
            #expect(comparable(stream("e")) == comparable(alone.error))
            #expect(rest.popFirst() == "=\(alone.status)")
        }
        #expect(rest.isEmpty && lines.contains("=2") && lines.contains("=64"))
        #expect(lines.contains { $0.hasPrefix("o") && $0.contains("lamp-1") }, "it is a plan: \(lines)")
    }

    @Test("What is no request, or has no folder, is an error of that request only")
    func hostile() throws {
        let fixture = try FleetCommandTests.shops()
        var lost = call("graz-1", fixture)
        lost.network.folder = "/none"
        let requests = ["nonsense", "{}", #"{"arguments":7}"#, lost.request(in: [:])]
        let (lines, _) = serve(requests + [call("graz-1", fixture).request(in: [:])], fixture)
        #expect(lines.filter { $0 == "eError: the request cannot be read." }.count == 3)
        #expect(lines.filter { $0.first == "=" } == ["=64", "=64", "=64", "=1", "=2"])
        #expect(lines.contains("eError: cannot work in /none: no such folder"))
    }

    @Test("A process that has needed much memory ends after the request, and takes no other")
    func memory() throws {
        let fixture = try FleetCommandTests.shops()
        let request = call("graz-1", fixture).request(in: fixture.environment)
        let (lines, folders) = serve([request, request], fixture, memory: 1 << 40)
        #expect(folders.count == 1 && lines.last == ".2")
        #expect(!lines.contains { $0.hasPrefix("=") })
    }

    @Test("Of the environment a request has what differs, and the rest is the server's")
    func environment() throws {
        let fixture = try FleetCommandTests.shops()
        var call = call("graz-1", fixture)
        call.environment["MESHPLAN_STATE"] = nil
        let known = fixture.environment.merging(["MESHPLAN_STATE": "postgres://nowhere/x"]) { $1 }
        let request = call.request(in: known)
        #expect(request.contains(#""without":["MESHPLAN_STATE"]"#) && !request.contains("NO_COLOR"))
        // With the variable, the database would be looked for elsewhere.
        #expect(serve([request], fixture, environment: known).lines.last == "=2")
    }

    @Test("Plans that send nothing share a process; all other commands have one of their own")
    func choice() throws {
        let fixture = try FleetCommandTests.shops()
        var calls: [FleetCall] = []
        fixture.fleetWorkers = FleetWorkers { workers, context, next, tell in
            let noted = { () -> (number: Int, call: FleetCall)? in
                let call = next()
                if let call { calls.append(call.call) }
                return call
            }
            FleetWorkers.inThisProcess.run(workers, context, noted, tell)
        }
        func served(_ arguments: String...) -> Set<Bool> {
            calls = []
            _ = fixture.run(["fleet"] + arguments)
            return Set(calls.map(\.isServed))
        }
        #expect(served("plan") == [true])
        #expect(calls.count == 3)
        #expect(served("plan", "--json") == [true])
        #expect(served("plan", "--", "--refresh=all", "--via", "simulator") == [false])
        #expect(served("drift") == [false])
        #expect(served("apply", "--auto-approve", "--devices", "devices/all.yaml") == [true, false])
    }
}
