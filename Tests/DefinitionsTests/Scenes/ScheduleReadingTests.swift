import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Schedules of definitions")
struct ScheduleReadingTests {
    private static func text(_ schedules: String) -> String {
        head + """
            scenes: { evening: 2 }
            time_zone: +01:00
            nodes:
              lamp-1: { uuid: \(uuid(1)), tags: { room: office } }
              lamp-2: { uuid: \(uuid(2)), tags: { room: hall } }
            schedules:
              \(schedules)

            """
    }

    private static func time(_ edit: (inout ScheduleTime) -> Void) -> ScheduleTime {
        var time = ScheduleTime()
        time.hour = 19
        time.minute = 30
        edit(&time)
        return time
    }

    private static let times: [(String, ScheduleTime)] = [
        ("every workday at 19:30", time { $0.weekdays = 0x1F }),
        ("every monday, wed and fridays at 19:30", time { $0.weekdays = 0x15 }),
        ("every weekend at 19:30:15", time { ($0.weekdays, $0.second) = (0x60, 15) }),
        ("every day of june and july at 19:30", time { $0.months = 0x060 }),
        ("on 24 december at 19:30", time { ($0.months, $0.day) = (0x800, 24) }),
        ("on 29 february 2028 at 19:30", time { ($0.months, $0.day, $0.year) = (2, 29, 28) }),
        ("on 1 of every month at 19:30", time { $0.day = 1 }),
        ("every 15 minutes", time { ($0.hour, $0.minute) = (24, 61) }),
        ("every workday every 20 minutes", time { ($0.hour, $0.minute, $0.weekdays) = (24, 62, 0x1F) }),
        ("every hour", time { ($0.hour, $0.minute) = (24, 0) }),
        ("once an hour", time { ($0.hour, $0.minute) = (24, 63) }),
        ("once a day", time { ($0.hour, $0.minute) = (25, 0) }),
    ]

    @Test("Times are read as people say them", arguments: times)
    func reading(_ words: String, _ expected: ScheduleTime) throws {
        var sentence = ScheduleSentence(words)
        let time = try sentence.time()
        try sentence.expectEnd()
        #expect(time == expected)
        var again = ScheduleSentence(time.words)
        #expect(try again.time() == expected, "\(time.words)")
    }

    @Test("A sentence and its parts are the same schedule")
    func forms() throws {
        let sentence = "evening: every workday at 19:30 recall evening over 5s in room office"
        let parts = "evening: { when: every workday at 19:30, do: recall evening over 5s, nodes: { room: office } }"
        let (first, problems) = definitions(Self.text(sentence))
        #expect(problems == [])
        let schedule = try #require(first.first?.schedules.first)
        #expect(schedule.action.value == .recall("evening") && schedule.transition == 0x32)
        #expect(schedule.nodes.tags.mapValues(\.value) == ["room": "office"])
        #expect(first.first?.timeZone?.value == 4)
        let second = try #require(definitions(Self.text(parts)).definitions.first)
        let written = DefinitionWriter.text(of: second)
        #expect(first.first.map { DefinitionWriter.text(of: $0) } == written)
        #expect(definitions(written).problems == [], "\(written)")
        let named = try #require(
            definitions(Self.text("off: every day at 23:00 switch off on lamp-1 and lamp-2")).definitions.first
        )
        #expect(named.schedules[0].nodes.names?.map(\.value) == ["lamp-1", "lamp-2"])
    }

    private static let mistakes: [(String, String)] = [
        (
            "a: evry workday at 19:30 switch off everywhere",
            "a.yaml:9:6: error: `evry` is not a beginning of a time (did you mean `every`? write one of: every, on, once)"
        ),
        (
            "a: every funday at 19:30 switch off everywhere",
            "a.yaml:9:12: error: `funday` is not a day (did you mean `sunday`? write one of: day, friday, monday, "
                + "saturday, sunday, thursday, tuesday, wednesday, weekday, weekend, workday)"
        ),
        (
            "a: every day at 25:00 switch off everywhere",
            "a.yaml:9:19: error: `25:00` is not a time of day (write one from 00:00 to 23:59, like 19:30)"
        ),
        (
            "a: on 31 june at 19:30 switch off everywhere",
            "a.yaml:9:9: error: there is no day 31 in june (the last one is 30)"
        ),
        (
            "a: on 29 february 2027 at 19:30 switch off everywhere",
            "a.yaml:9:9: error: there is no day 29 in february of 2027 (the last one is 28)"
        ),
        (
            "a: every day at 19:30 recall evenign everywhere",
            "a.yaml:9:32: error: there is no scene `evenign` (did you mean `evening`? declared: evening)"
        ),
        (
            "a: every day at 19:30 recall evening in room offise",
            "a.yaml:9:48: error: no node has the tag `room` with the value `offise` (did you mean `office`? "
                + "values in use: hall, office; if that is meant, write `allow_empty: true` beside `nodes`)"
        ),
        (
            "a: every 10 minutes switch off everywhere",
            "a.yaml:9:12: error: `10` is not an interval that schedulers know "
                + "(schedulers know `every 15 minutes`, `every 20 minutes` and `every hour`)"
        ),
        (
            "a: every day at 19:30 switch off over 65s everywhere",
            "a.yaml:9:41: error: `65s` is a transition time that messages cannot hold "
                + "(they hold 62 steps of 100ms, 1s, 10s or 10m)"
        ),
        (
            "a: every day at 19:30 switch off",
            "a.yaml:9:35: error: the sentence ends before the place "
                + "(write one of: everywhere, in, on)"
        ),
        (
            "a: every day at 19:30 switch off everywhere please",
            "a.yaml:9:47: error: `please` is one word too many (the sentence is complete before it)"
        ),
        (
            "a: { when: every day, do: switch off, nodes: all }",
            "a.yaml:9:23: error: the sentence ends before a time of day (write one of: at, every, once)"
        ),
    ]

    @Test("Each wrong word is shown at its place", arguments: mistakes)
    func mistake(_ schedule: String, _ problem: String) {
        let problems = diagnose(Self.text(schedule))
        #expect(problems == [problem])
    }

    @Test(
        "Time zones are quarters of an hour",
        arguments: [
            ("+01:00", 4), ("-03:30", -14), ("UTC", 0), ("+05:45", 23),
        ]
    )
    func timeZones(_ text: String, _ steps: Int) throws {
        #expect(try ScheduleWords.timeZone(text) == steps)
    }

    @Test("Other time zones are reported")
    func wrongTimeZones() {
        let text = { (zone: String) in head + "time_zone: \(zone)\n" }
        #expect(
            diagnose(text("Europe/Oslo")) == [
                "a.yaml:3:12: error: `Europe/Oslo` is not a time zone (write it like +01:00, -03:30 or UTC)"
            ]
        )
        #expect(
            diagnose(text("+01:10")) == [
                "a.yaml:3:12: error: `+01:10` is a time zone that nodes cannot hold "
                    + "(they hold quarters of an hour up to 16 hours)"
            ]
        )
    }
}
