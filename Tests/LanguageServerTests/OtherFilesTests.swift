import SystemLayer
import Testing

@testable import LanguageServer

@Suite("Files that are no part of a definition")
struct OtherFilesTests {
    private static let definition = "version: 1\nnetwork: hq\nsubnets: { building: { index: 0 } }\n"
    private static let devices = """
        products:
          lamp: { features: [relay], elements: [{ models: [generic-onoff-server] }] }
        devices:
          a: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, product: lamp }

        """

    private func client(_ disk: [String: String], _ path: String) -> ScriptedClient {
        var client = ScriptedClient(disk)
        client.initialize(#"{"capabilities":{},"rootUri":"file:///w"}"#)
        client.open(path, disk[path] ?? "")
        return client
    }

    @Test("Devices are checked as devices, also beside no definition that names them")
    func devices() {
        let path = "/w/sim/devices.yaml"
        var client = client(["/w/hq.yaml": Self.definition, path: Self.devices], path)
        #expect(client.published().map(\.messages) == [[]])
        client.change(path, Self.devices.replacing("product: lamp", with: "product: lump"), version: 2)
        client.wait(200)
        let messages = client.published().flatMap(\.messages)
        #expect(messages.count == 1)
        #expect(messages.first?.contains("`lump`") == true, "\(messages)")
    }

    @Test("Devices that a definition names are checked with it")
    func named() {
        let path = "/w/sim/devices.yaml"
        let disk = ["/w/hq.yaml": Self.definition + "include: sim/devices.yaml\n", path: Self.devices]
        let client = client(disk, path)
        #expect(client.server.documents["file://" + path]?.project == "/w")
    }

    @Test("A file becomes one of devices while it is typed, and its first mistakes go")
    func becoming() {
        let path = "/w/sim/devices.yaml"
        var client = client(["/w/hq.yaml": Self.definition, path: "version: 1\n"], path)
        #expect(client.published().first?.messages.first?.contains("`network` is missing") == true)
        client.change(path, Self.devices, version: 2)
        client.wait(200)
        #expect(client.published().last?.messages == [])
        #expect(client.server.documents["file://" + path]?.project == path)
        #expect(client.server.projects.keys.sorted() == [path])
    }

    @Test(
        "Mistakes in lists and settings",
        arguments: [
            ("/w/fleet.yaml", "version: 1\nnetworks:\n  a: { definitoin: x.yaml }\n", "2:7 unknown key `definitoin`"),
            ("/w/.meshplan.yaml", "via: simulator\nradoi: office\n", "1:0 there is no setting `radoi`"),
        ]
    )
    func wrong(path: String, text: String, expected: String) {
        var client = client(["/w/hq.yaml": Self.definition, path: text], path)
        let messages = client.published().filter { $0.uri == "file://" + path }.flatMap(\.messages)
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix(expected) == true, "\(messages)")
    }

    @Test(
        "Each kind is completed and explained by its own schema",
        arguments: [
            ("/w/fleet.yaml", "version: 1\nnetworks:\n  a: { ¦ }\n", "definition", "networks"),
            ("/w/fleet.yaml", "¦\n", "networks", "profiles"),
            ("/w/.meshplan.yaml", "radio: ¦\n", "harsh", "on"),
            ("/w/.meshplan.yaml", "¦\n", "connections", "network"),
            ("/w/sim/d.yaml", "devices: {}\nproducts:\n  lamp: { ¦ }\n", "replay_list", "profile"),
            ("/w/sim/d.yaml", "devices: {}\nproducts:\n  lamp: { features: [¦] }\n", "relay", "on"),
        ]
    )
    func completed(path: String, marked: String, offered: String, foreign: String) {
        let mark = MarkedText(marked)
        var client = client(["/w/hq.yaml": Self.definition, path: mark.text], path)
        let answer = client.request("textDocument/completion", mark.params(path))?["result"]
        let labels = answer?["items"]?.items?.compactMap { $0["label"]?.text } ?? []
        #expect(labels.contains(offered), "\(labels)")
        #expect(!labels.contains(foreign), "\(labels)")
    }

    @Test("A setting is explained")
    func explained() {
        let mark = MarkedText("via: simulator\nwin¦dow: 4\n")
        var client = client(["/w/.meshplan.yaml": mark.text], "/w/.meshplan.yaml")
        let answer = client.request("textDocument/hover", mark.params("/w/.meshplan.yaml"))?["result"]
        #expect(answer?["contents"]?["value"]?.text?.contains("nodes") == true)
    }
}
