internal import MeshCore

/// Values as changes show them, in the words of the definition.
enum ValueText {
    static func state(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    static func transmit(_ parameters: TransmitParameters) -> String {
        "count \(parameters.transmissions), interval \(duration(parameters.intervalMilliseconds))"
    }

    static func publication(_ publication: Publication, names: ResourceNames) -> String {
        var text = "to \(names.target(publication.address)), key \(names.appKey(publication.appKeyIndex))"
        if publication.ttl != Publication.defaultTTL { text += ", ttl \(publication.ttl)" }
        if publication.period.steps > 0 { text += ", period \(duration(publication.period.milliseconds))" }
        if publication.retransmit.count > 0 {
            text += ", retransmit count \(publication.retransmit.count)"
            text += " interval \(duration(publication.retransmit.intervalMilliseconds))"
        }
        if publication.usesFriendshipCredentials { text += ", friendship credentials" }
        return text
    }

    private static func duration(_ milliseconds: Int) -> String { DurationText.text(milliseconds: milliseconds) }
}
