import MeshCore
import Testing

@testable import MeshplanCLI

@Suite("Times as text")
struct TimestampTextTests {
    @Test(
        "The date and the minute name their time zone",
        arguments: [
            (1_795_000_000, 0, "2026-11-18 11:06 UTC"), (1_795_000_000, 4, "2026-11-18 12:06 UTC+01:00"),
            (1_795_000_000, -14, "2026-11-18 07:36 UTC-03:30"), (1_795_000_000, -1, "2026-11-18 10:51 UTC-00:15"),
            (1_798_759_800, 2, "2027-01-01 00:00 UTC+00:30"), (0, -1, "1969-12-31 23:45 UTC-00:15"),
        ] as [(Int64, Int, String)]
    )
    func minutes(seconds: Int64, quarters: Int, text: String) {
        #expect(Timestamp(rawValue: seconds).minute(inZone: quarters) == text)
    }

    @Test("No time is too far", arguments: [Int64.min, Int64.max])
    func extremes(seconds: Int64) {
        let time = Timestamp(rawValue: seconds)
        #expect(time.minute(inZone: 56).contains(" UTC") && time.minute(inZone: -56).contains(" UTC"))
        #expect(time.minute(inZone: .max).contains(" UTC"))
    }
}
