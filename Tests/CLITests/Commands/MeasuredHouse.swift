import Foundation
import Testing

/// The example network, in which the bell and the door bell have Health Servers with a key, and the bell a sensor.
extension CommandFixture {
    /// - Parameter copies: how many more bells there are: `Bell 1` and so on.
    static func measuredHouse(copies: Int = 0) throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        let octets = try #require(fixture.read("network.json"))
        var network = try #require(JSONSerialization.jsonObject(with: Data(octets)) as? [String: Any])
        let nodes = try #require(network["nodes"] as? [[String: Any]])
        let all = try nodes.map { node -> [String: Any] in
            guard let name = node["name"] as? String, name == "Bell" || name == "Door Bell" else { return node }
            var node = node
            var elements = try #require(node["elements"] as? [[String: Any]])
            var models = try #require(elements[0]["models"] as? [[String: Any]])
            for place in models.indices where models[place]["modelId"] as? String == "0002" {
                models[place]["bind"] = [2]
            }
            for model in name == "Bell" ? ["1100", "1101"] : [] {
                models.append(["modelId": model, "bind": [2], "subscribe": [String]()])
            }
            elements[0]["models"] = models
            node["elements"] = elements
            return node
        }
        let bell = try #require(all.first { $0["name"] as? String == "Bell" })
        network["nodes"] =
            all
            + (0..<copies).map { number in
                bell.merging([
                    "name": "Bell \(number)", "UUID": "EAA38997-3B43-45B6-9149-4865D2885A0\(number)",
                    "unicastAddress": "0F0\(number)",
                ]) { $1 }
            }
        try fixture.put(nil, to: "network.json")
        try fixture.write(
            String(decoding: JSONSerialization.data(withJSONObject: network), as: UTF8.self),
            to: "network.json"
        )
        try #require(fixture.run("init").status == 0)
        let imported = fixture.run("import", "--cdb", "network.json")
        try #require(imported.status == 0, "\(imported.combined)")
        return fixture
    }

    /// What a person does beside the simulated nodes; they keep it.
    func besides(_ lines: [String]) throws {
        let simulator = SimulatorThread(beside: self, ["--listen", "unix:mesh.sock", "--speed", "20"], typing: lines)
        try waitForSocket("mesh.sock", in: self)
        // What is typed is carried out before somebody is served.
        _ = run("scan", "--via", "unix:mesh.sock", "--time", "1s")
        let result = try #require(simulator.stop())
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    }
}
