import DefinitionModel
import Definitions
import MeshCore
import Testing

@testable import MeshplanCLI

@Suite("Concealment of secrets in source lines")
struct KeyConcealmentTests {
    @Test(
        "What stands behind `static` is concealed, whatever its form",
        arguments: [
            ("static: 00112233", "static: ********"),
            ("a: { static: 0011, oob: bogus }", "a: { static: ****, oob: bogus }"),
            ("a: { static: 00:11-22, oob: x }", "a: { static: ********, oob: x }"),
            ("\"static\": \"00 11\", \"oob\": 1", "\"static\": \"** **\", \"oob\": 1"),
            ("static: 'a, b'  # note", "static: '** *'  # note"),
            ("static: abc  # note", "static: ***  # note"),
            ("static: [00, 11]", "static: [*** **]"),
            ("static_oob: 0011", "static_oob: ****"),
            ("static: { file: keys/a.hex }", "static: { file: keys/a.hex }"),
            ("static: { env: ABBA }", "static: { env: ABBA }"),
            ("{ oob: static, attention: 5s }", "{ oob: static, attention: 5s }"),
            ("oob: static", "oob: static"), ("static", "static"), ("static:", "static:"),
        ]
    )
    func staticValues(_ source: String, _ shown: String) {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: source.concealingKeys(first: 200))
        #expect(String(text) == shown)
    }

    @Test("The digits of keys are concealed, UUIDs stay readable")
    func keys() {
        let digits = "00112233445566778899aabbccddeeff"
        var text = String.UnicodeScalarView()
        text.append(contentsOf: "public_key: \(digits)\(digits), uuid: \(digits)".concealingKeys(first: 200))
        #expect(String(text) == "public_key: \(String(repeating: "*", count: 64)), uuid: \(digits)")
    }

    @Test(
        "A key is concealed wherever it stands and however it is written",
        arguments: [
            ("ttl: 00112233445566778899aabbccddeeff", "ttl: ********************************"),
            ("x: 0112233445566778899aabbccddeeff", "x: *******************************"),
            ("a,00112233445566778899aabbccddeeff0,b", "a,*********************************,b"),
            (
                "oob: 00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff",
                "oob: **:**:**:**:**:**:**:**:**:**:**:**:**:**:**:**"
            ),
            ("v: 00112233 44556677 8899aabb ccddeeff", "v: ******** ******** ******** ********"),
            ("v: 0011-2233-4455-6677-8899-aabb-ccdd-eeff", "v: ****-****-****-****-****-****-****-****"),
            ("key: 00112233-4455-6677-8899-aabbccddeeff", "key: ********-****-****-****-************"),
            ("v: !!binary ABEiM0RVZneImaq7zN3u/w==", "v: !!binary ************************"),
            ("v: !!binary abc", "v: !!binary ***"), ("v: ABEiM0RVZneImaq7zN3u/w==", "v: ************************"),
            // Behind this tag base64 ends at the first colon, and 15 pairs are less than a key.
            (
                "v: !!binary 00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff",
                "v: !!binary **:**:**:**:**:**:**:**:**:**:**:**:**:**:**:**"
            ),
            ("v: BPrOMUaTOlq1F_FZCXmw8g", "v: **********************"),
            ("v: internationalisationss", "v: internationalisationss"),
            (
                "v: %04%fa%ce%31%46%93%3a%5a%b5%17%f1%59%09%79%b0%f2",
                "v: %**%**%**%**%**%**%**%**%**%**%**%**%**%**%**%**"
            ),
            (
                "v: [4, 250, 206, 49, 70, 147, 58, 90, 181, 23, 241, 89, 9, 121, 176, 242]",
                "v: [*, ***, ***, **, **, ***, **, **, ***, **, ***, **, *, ***, ***, ***]"
            ),
            (
                "floors: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]",
                "floors: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]"
            ),
            ("state: \"postgres://anna:s3cret@db/mesh\"", "state: \"postgres://anna:******@db/mesh\""),
            (
                "state: postgres://db/mesh?user=a&password=s3cret&x=1",
                "state: postgres://db/mesh?user=a&password=******&x=1"
            ),
            ("state: \"anna:s3cret@db/mesh\"", "state: \"anna:******@db/mesh\""),
            ("state: 'anna:s3c@ret@db/mesh', x: 'b@c'", "state: 'anna:*******@db/mesh', x: 'b@c'"),
            ("state: postgres:/anna:s3cret@db/mesh", "state: postgres:************@db/mesh"),
            ("[\"postgres://anna:s3,c'r]et@db\"]", "[\"postgres://anna:*********@db\"]"),
            ("{\"a\":\"b\",\"c\":\"d@e\"}", "{\"a\":\"b\",\"c\":\"d@e\"}"),
            ("from: git@example.org:mesh/site", "from: git@example.org:mesh/site"),
            ("via: gateway://cellar@127.0.0.1:9", "via: gateway://cellar@127.0.0.1:9"),
            ("host=db port=1 password=s3cret user=anna", "host=db port=1 password=****** user=anna"),
            ("PGPASSWORD='a b' psql", "PGPASSWORD='* *' psql"), ("Password: s3cret", "Password: ******"),
            ("password: correct horse, user: anna", "password: ******* *****, user: anna"),
            ("\"api_token\": \"abc def\", \"a\": 1", "\"api_token\": \"*** ***\", \"a\": 1"),
            ("the password of anna is wrong: try again", "the password of anna is wrong: try again"),
            (
                "v: 00/11|22+33\u{A0}44;55&66=77~88^99<aa>bb(cc)dd[ee]ff",
                "v: **/**|**+**\u{A0}**;**&**=**~**^**<**>**(**)**[**]**"
            ),
            ("v: 00112233/44556677/8899aabb/ccddeeff", "v: ********/********/********/********"),
            (
                #"v: \u0004\u00fa\u00ce\u0031\u0046\u0093\u003a\u005a\u00b5\u0017\u00f1\u0059\u0009\u0079\u00b0\u00f2"#,
                #"v: \u****"# + String(repeating: #"\u****"#, count: 15)
            ),
            ("v: ００１１２２３３４４５５６６７７８８９９ａａｂｂｃｃｄｄｅｅｆｆ", "v: ********************************"),
            ("v: AT5M4MKGSM5FVNIX6FMQS6NQ6I======", "v: " + String(repeating: "*", count: 32)),
            ("v: AT5M4MKGSM5FVNIX6FMQS6NQ6I", "v: " + String(repeating: "*", count: 26)),
            ("v: ABCDEFGHIJKLMNOPQRSTUVWXYZ", "v: ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            ("label: 00112233-4455-6677-8899-aabbccddeeff", "label: 00112233-4455-6677-8899-aabbccddeeff"),
            ("[C000, C001, C002, C003, C004, C005, C006, C007]", "[C000, C001, C002, C003, C004, C005, C006, C007]"),
            ("ttl: 0011223344556677, a: decade, b: [10, 20]", "ttl: 0011223344556677, a: decade, b: [10, 20]"),
        ]
    )
    func shapes(_ source: String, _ shown: String) { #expect(source.withoutKeys == shown) }

    @Test("Files that are named by mistake are not quoted")
    func mistakes() throws {
        let fixture = try CommandFixture()
        let digits = String(repeating: "c3", count: 32)
        try fixture.writePrivate(digits + "\n", to: "key")
        try fixture.writePrivate("correct horse battery\n", to: "words")
        try fixture.write("version: 1\nnetwork: villa\n", to: "villa.yaml")
        for command in [
            ["validate", "key"], ["validate", "words"], ["render", "words"], ["render", "key"],
            ["validate", "villa.yaml", "--var-file", "key"], ["validate", "villa.yaml", "--var-file", "words"],
            ["scan", "--via", "simulator", "--devices", "words"],
        ] {
            let result = fixture.run(command)
            #expect(result.status != 0, "\(command)")
            #expect(!result.combined.contains("c3c3") && !result.combined.contains("horse"), "\(result.combined)")
        }
    }

    @Test("A table with secrets is no source of rows")
    func rows() throws {
        let fixture = try CommandFixture()
        let uuid = "0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001"
        let digits = "27476f3e2a3f2e6da9e8c3bd4444336a"
        for column in ["static", "Static_OOB", "public-key"] {
            try fixture.write("uuid,\(column),name\n\(uuid),\(digits),hub-1\n", to: "rows.csv")
            try fixture.write(
                """
                version: 1
                network: villa
                modules: { m: { parameters: { name: text }, groups: { "g-$(name)": { title: "x $(name)" } } } }
                use: [{ module: m, rows: rows.csv }]

                """,
                to: "villa.yaml"
            )
            let result = fixture.run("render")
            #expect(result.status != 0 && result.error.contains("cannot be rows"), "\(result.combined)")
            #expect(!result.combined.contains(digits))
        }
    }

    @Test("Rows that only their owner may read are refused beside a definition that others may read")
    func privateRows() throws {
        let fixture = try CommandFixture()
        let text = """
            version: 1
            network: villa
            modules: { m: { parameters: { name: text }, groups: { "g-$(name)": { title: "$(name)" } } } }
            use: [{ module: m, rows: rows.csv }]

            """
        try fixture.write(text, to: "villa.yaml")
        try fixture.writePrivate("name\nhush\n", to: "rows.csv")
        let result = fixture.run("render")
        #expect(result.status != 0 && result.error.contains("only its owner may read it"), "\(result.combined)")
        #expect(!result.combined.contains("hush"))
        try fixture.writePrivate(text, to: "villa.yaml")
        #expect(fixture.run("render").status == 0)
    }

    @Test("Lines of files with secrets are not shown, neither the one to blame nor one that it refers to")
    func secretsFiles() {
        let uuid = "0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001"
        let files = SourceFiles(files: [
            .init(path: "batch.csv", bytes: Array("uuid,static\n\(uuid),fedcba\n\(uuid),fedcba\n".utf8))
        ])
        let diagnostics = SecretsFile.read(files: files).diagnostics
        let text = DiagnosticView(files: files, style: .plain).render(diagnostics)
        #expect(text.contains("batch.csv:3:1") && text.contains("first here: batch.csv:2:1"))
        #expect(!text.contains("fedcba"))
    }

    @Test("A static value in a definition shows in no line beside other mistakes")
    func definitions() {
        let text = """
            version: 1
            network: hq
            nodes:
              a: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, profile: x, provisioning: { static: fedcba, oob: y } }
              b: { uuid: z, provisioning: { static: "fedcba" } }
              c: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, provisioning: { static: [fedcba], attention: 1 } }
            """
        let files = SourceFiles(files: [.init(path: "hq.yaml", bytes: Array(text.utf8))])
        let diagnostics = DefinitionReader.read(files: files).diagnostics
        #expect(diagnostics.count == 8)
        let shown = DiagnosticView(files: files, style: .plain).render(diagnostics)
        #expect(shown.contains("there is no profile `x`") && !shown.contains("fedcba"))
    }
}
