/// How many connections there may be of which nobody knows yet what they are, and which of them goes when another one
/// comes.
///
/// Whoever floods a server must not keep others out. So the one that goes is of the network with the most of them, in
/// that of the smaller network, and of the address with the most. If the flood comes from the address of an honest
/// client, as behind the same router, chance decides: whoever came first, or last, would have no advantage. Among them,
/// those that have said nothing go first if they are the most: an honest client speaks at once.
struct StrangerBudget<Member: Hashable> {
    private final class Group {
        let network: Origin
        var count = 0

        init(_ network: Origin) { self.network = network }
    }

    private struct Entry {
        let member: Member
        let groups: [Group]
        var hasSpoken = false
    }

    /// The most members at once.
    let most: Int
    private var generator: any RandomNumberGenerator
    private var entries: [Entry] = []
    private var places: [Member: Int] = [:]
    private var groups: [Origin: Group] = [:]

    init(most: Int, generator: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.most = max(most, 1)
        self.generator = generator
    }

    var count: Int { entries.count }

    func contains(_ member: Member) -> Bool { places[member] != nil }

    /// Takes a new member.
    ///
    /// - Returns: the member that has lost its place to it.
    mutating func admit(_ member: Member, from origin: Origin) -> Member? {
        var own: [Group] = []
        for network in origin.networks {
            let group = groups[network] ?? Group(network)
            groups[network] = group
            group.count += 1
            own.append(group)
        }
        let displaced = entries.count < most ? nil : choose()
        if let displaced { remove(displaced) }
        places[member] = entries.count
        entries.append(Entry(member: member, groups: own))
        return displaced
    }

    /// A member has sent something that makes sense.
    mutating func hasSpoken(_ member: Member) {
        if let index = places[member] { entries[index].hasSpoken = true }
    }

    /// A member is gone, or is known now.
    mutating func remove(_ member: Member) {
        guard let index = places.removeValue(forKey: member) else { return }
        for group in entries[index].groups {
            group.count -= 1
            if group.count == 0 { groups[group.network] = nil }
        }
        let last = entries.removeLast()
        guard index < entries.count else { return }
        entries[index] = last
        places[last.member] = index
    }

    private mutating func choose() -> Member? {
        var best: [Int] = []
        for index in entries.indices {
            guard let first = best.first else {
                best = [index]
                continue
            }
            let order = Self.compare(entries[index], entries[first])
            if order > 0 { best = [index] } else if order == 0 { best.append(index) }
        }
        let silent = best.filter { !entries[$0].hasSpoken }
        // A few silent ones have just come, and would never have the time to speak.
        let candidates = silent.count * 2 >= best.count ? silent : best
        return candidates.randomElement(using: &generator).map { entries[$0].member }
    }

    /// Greater than 0 if the first one is of a network with more of them than the second. Equally many do not make them
    /// of the same network, but then nobody is to blame more than the other.
    private static func compare(_ left: Entry, _ right: Entry) -> Int {
        for (own, other) in zip(left.groups, right.groups) where own.count != other.count {
            return own.count - other.count
        }
        return 0
    }
}
