import Bearers
import MeshCore

extension FuzzTarget {
    /// Frames that gateways and clients send to a hub.
    package static let hubRequest = FuzzTarget(
        "hub-request",
        "contents of frames that a gateway or a client sends to a hub",
        seeds: [
            octets("216d687562000107d0036f6e6505302e312e30"), octets("226d687562000105617474696307"),
            octets("236d6875620001"), octets("236d6875620009"), octets("240000000000000007"), octets("25000100020003"),
        ] + (HubName("basement-2").map { [HubRequest.reach($0).encoded] } ?? []),
        dictionary: [[0x6D, 0x68, 0x75, 0x62, 0, 1]],
        run: { (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            let request: HubRequest
            do { request = try HubRequest(decoding: input) } catch {
                trace.note(kindOf: error)
                return
            }
            trace.note([input[0], UInt8(clamping: input.count / 8)])
            let again = request.encoded
            try demand(again.count <= Frame.maximumContentSize, "a frame has become too long")
            let read = try demandSuccess("a frame that was read cannot be read again") {
                try HubRequest(decoding: again)
            }
            // Invalid octets of a version's text are repaired, and may then be cut.
            if case .announce(let name, _, let silence) = request, case .announce(name, _, silence) = read { return }
            try demand(read == request, "a frame changes when it is written")
        }
    )

    /// Frames that a hub sends.
    package static let hubReply = FuzzTarget(
        "hub-reply",
        "contents of frames that a hub sends",
        seeds: [
            octets("a16d68756200012710"), octets("a16d6875620002"), octets("a20000000000000001036f6e65"), octets("a3"),
            octets("a40002"), octets("a50161036f6e65000000006afd7000053040302e310001000200030004"),
            octets("a6000000006afd700005302e312e30"), HubReply.end(BearerError("bye", hint: "again")).encoded,
        ],
        dictionary: [[0x6D, 0x68, 0x75, 0x62, 0, 1]],
        run: { (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            let reply: HubReply
            do { reply = try HubReply(decoding: input) } catch {
                trace.note(kindOf: error)
                return
            }
            trace.note([input[0], UInt8(clamping: input.count / 8)])
            let again = reply.encoded
            try demand(again.count <= Frame.maximumContentSize, "a frame has become too long")
            let read = try demandSuccess("a frame that was read cannot be read again") { try HubReply(decoding: again) }
            // Invalid octets of a text are repaired, and may then be cut.
            switch (reply, read) {
            case (.end, .end), (.call, .call), (.gateway, .gateway), (.listed, .listed): break
            default: try demand(read == reply, "a frame changes when it is written")
            }
        }
    )
}
