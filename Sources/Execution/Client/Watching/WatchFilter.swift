package import MeshCore

/// What a client hears beyond the answers to its requests.
package enum WatchEvent: Hashable, Sendable {
    /// An access message to us, to a group or to a virtual address.
    case message(IncomingMessage)
    /// A heartbeat, and the control message that carried it.
    case heartbeat(Heartbeat, IncomingControlMessage)
    /// A link now passes what is wanted, as far as its proxy can.
    case listening(WatchLink)
    /// Nothing can be sent, so no proxy can be asked for anything.
    case unsendable(StackError)
}

/// A link that passes on what is watched.
package struct WatchLink: Hashable, Sendable {
    /// What the filter of a proxy lets through.
    package enum Coverage: Hashable, Sendable {
        /// Messages to the addresses that were asked for; the number of those in its list, with our own.
        case listed(Int)
        /// Everything, because its list took only so many addresses: it has no room for more, or cannot be told any.
        case everything(room: Int)
        /// Only messages to as many of the addresses as its list took, the first ones.
        case part(room: Int)
        /// It does not answer when addresses are added, so nobody knows.
        case unconfirmed
    }

    /// The proxy, if it has told.
    package var proxy: UnicastAddress?
    /// The subnets for which it relays, sorted.
    package var subnets: [NetKeyIndex]
    /// What its filter lets through.
    package var coverage: Coverage
}

/// What a client is to hear, and how.
package struct WatchWish: Hashable, Sendable {
    /// The groups and virtual addresses, the most important first. Our own address is always in the filter.
    package var addresses: [Address]
    /// The labels with which messages to virtual addresses can be read.
    package var labels: [LabelUUID]
    /// The subnets, sorted. A proxy is chosen that relays for as many as possible.
    package var subnets: [NetKeyIndex]

    /// What is to be heard.
    package init(addresses: [Address], labels: [LabelUUID] = [], subnets: [NetKeyIndex]) {
        self.addresses = addresses
        self.labels = labels
        self.subnets = subnets
    }
}

/// Fills the accept list of one proxy, a message at a time, and finds out what fits (Mesh Protocol 6.4, 6.7).
///
/// A proxy leaves out what its list has no room for, and only the size in its Filter Status tells. Then an empty reject
/// list, which lets everything through, is the way to miss nothing. A value: its owner sends what it returns.
struct WatchFilter {
    /// What to do next.
    enum Step: Hashable {
        /// Send this message to the proxy.
        case send(ProxyConfigurationMessage)
        /// Nothing but wait.
        case wait
        /// The filter is as it stays.
        case done(WatchLink.Coverage)
    }

    private enum Phase: Hashable {
        case adding([Address])
        case opening(room: Int?)
        case done
    }

    private let policy: LinkPolicy
    private var waiting: ArraySlice<Address>
    private var phase = Phase.done
    /// How many addresses the list has, as confirmed; our own was the first.
    private var size = 1
    /// Messages of the present phase that were sent, and those that are not answered.
    private var attempts = 0
    private var unanswered = 0
    /// When the answer is overdue; nil if none is awaited.
    private(set) var deadline: Instant?

    /// A filter with nothing in it but our own address.
    init(_ addresses: [Address], policy: LinkPolicy) {
        waiting = addresses[...]
        self.policy = policy
    }

    /// Begins.
    mutating func begin(at now: Instant) -> Step { addNext(at: now) }

    /// The proxy has told the type and the size of its list.
    mutating func confirmed(isAcceptList: Bool, count: Int, at now: Instant) -> Step {
        guard phase != .done, unanswered > 0 else { return .wait }
        unanswered -= 1
        switch phase {
        case .adding(let batch):
            if isAcceptList, count >= size + batch.count {
                size += batch.count
                return addNext(at: now)
            }
            // It may be the answer to a message before this one, which was sent twice.
            guard unanswered == 0, count > size || attempts > 1 else { return .wait }
            return open(room: max(count, 0), at: now)
        case .opening(let room):
            // An accept list may be the late answer to addresses; only time tells that it stays one.
            return isAcceptList ? .wait : finish(.everything(room: room ?? size))
        case .done: return .wait
        }
    }

    /// Time has passed: repeats what is overdue, and in the end does without an answer.
    mutating func advance(to now: Instant) -> Step {
        guard let deadline, deadline <= now else { return .wait }
        let isRepeated = attempts < policy.filterAttempts
        switch phase {
        case .adding(let batch): return isRepeated ? send(.addAddresses(batch), at: now) : open(room: nil, at: now)
        case .opening(let room):
            if isRepeated { return send(.setFilterType(.rejectList), at: now) }
            return finish(room.map { .part(room: $0) } ?? .unconfirmed)
        case .done: return .wait
        }
    }

    private mutating func addNext(at now: Instant) -> Step {
        guard !waiting.isEmpty else { return finish(.listed(size)) }
        let batch = Array(waiting.prefix(ProxyConfigurationMessage.maximumAddresses))
        waiting = waiting.dropFirst(batch.count)
        phase = .adding(batch)
        attempts = 0
        return send(.addAddresses(batch), at: now)
    }

    private mutating func open(room: Int?, at now: Instant) -> Step {
        phase = .opening(room: room)
        attempts = 0
        return send(.setFilterType(.rejectList), at: now)
    }

    private mutating func send(_ message: ProxyConfigurationMessage, at now: Instant) -> Step {
        attempts += 1
        unanswered += 1
        deadline = now.advanced(by: policy.filterTimeout)
        return .send(message)
    }

    private mutating func finish(_ coverage: WatchLink.Coverage) -> Step {
        phase = .done
        deadline = nil
        return .done(coverage)
    }
}
