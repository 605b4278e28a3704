import MeshCore
import Testing

@Suite("ConfigStatusCode")
struct ConfigStatusCodeTests {
    @Test("every code of the table has the specification's name, a meaning and advice")
    func agreesWithTable() {
        let table = ConfigMessageTable.shared.statusCodes
        #expect(table.map(\.code) == Array(0x00...0x15))
        for entry in table {
            let code = ConfigStatusCode(rawValue: entry.code)
            #expect(code.name.replacing(" ", with: "").lowercased() == entry.name.lowercased())
            #expect(code.meaning.hasSuffix(".") && code.advice.hasSuffix("."))
        }
        #expect(Set(table.map { ConfigStatusCode(rawValue: $0.code).meaning }).count == table.count)
    }

    @Test("constants have the numbers of their names")
    func constants() {
        #expect(ConfigStatusCode.success.name == "Success")
        #expect(ConfigStatusCode.invalidAppKeyIndex.description == "Invalid AppKey Index (0x03)")
        #expect(ConfigStatusCode.cannotRemove.name == "Cannot Remove")
        #expect(ConfigStatusCode.invalidBinding.name == "Invalid Binding")
        #expect(ConfigStatusCode.invalidBearer.name == "Invalid Bearer")
    }

    @Test(
        "codes that the specification does not define are kept and shown as numbers",
        arguments: [0x16, 0x42, 0xFF] as [UInt8]
    )
    func unknownCodes(code: UInt8) {
        let status = ConfigStatusCode(rawValue: code)
        #expect(status.rawValue == code)
        #expect(status.description == "Unknown Status 0x\(code.hexadecimal)")
        #expect(!status.meaning.isEmpty && !status.advice.isEmpty)
    }
}
