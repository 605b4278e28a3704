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
}
