import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Definitions

@Suite("Files with secrets of devices")
struct SecretsFileTests {
    private static let value = "00112233445566778899aabbccddeeff"
    private static let key: String = {
        let pair = P256KeyPair(privateKey: [UInt8](repeating: 0, count: 31) + [7])
        return Hexadecimal.encode(pair?.publicKey.coordinates ?? [])
    }()

    private func files(_ texts: [(path: String, text: String)]) -> SourceFiles {
        SourceFiles(files: texts.map { SourceFiles.File(path: $0.path, bytes: Array($0.text.utf8)) })
    }

    private func read(
        _ text: String,
        path: String = "batch.csv"
    ) -> (secrets: [DeviceUUID: DeviceSecrets], problems: [String]) {
        let files = files([(path, text)])
        let (secrets, diagnostics) = SecretsFile.read(files: files)
        return (secrets, diagnostics.map { compact($0, files) })
    }

    private func device(_ number: Int) throws -> DeviceUUID { try #require(DeviceUUID(uuid(number))) }

    private func staticValue(_ digits: String = value) throws -> StaticOutOfBandValue {
        try StaticOutOfBandValue(try #require(Hexadecimal.decode(digits)))
    }

    @Test("Tables as they are delivered are read, whatever their separators, quotes, line ends and order of columns")
    func tables() throws {
        let hyphenated = try device(2).description
        let tables = [
            "uuid,static,public_key\n\(uuid(1)),\(Self.value),\(Self.key)\n\(uuid(2)),ff,\n",
            "Serial;Public_Key;Static_OOB;UUID\r\n1;\(Self.key.uppercased());\(Self.value);\(uuid(1))\r\n"
                + "2;;FF;\(hyphenated)\r\n",
            "\u{FEFF}\"note\"\t\"uuid\"\t\"oob\"\t\"public-key\"\n\"a\tb\n\"\"c\"\"\"\t\"\(uuid(1))\"\t\"\(Self.value)\"\t\(Self.key)\n"
                + "\t \(uuid(2)) \t ff \t\n",
            "# batch 7\n\n  \nuuid , static , public key\n# first\n\(uuid(1)) , 0x\(Self.value) , \(Self.key)\n,,\n\n"
                + "\(hyphenated.lowercased()),0xFF",
        ]
        for table in tables {
            let (secrets, problems) = read(table)
            #expect(problems.filter { !$0.contains("byte order mark") } == [], "\(table)")
            #expect(
                secrets == [
                    try device(1): DeviceSecrets(
                        staticValue: try staticValue(),
                        publicKey: P256PublicKey(Hexadecimal.decode(Self.key) ?? [])
                    ),
                    try device(2): DeviceSecrets(staticValue: try staticValue("ff")),
                ]
            )
        }
    }

    @Test("YAML has devices by UUID or as a list")
    func yaml() throws {
        let texts = [
            "devices:\n  \(uuid(1)): { static: \(Self.value), public_key: \(Self.key) }\n  \(uuid(2)): { static: ff }\n",
            "devices:\n  - { uuid: \(uuid(1)), static: \(Self.value), public_key: \(Self.key) }\n"
                + "  - uuid: \(try device(2))\n    static: 0xFF\n",
            "{\"devices\": {\"\(uuid(1))\": {\"static\": \"\(Self.value)\", \"public_key\": \"\(Self.key)\"}, "
                + "\"\(uuid(2))\": {\"static\": \"ff\"}}}",
        ]
        for path in ["secrets.yaml", "secrets"] {
            for text in texts {
                let (secrets, problems) = read(text, path: path)
                #expect(problems == [])
                #expect(secrets.count == 2)
                #expect(secrets[try device(1)]?.staticValue == (try staticValue()))
                #expect(secrets[try device(1)]?.publicKey?.coordinates == Hexadecimal.decode(Self.key))
                #expect(secrets[try device(2)] == DeviceSecrets(staticValue: try staticValue("ff")))
            }
        }
    }

    @Test("A table is known by its content where its name does not tell")
    func recognised() {
        #expect(read("a;uuid;oob\n1;\(uuid(1));00\n", path: "delivery").secrets.count == 1)
        #expect(read("uuid,static\n\(uuid(1)),00\n", path: "delivery.dat").secrets.count == 1)
        #expect(read("devices: { \(uuid(1)): { static: 00 } }\n", path: "delivery.dat").secrets.count == 1)
    }

    @Test("Several files are one list")
    func several() {
        let files = files([
            ("a.csv", "uuid,static\n\(uuid(1)),00\n"), ("b.yaml", "devices: { \(uuid(2)): { static: 01 } }\n"),
            ("c.csv", "static,uuid\n02,\(uuid(1))\n"),
        ])
        let (secrets, diagnostics) = SecretsFile.read(files: files)
        #expect(secrets.count == 2)
        #expect(
            diagnostics.map { compact($0, files) } == [
                "c.csv:2:4: error: this device occurs twice in the files with secrets [a.csv:2:1: first here]"
            ]
        )
    }

    private static let digits = "write 0 to 9 and a to f without separators"

    private static let tableProblemsArguments: [(String, String)] = [
        ("", "1:1: error: the file is empty (the first line names the columns: uuid, static, public_key)"),
        (
            "# nothing\n\n",
            "1:1: error: the file is empty (the first line names the columns: uuid, static, public_key)"
        ),
        (
            "\n\(uuid(1)),00\n",
            "2:1: error: there is no column `uuid` (the first line names the columns: uuid, static, public_key)"
        ),
        (
            "uuid,serial\n\(uuid(1)),7\n",
            "1:1: error: there is no column `static` or `public_key` "
                + "(the first line names the columns: uuid, static, public_key)"
        ),
        (
            "uuid,static,oob\n",
            "1:13: error: two columns hold the static of the devices (rename the one that does not) "
                + "[batch.csv:1:6: the other]"
        ),
        (
            "uuid,static\n12,00\n",
            "2:1: error: this is not a UUID (write 32 hexadecimal digits, with or without hyphens)"
        ),
        ("uuid,static\n,00\n", "2:1: error: the row has no UUID"),
        (
            "uuid,static\n\(uuid(1)),zz\n",
            "2:34: error: a static value has hexadecimal digits only (\(digits))"
        ),
        (
            "uuid,static\n\(uuid(1)),00 11\n",
            "2:34: error: a static value has hexadecimal digits only (\(digits))"
        ),
        (
            "uuid,static\n\(uuid(1)),001\n",
            "2:34: error: a static value has an odd number of hexadecimal digits; each octet needs two"
        ),
        (
            "uuid,static\n\(uuid(1)),\(String(repeating: "0", count: 66))\n",
            "2:34: error: a static value has 1 to 32 octets, not 33 (write up to 64 hexadecimal digits)"
        ),
        (
            "uuid,static\n\(uuid(1)),0x\n", "2:34: error: a static value is expected here, not nothing"
        ),
        (
            "uuid,public_key\n\(uuid(1)),00\n",
            "2:34: error: a public key has 64 octets, not 1 (write 128 hexadecimal digits: X, then Y)"
        ),
        (
            "uuid,public_key\n\(uuid(1)),04\(key)\n",
            "2:34: error: a public key has 64 octets, not 65 "
                + "(leave the first octet 04 out, which only says that both coordinates follow)"
        ),
        (
            "uuid,public_key\n\(uuid(1)),\(String(repeating: "0", count: 128))\n",
            "2:34: error: the public key is not a point of the curve P-256"
        ),
        (
            "uuid,static\n\(uuid(1)),00\n\"ä\",\n\(uuid(1)),01\n",
            "3:1: error: this is not a UUID (write 32 hexadecimal digits, with or without hyphens)"
        ),
        (
            "note;uuid;static\n\"ö\nü\";\(uuid(1));0g\n",
            "3:37: error: a static value has hexadecimal digits only (\(digits))"
        ),
        (
            "uuid,static\n\(uuid(1)),00,extra\n",
            "2:37: error: the row has 3 values and the table 2 columns (put values that hold the separator in quotes)"
        ),
        ("uuid,static\n\"\(uuid(1)),00\n", "2:1: error: the quotes are never closed (close them)"),
        (
            "uuid,static\n\"\(uuid(1))\"x,00\n",
            "2:35: error: text behind closing quotes (double each quote inside quotes)"
        ),
        ("uuid,static\n\u{1}", "2:1: error: the invisible character U+0001 (delete it)"),
    ]

    @Test("What is wrong in a table is said with its place", arguments: tableProblemsArguments)
    func tableProblems(_ text: String, _ expected: String) {
        #expect(read(text).problems.first == "batch.csv:\(expected)")
    }

    @Test("Rows behind a bad one are read")
    func goesOn() throws {
        let (secrets, problems) = read(
            "uuid,static\n\(uuid(1)),zz\n\"\(uuid(2))\"x,00\n\(uuid(3)),00\n\(uuid(4))\n"
        )
        #expect(problems.count == 2)
        #expect(
            secrets == [
                try device(3): DeviceSecrets(staticValue: try staticValue("00")), try device(4): DeviceSecrets(),
            ]
        )
    }

    private static let yamlProblemsArguments: [(String, String)] = [
        ("[]\n", "1:1: error: a mapping with `devices` is expected here, not a list"),
        ("device: {}\n", "1:1: error: unknown key `device` (did you mean `devices`? allowed here: devices)"),
        (
            "devices: x\n",
            "1:10: error: a mapping of devices by UUID, or a list of them, is expected here, not a text"
        ),
        (
            "devices: { a: {} }\n",
            "1:12: error: this is not a UUID (write 32 hexadecimal digits, with or without hyphens)"
        ),
        ("devices: [{ static: 00 }]\n", "1:11: error: `uuid` is missing (a device needs it)"),
        (
            "devices: { \(uuid(1)): { statc: 00 } }\n",
            "1:48: error: unknown key `statc` (did you mean `static`? allowed here: public_key, static)"
        ),
        (
            "devices: { \(uuid(1)): { static: { file: x } } }\n",
            "1:56: error: a static value is expected here, not a mapping"
        ),
        (
            "devices: { \(uuid(1)): { static: 0g } }\n",
            "1:56: error: a static value has hexadecimal digits only (\(digits))"
        ),
        ("devices: { \(uuid(1)): { static: 00 }\n", "2:1: error: `,` or `}` is missing"),
    ]

    @Test("What is wrong in YAML is said with its place", arguments: yamlProblemsArguments)
    func yamlProblems(_ text: String, _ expected: String) {
        let problem = read(text, path: "batch.yaml").problems.first
        #expect(problem?.hasPrefix("batch.yaml:\(expected)") == true, "\(problem ?? "")")
    }

    private static let secret = "fedcba98765432100123456789abcdef"

    private static let nothingShowsArguments: [(String, String)] = [
        ("a.csv", "uuid,static\n\(secret),\(secret)x\n"), ("a.csv", "uuid,static\n\(secret)9,\(secret)\n"),
        ("a.csv", "\(secret),uuid,static,oob\n"), ("a.csv", "uuid,static\n\(uuid(1)),\"\(secret)\n"),
        ("a.csv", "uuid,static\n\(uuid(1)),\(secret)\n\(uuid(1)),\(secret)\n"),
        ("a.csv", "uuid,static\n\(uuid(1)),x\(secret)\n"), ("a.csv", "uuid,public_key\n\(uuid(1)),\(secret)\n"),
        ("a.yaml", "devices: { \(secret)0: {} }\n"), ("a.yaml", "devices: [ \(secret) ]\n"),
        ("a.yaml", "devices: { \(uuid(1)): { \(secret): 1 } }\n"),
        ("a.yaml", "devices: { \(uuid(1)): { 0x\(secret): 1 } }\n"),
        ("a.yaml", "devices: { \(uuid(1)): { \(secret)\(secret): 1 } }\n"),
        ("a.yaml", "devices: { \(uuid(1)): \(secret) }\n"), ("a.yaml", "\(secret): 1\n"),
        ("a.yaml", "devices: { \(uuid(1)): { static: *\(secret) } }\n"),
        ("a.yaml", "devices: { \(uuid(1)): { static: !\(secret) x } }\n"),
        ("a.yaml", "devices: { \(uuid(1)): { ? [\(secret)] : 1 } }\n"),
        ("a.yaml", "devices: { \(uuid(1)): { static: \(secret)\n"),
    ]

    @Test("No secret and no line with one is in a diagnostic", arguments: nothingShowsArguments)
    func nothingShows(_ path: String, _ text: String) {
        let files = files([(path, text)])
        let diagnostics = SecretsFile.read(files: files).diagnostics
        #expect(!diagnostics.isEmpty)
        for diagnostic in diagnostics {
            #expect(diagnostic.concealsSource)
            #expect(!compact(diagnostic, files).lowercased().contains("fedcba9876"), "\(compact(diagnostic, files))")
        }
    }

    @Test("Secrets show neither in descriptions nor in mirrors")
    func descriptions() throws {
        let secrets = DeviceSecrets(staticValue: try staticValue(), publicKey: nil)
        #expect("\(secrets)" == "(secret)")
        #expect(String(reflecting: [secrets]) == "[(secret)]")
        #expect(Mirror(reflecting: secrets).children.isEmpty)
    }

    @Test("Ten thousand rows are read, and a bad one is found where it stands")
    func manyRows() {
        let rows = (0..<10_000).map { "\(uuid($0)),\($0 == 9_998 ? "xx" : Self.value)\n" }.joined()
        let (secrets, problems) = read("uuid,static\n" + rows)
        #expect(secrets.count == 9_999)
        #expect(problems == ["batch.csv:10000:34: error: a static value has hexadecimal digits only (\(Self.digits))"])
    }

    @Test("Beyond a hundred, problems are only counted")
    func manyProblems() {
        let rows = (0..<5_000).map { "\($0),00\n" }.joined()
        #expect(read("uuid,static\n" + rows).problems.last == "4900 more errors are not shown".asError)
    }

    @Test("A file beyond the limit is not even scanned")
    func largeFile() {
        var limits = ReadingLimits()
        limits.fileSize = 100
        let files = files([("a.csv", String(repeating: "x", count: 101))])
        let problems = SecretsFile.read(files: files, limits: limits).diagnostics.map { compact($0, files) }
        #expect(problems == ["a.csv:1:1: error: the file has 101 octets (no file may be larger than 0 MiB; split it)"])
    }

    @Test("A mutated file never traps, and its diagnostics point into the file", arguments: 0..<10)
    func mutations(_ seed: UInt64) {
        let original = Array(
            "# x\nnote,uuid,static,public_key\n\"a,\"\"b\",\(uuid(1)),\(Self.value),\(Self.key)\n,\(uuid(2)),00,\r\n"
                .utf8
        )
        var random = SplitMix64(seed: seed)
        let alphabet = Array("\"\",;\t\n\r #0x".utf8)
        for _ in 0..<200 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: place)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...30, using: &random)))
                default: bytes.insert(contentsOf: bytes[0..<place], at: place)
                }
                if bytes.isEmpty { bytes = original }
            }
            let files = SourceFiles(files: [SourceFiles.File(path: "a.csv", bytes: bytes)])
            let lines = UInt32(bytes.count { $0 == 0x0A } + 1)
            for diagnostic in SecretsFile.read(files: files).diagnostics {
                guard let location = diagnostic.location else { continue }
                #expect((1...lines).contains(location.line) && location.column >= 1)
            }
        }
    }
}

extension String {
    fileprivate var asError: String { "error: \(self)" }
}
