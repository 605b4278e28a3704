import Foundation
import Testing

@testable import MeshplanCLI

@Suite("Titles")
struct TitleCommandTests {
    private func applied(_ fixture: CommandFixture) -> CommandFixture.Result {
        fixture.run("apply", "--auto-approve", "--via", "simulator")
    }

    @Test("A title is a change of the database alone; it is shown and exported, and goes with its line")
    func titles() throws {
        let fixture = try CommandFixture()
        try #require(fixture.run("init", "--network", "hq").status == 0)
        let text = """
            version: 1
            network: hq
            title: "Büro"
            subnets: { primary: { index: 0, title: "Netz" } }
            application_keys: { light: { subnet: primary, title: "Licht" } }
            groups: { kitchen: { title: "Küche 厨房", address: 0xC001 } }

            """
        try fixture.write(text, to: "hq.yaml")
        let planned = fixture.run("plan", "--json")
        let titles = planned.output.split(separator: "\n").filter { $0.contains(#""kind":"title""#) }
        #expect(titles.count == 4, "\(planned.combined)")
        // The key and the group are new and come with theirs, which are no additions of their own.
        #expect(titles.count { $0.contains(#""action":"create""#) } == 2, "\(titles)")
        #expect(titles.count { $0.contains(#""action":"update""#) } == 2, "\(titles)")
        #expect(planned.output.contains(#""add":2,"change":2,"#), "\(planned.combined)")
        let run = applied(fixture)
        #expect(run.status == 0, "\(run.combined)")
        #expect(fixture.run("plan").output.contains("No changes"), "\(fixture.run("plan").combined)")
        let shown = fixture.run("show").output
        #expect(shown.contains("Küche 厨房") && shown.contains("Büro") && shown.contains("Licht"), "\(shown)")
        #expect(fixture.run("show", "--json").output.contains(#""title":"Küche 厨房""#))
        #expect(fixture.run("export", "--cdb", "out.json").status == 0)
        let exported = String(decoding: fixture.read("out.json") ?? [], as: UTF8.self)
        for name in [#""meshName": "Büro""#, #""name": "Netz""#, #""name": "Licht""#, #""name": "Küche 厨房""#] {
            #expect(exported.contains(name), "\(name)")
        }
        try fixture.write(text.replacing("title: \"Küche 厨房\", ", with: ""), to: "hq.yaml")
        let removal = fixture.run("plan")
        #expect(removal.output.contains("Küche 厨房"), "\(removal.combined)")
        #expect(applied(fixture).status == 0)
        #expect(!fixture.run("show").output.contains("Küche 厨房"))
    }

    @Test("The title of what was removed does not belong to what gets its address next")
    func removed() throws {
        let fixture = try CommandFixture()
        try #require(fixture.run("init", "--network", "hq").status == 0)
        let head = "version: 1\nnetwork: hq\nsubnets: { primary: { index: 0 } }\n"
        try fixture.write(head + "groups: { old: { title: Old Hall, address: 0xC100 } }\n", to: "hq.yaml")
        try #require(applied(fixture).status == 0)
        try fixture.write(head, to: "hq.yaml")
        try #require(applied(fixture).status == 0)
        try fixture.write(head + "groups: { new: { address: 0xC100 } }\n", to: "hq.yaml")
        let plan = fixture.run("plan")
        #expect(plan.output.contains("Plan: 1 to add, 0 to change, 0 to remove"), "\(plan.combined)")
        #expect(!plan.output.contains("Old Hall"), "\(plan.combined)")
    }

    @Test("What was imported under names that are none in a definition is adopted with them as titles, and exported so")
    func adoptsNames() throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        try #require(fixture.run("init").status == 0)
        let imported = fixture.run("import", "--cdb", "network.json", "--network", "house", "--write-definition", ".")
        #expect(imported.status == 0, "\(imported.combined)")
        let text = String(decoding: fixture.read("house.yaml") ?? [], as: UTF8.self)
        for title in ["Brian and Mary's House", "Bedroom Light Switch", "Bedside (Brian)", "Molly's Access Tag"] {
            #expect(text.contains("title: \"\(title)\""), "\(title)")
        }
        #expect(fixture.run("plan").output.contains("No changes"), "\(fixture.run("plan").combined)")
        #expect(fixture.run("export", "--cdb", "out.json").status == 0)
        let exported = String(decoding: fixture.read("out.json") ?? [], as: UTF8.self)
        #expect(exported.contains(#""name": "Molly's Access Tag""#))
    }

    @Test("The lines of a plan say from which instance of a module nodes and groups come")
    func instances() throws {
        let fixture = try CommandFixture()
        try #require(fixture.run("init", "--network", "hq").status == 0)
        try fixture.write(
            """
            version: 1
            network: hq
            groups: { hall: {} }
            modules: { room: { parameters: { room: number }, groups: { room-$(room): {} } } }
            use: [{ module: room, for: { room: 101..102 } }]

            """,
            to: "hq.yaml"
        )
        let lines = fixture.run("plan", "--json").output.split(separator: "\n")
        let room = lines.first { $0.contains("group.room-102") }
        #expect(room?.contains(#""instance":"in use[0] of room, room = 102""#) == true, "\(lines)")
        #expect(room?.contains(#""file":"hq.yaml","line":4"#) == true, "\(lines)")
        #expect(lines.first { $0.contains("group.hall") }?.contains("where") == false)
    }
}
