import MeshCore
import Planning

/// The filters of links that pass on what is watched.
extension LinkTransport {
    /// A link is ready: fills its proxy's filter, if something is watched.
    mutating func beginWatching(over target: LinkTarget, at now: Instant, into events: inout [Event]) {
        guard let wish = keeper.watch, let link = keeper.links.link(to: target), link.directNode == nil else { return }
        var filter = WatchFilter(wish.addresses, policy: keeper.policy)
        let step = filter.begin(at: now)
        keeper.filters[target] = filter
        carryOut(step, over: target, into: &events)
    }

    /// A proxy has told the type and the size of its filter.
    mutating func filterStatus(
        isAcceptList: Bool,
        count: Int,
        over target: LinkTarget,
        at now: Instant,
        into events: inout [Event]
    ) {
        guard let step = keeper.filters[target]?.confirmed(isAcceptList: isAcceptList, count: count, at: now) else {
            return
        }
        carryOut(step, over: target, into: &events)
    }

    /// Time has passed.
    mutating func advanceFilters(to now: Instant) -> [Event] {
        var events: [Event] = []
        for target in keeper.links.map(\.target) {
            guard let step = keeper.filters[target]?.advance(to: now) else { continue }
            carryOut(step, over: target, into: &events)
        }
        return events
    }

    private mutating func carryOut(_ step: WatchFilter.Step, over target: LinkTarget, into events: inout [Event]) {
        guard let link = keeper.links.link(to: target) else { return }
        switch step {
        case .send(let message): configure(message, in: [link.configurationKey], over: link, into: &events)
        case .wait: break
        case .done(let coverage):
            let state = WatchLink(proxy: link.proxy, subnets: link.subnets, coverage: coverage)
            events.append(.output(.watch(.listening(state))))
        }
    }
}

extension LinkKeeper {
    /// Whether something is watched and no link, not even one that is being made, can pass it on.
    var lacksWatchLink: Bool { watch != nil && !links.contains { mayWatch(over: $0) } }

    /// The links that stay open although they carry no request: those that servers use, and the one over which messages
    /// are watched.
    var neededLinks: Set<LinkTarget> {
        var needed = routes.serverLinks
        if watch != nil, let link = links.first(where: { $0.isReady && mayWatch(over: $0) }) {
            needed.insert(link.target)
        }
        return needed
    }

    /// What the watcher needs of a proxy; nil if it has a link or watches nothing.
    var watchNeed: ProxySelection.Need? {
        guard let watch, lacksWatchLink else { return nil }
        return ProxySelection.Need(node: nil, subnets: watch.subnets, isUrgent: search.failures > 0)
    }

    private func mayWatch(over link: ProxyLink) -> Bool {
        guard link.directNode == nil, !link.isLeaving else { return false }
        return link.onlyNode.map { nodes.forwards($0, supposing: true) } ?? true
    }
}
