import MeshCore
import SystemLayer

// The JSON of the columns that the server need not understand. Members that a later version adds are ignored; what is
// there and is something else than expected is damage, never a request for less.

extension FleetRow {
    /// The value in a column with JSON; anything else in its place is damage.
    func decoded<Value: Decodable>(_ column: Int) throws(StoreError) -> Value {
        let text = try text(column)
        do {
            return try TypedJSON.decode(from: Array(text.utf8))
        } catch {
            throw .damaged("a row about a fleet's run", path: place)
        }
    }
}

extension FleetRunRecord.Request: Codable {
    private enum CodingKeys: String, CodingKey {
        case user, host, began, command, words, via, devices, extra, gates, takesBack, plans, plansDigest
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        user = try members.value(.user, or: "")
        host = try members.value(.host, or: "")
        began = Timestamp(rawValue: try members.value(.began, or: 0))
        command = try members.decode(String.self, forKey: .command)
        words = try members.value(.words, or: [])
        via = try members.value(.via, or: [])
        devices = try members.value(.devices, or: [])
        extra = try members.value(.extra, or: [])
        gates = try members.value(.gates, or: [])
        takesBack = try members.decodeIfPresent(String.self, forKey: .takesBack)
        plans = try members.decodeIfPresent(String.self, forKey: .plans).map { path in
            Plans(path: path, digest: try members.decode(String.self, forKey: .plansDigest))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(user, forKey: .user)
        try members.encode(host, forKey: .host)
        try members.encode(began.rawValue, forKey: .began)
        try members.encode(command, forKey: .command)
        for (key, list) in [
            (CodingKeys.words, words), (.via, via), (.devices, devices), (.extra, extra), (.gates, gates),
        ] where !list.isEmpty {
            try members.encode(list, forKey: key)
        }
        try members.encodeIfPresent(takesBack, forKey: .takesBack)
        try members.encodeIfPresent(plans?.path, forKey: .plans)
        try members.encodeIfPresent(plans?.digest, forKey: .plansDigest)
    }
}

extension FleetJob.Notes: Decodable {
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        digest = try members.decodeIfPresent(String.self, forKey: .digest)
        begun = try members.value(.begun, or: [])
        target = try members.decodeIfPresent(UInt64.self, forKey: .target)
        isRestoring = try members.value(.isRestoring, or: false)
        serialBefore = try members.decodeIfPresent(UInt64.self, forKey: .serialBefore)
        serialAfter = try members.decodeIfPresent(UInt64.self, forKey: .serialAfter)
        entries = try members.value(.entries, or: [])
        summary = try members.value(.summary, or: "")
    }
}

extension FleetValue {
    static func json(_ value: some Encodable) -> FleetValue {
        .text(String(decoding: TypedJSON.encode(value), as: UTF8.self))
    }
}
