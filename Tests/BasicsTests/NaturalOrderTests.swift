import Basics
import Testing

@Suite("The order of names")
struct NaturalOrderTests {
    @Test(
        "counts as people do",
        arguments: [
            ["lamp", "lamp-1", "lamp-2", "lamp-10", "lamp-10-2", "lamp-10-11", "lamp-a"],
            ["01", "1", "2", "10", "18446744073709551616", "18446744073709551617"],
            ["", "0x9", "a", "é"],
        ]
    )
    func order(_ names: [String]) {
        #expect(names.reversed().sorted { NaturalOrder($0) < NaturalOrder($1) } == names)
    }

    @Test("tells names apart that differ in leading zeros")
    func zeros() {
        #expect(NaturalOrder("lamp-01") < NaturalOrder("lamp-1"))
        #expect(!(NaturalOrder("lamp-1") < NaturalOrder("lamp-01")))
        #expect(NaturalOrder("lamp-1") != NaturalOrder("lamp-01"))
    }
}
