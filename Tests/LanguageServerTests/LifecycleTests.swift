import SystemLayer
import Testing

@testable import LanguageServer

@Suite("The life of a server")
struct LifecycleTests {
    private func code(_ answer: JSONValue?) -> Int? { answer?["error"]?["code"]?.whole }

    @Test("From initialize to exit")
    func properLife() {
        var client = ScriptedClient()
        let answer = client.request("initialize", #"{"capabilities":{}}"#)
        #expect(answer?["result"]?["capabilities"]?["positionEncoding"] == .string("utf-16"))
        client.notify("initialized")
        #expect(client.request("shutdown")?["result"] == .null)
        #expect(client.server.ending == nil)
        client.notify("exit")
        #expect(client.server.ending == .proper)
    }

    @Test("UTF-8 is agreed on where the client offers it")
    func encodings() {
        var client = ScriptedClient()
        let params = #"{"capabilities":{"general":{"positionEncodings":["utf-32","utf-8","utf-16"]}}}"#
        #expect(
            client.request("initialize", params)?["result"]?["capabilities"]?["positionEncoding"] == .string("utf-8")
        )
    }

    @Test("Requests before initialize and after shutdown are refused, and notifications left out")
    func wrongTimes() {
        var client = ScriptedClient(["/w/a.yaml": ""])
        #expect(code(client.request("textDocument/hover")) == -32002)
        #expect(code(client.request("shutdown")) == -32002)
        client.open("/w/a.yaml", "nonsense")
        #expect(client.published().isEmpty)
        client.initialize()
        #expect(code(client.request("initialize")) == -32600)
        _ = client.request("shutdown")
        #expect(code(client.request("textDocument/hover")) == -32600)
        #expect(code(client.request("shutdown")) == -32600)
    }

    @Test("An exit without shutdown and an end without exit are failures")
    func improperEnds() {
        var early = ScriptedClient()
        early.initialize()
        early.notify("exit")
        #expect(early.server.ending == .improper)
        var cut = ScriptedClient()
        cut.initialize()
        cut.server.receive(Array("Content-Length: 99\r\n\r\n{".utf8))
        cut.server.endInput()
        #expect(cut.server.ending == .improper)
        #expect(cut.server.takeNotes() == ["the input ends within a message"])
    }

    @Test(
        "Messages that are no requests",
        arguments: [
            ("{", -32700), ("", -32700), ("\u{0}", -32700), ("7", -32600), ("[]", -32600),
            (#"[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]"#, -32600),
            (#"{"jsonrpc":"1.0","id":1,"method":"shutdown"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600), (#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"shutdown","params":7}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, -32601),
            (#"{"jsonrpc":"2.0","id":"x","method":"$/no"}"#, -32601),
            (#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover"}"#, -32602),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"a:b"}}}"#,
                -32602
            ),
        ]
    )
    func wrongMessages(json: String, expected: Int) {
        var client = ScriptedClient()
        client.initialize()
        client.send(json)
        client.run()
        #expect(client.received.count == 1)
        #expect(code(client.received.last) == expected)
        // The conversation goes on.
        #expect(client.request("shutdown")?["result"] == .null)
    }

    @Test("Unknown notifications and answers to nothing are left out")
    func unknownNotifications() {
        var client = ScriptedClient()
        client.initialize()
        client.notify("$/setTrace", #"{"value":"off"}"#)
        client.notify("no/such")
        client.send(#"{"jsonrpc":"2.0","id":5,"result":null}"#)
        client.run()
        #expect(client.received.isEmpty)
    }

    @Test("A request that still waits can be cancelled, one that has its answer cannot")
    func cancelling() {
        var client = ScriptedClient()
        client.initialize()
        client.send(#"{"jsonrpc":"2.0","id":"a","method":"textDocument/hover"}"#)
        client.send(#"{"jsonrpc":"2.0","id":"b","method":"shutdown"}"#)
        client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"a"}}"#)
        client.run()
        #expect(code(client.received.first) == -32800)
        #expect(client.received.last?["result"] == .null)
        client.notify("$/cancelRequest", #"{"id":"a"}"#)
        #expect(client.received.count == 2)
    }
}
