import Foundation
import Testing

/// Tests provisioning between two processes with each way to authenticate, from a folder with only a definition to an
/// empty plan.
@Suite("Provisioning between processes", .timeLimit(.minutes(45)))
struct ProvisioningTests {
    /// A way to authenticate a device.
    struct Method: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The product's capabilities: the YAML below `provisioning:`.
        var offer: String
        /// The device's values: more fields of its entry.
        var device = ""
        /// The definition's settings: the YAML after `provisioning:`.
        var definition = "{}"
        /// Further files next to the definition.
        var files: [String: String] = [:]
        /// More options of apply.
        var options: [String] = []
        /// What a person does at the device.
        var person = Person.nobody
    }

    /// What a person does at the device.
    enum Person: Sendable {
        case nobody
        /// Types the value that the device shows, after a mistake.
        case reads(question: String, observation: String)
        /// Follows the instruction on the terminal.
        case pushes(instruction: String)
    }

    private static let value = "00112233445566778899aabbccddeeff"
    private static let privateKey = "06a516693c9aa31a6084545d0c5db641b48572b97203ddffb7ac73f7d0457663"
    private static let publicKey =
        "2c31a47b5779809ef44cb5eaaf5c3e43d5f8faad4a8794cb987e9b03745c78dd"
        + "919512183898dfbecd52e2408e43871fd021109117bd3ed4eaf8437743715d4f"

    static let methods = [
        Method(testDescription: "no OOB", offer: "{}"),
        Method(
            testDescription: "static OOB out of a table",
            offer: "{ static: \(value), requires_authentication: on }",
            files: ["batch.csv": "uuid,static\n\(uuid),\(value)\n"],
            options: ["--secrets", "batch.csv"]
        ),
        Method(
            testDescription: "static OOB out of a file that the definition names, with CMAC",
            offer: "{ static: \(value), requires_authentication: on, algorithms: [cmac] }",
            definition: "{ oob: static, static: { file: value }, algorithm: cmac }",
            files: ["value": value + "\n"]
        ),
        Method(
            testDescription: "output OOB, a number",
            offer: "{ output: { actions: [numeric], size: 4 }, algorithms: [hmac] }",
            definition: "{ oob: output, algorithm: hmac }",
            person: .reads(question: "Type the number that lamp shows, up to 4 digits:", observation: "lamp shows ")
        ),
        Method(
            testDescription: "output OOB, blinking",
            offer: "{ output: { actions: [blink], size: 1 } }",
            definition: "{ oob: output }",
            person: .reads(question: "Type the number of times that lamp blinks:", observation: "lamp blinks ")
        ),
        Method(
            testDescription: "output OOB, characters",
            offer: "{ output: { actions: [alphanumeric], size: 8 } }",
            definition: "{ oob: output }",
            person: .reads(question: "Type the 8 characters that lamp shows:", observation: "lamp shows ")
        ),
        Method(
            testDescription: "input OOB, pushing a button",
            offer: "{ input: { actions: [push], size: 1 } }",
            definition: "{ oob: input }",
            person: .pushes(instruction: "Push the button of lamp ")
        ),
        Method(
            testDescription: "input OOB, typing a number",
            offer: "{ input: { actions: [numeric], size: 6 } }",
            definition: "{ oob: input }",
            person: .pushes(instruction: "Enter ")
        ),
        Method(
            testDescription: "public key out of band",
            offer: "{}",
            device: ", private_key: \(privateKey)",
            definition: "{ public_key: { file: lamp.key } }",
            files: ["lamp.key": publicKey]
        ),
    ]

    private static let uuid = "0d5c5a0e6f5b4f0ea1a50b1f1c1f0001"

    @Test("A device becomes a configured node, and a plan after it is empty", arguments: methods)
    func session(method: Method) async throws {
        let house = try House.empty()
        defer { house.remove() }
        try house.write(
            """
            products:
              lamp:
                company: 0x0059
                product: 0x0001
                features: [relay, proxy]
                elements: [{ models: [generic-onoff-server] }]
                provisioning: \(method.offer)
            devices:
              lamp: { uuid: \(Self.uuid), product: lamp\(method.device) }
            """,
            to: "sim/devices.yaml"
        )
        try house.write(
            """
            version: 1
            network: villa
            subnets: { home: { index: 0 } }
            application_keys: { light: { subnet: home } }
            nodes:
              lamp:
                uuid: \(Self.uuid)
                provisioning: \(method.definition)
                features: { proxy: on }
                elements: { 0: { generic-onoff-server: { keys: [light] } } }
            """,
            to: "villa.yaml"
        )
        for (name, text) in method.files { try house.write(text, to: name) }
        let start = try await house.meshplan(["init", "--network", "villa"])
        #expect(start.status == 0, "\(start.output)")

        let simulator = try LiveProcess(
            House.meshplan,
            ["sim", "--devices", "sim/devices.yaml", "--listen", "unix:s", "--speed", "20"],
            in: house.folder,
            through: .pipes
        )
        try simulator.wait(for: "listening on unix:s\n")
        let isAttended = if case .nobody = method.person { false } else { true }
        let apply = try LiveProcess(
            House.meshplan,
            ["apply", "--via", "unix:s", "--auto-approve"] + method.options,
            in: house.folder,
            through: isAttended ? .terminal : .pipes
        )
        switch method.person {
        case .nobody: break
        case .reads(let question, let observation):
            try apply.wait(for: question)
            apply.type("?")
            try apply.wait(for: question)
            try simulator.wait(for: observation)
            let words = try simulator.restOfLine().split(separator: " ")
            apply.type(String(try #require(words.first)))
        case .pushes(let instruction):
            try apply.wait(for: instruction)
            let words = try apply.restOfLine().split { $0 == " " || $0 == "." }
            let value = words.first == "once" ? "1" : String(try #require(words.first))
            simulator.type("input lamp \(value)")
        }
        let status = try apply.finish()
        #expect(status == 0, "\(apply.transcript)\n\(simulator.transcript)")
        #expect(apply.transcript.contains("lamp: provisioned at 0x0002 (1 element)"))
        #expect(apply.transcript.contains("not authenticated") == (method.testDescription == "no OOB"))
        #expect(!apply.transcript.contains(Self.value) && !simulator.transcript.contains(Self.value))

        let plan = try await house.meshplan(["plan", "--detailed-exitcode"])
        #expect(plan.status == 0, "\(plan.output)")
        simulator.interrupt()
        #expect(try simulator.finish() == 0, "\(simulator.transcript)")
        let nodes = try await house.meshplan(["sim", "status", "--devices", "sim/devices.yaml"])
        #expect(nodes.output == "1 simulated node.\nAll agree with the mesh database.\n")
    }

    @Test("A question that nobody answers in time is taken back and asked anew, and Ctrl-C ends it")
    func unanswered() async throws {
        let house = try House.empty()
        defer { house.remove() }
        try house.write(
            """
            products:
              lamp:
                elements: [{ models: [generic-onoff-server] }]
                provisioning: { output: { actions: [blink], size: 1 } }
            devices: { lamp: { uuid: \(Self.uuid), product: lamp } }
            """,
            to: "sim/devices.yaml"
        )
        try house.write(
            "version: 1\nnetwork: villa\nsubnets: { home: { index: 0 } }\n"
                + "nodes: { lamp: { uuid: \(Self.uuid), provisioning: { oob: output } } }\n",
            to: "villa.yaml"
        )
        _ = try await house.meshplan(["init", "--network", "villa"])
        let simulator = try LiveProcess(
            House.meshplan,
            ["sim", "--devices", "sim/devices.yaml", "--listen", "unix:s", "--speed", "20"],
            in: house.folder,
            through: .pipes
        )
        try simulator.wait(for: "listening on unix:s\n")
        let apply = try LiveProcess(
            House.meshplan,
            ["apply", "--via", "unix:s", "--auto-approve"],
            in: house.folder,
            through: .terminal
        )
        // The device gives up after a minute of its own accelerated time, and is tried again a little later.
        try apply.wait(for: "Type the number of times that lamp blinks:")
        try apply.wait(for: "(no longer needed)")
        try apply.wait(for: "while waiting for the out-of-band value;")
        try apply.wait(for: "trying again in ")
        try apply.wait(for: "Type the number of times that lamp blinks:")
        apply.interrupt()
        #expect(try apply.finish() == 130, "\(apply.transcript)")
        #expect(
            apply.transcript.contains("Next: meshplan apply --via unix:s --auto-approve (continues with what is left)"),
            "\(apply.transcript)"
        )
        simulator.interrupt()
        #expect(try simulator.finish() == 0)
    }
}
