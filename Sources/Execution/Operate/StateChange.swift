package import Catalogue
package import MeshCore

/// What states are to become, and how.
package struct StateChange: Hashable, Sendable {
    package let state: StateDescription
    /// The fields of the value, with what selects the instance.
    package let value: FieldValues
    /// The raw transition time; nil for the default of each server.
    package let transition: Int64?
    /// The delay before the transition, in steps of 5 ms.
    package let delay: Int64

    /// The steps in which a delay goes on the air, in milliseconds (Mesh Model 3.1.3).
    package static let delayStep = 5
    /// The longest delay, in steps.
    package static let longestDelay: Int64 = 255

    /// A change.
    ///
    /// - Parameters:
    ///   - words: the value: `on`, `40%`, `3000K 80%`, `field=value`.
    ///   - transition: in milliseconds; nil for the default of each server.
    ///   - delay: in milliseconds; rounded to what a message can say.
    /// - Throws: ``StateError`` if the state cannot be set, or a value does not go with it.
    package init(
        _ state: StateDescription,
        words: [String],
        transition: Int? = nil,
        delay: Int = 0
    ) throws(StateError) {
        guard let message = state.setMessage else { throw .readOnly(state.name) }
        do throws(MessageEncodeError) {
            value = try state.value(reading: words)
        } catch {
            throw .value(state.name, error.description)
        }
        self.state = state
        guard transition != nil || delay > 0 else {
            self.transition = nil
            self.delay = 0
            return
        }
        guard state.hasTransition, let field = message.field(named: "transition") else {
            throw .value(state.name, "it changes at once, without a transition or a delay")
        }
        guard let raw = field.type.raw(nearest: Double(transition ?? 0) / 1_000) else {
            throw .value(state.name, "a transition takes 620 min at most")
        }
        self.transition = raw
        self.delay = Int64((delay + Self.delayStep / 2) / Self.delayStep)
        guard self.delay <= Self.longestDelay else {
            throw .value(state.name, "a delay is \(Int(Self.longestDelay) * Self.delayStep) ms at most")
        }
    }

    /// The access payload of the message that sets the state.
    ///
    /// - Parameters:
    ///   - transaction: tells one command from the next; repeats of a message have the same.
    ///   - isAcknowledged: whether the node is to answer.
    ///   - delay: the delay in steps, if the change has a transition; nil for that of the change.
    ///   - transition: another raw transition time, if the change has one; nil for that of the change.
    /// - Throws: ``StateError/value(_:_:)`` if the state has no such message.
    package func payload(
        transaction: UInt8,
        isAcknowledged: Bool = true,
        delay: Int64? = nil,
        transition: Int64? = nil
    ) throws(StateError) -> [UInt8] {
        guard let message = isAcknowledged ? state.setMessage : state.unacknowledgedSetMessage else {
            throw .value(state.name, "it is set with an acknowledged message only")
        }
        do throws(MessageEncodeError) {
            let parameters = try state.setParameters(
                value,
                transaction: transaction,
                transition: self.transition.map { transition ?? $0 },
                delay: delay ?? self.delay
            )
            return message.opcode.encoded + parameters
        } catch {
            throw .value(state.name, error.description)
        }
    }

    /// The steps of a delay from one instant to another, to the nearest step; 0 if it is over, and at most
    /// ``longestDelay``.
    package static func delay(from now: Instant, to end: Instant) -> Int64 {
        let microseconds = max(now.duration(to: end).microseconds, 0)
        let step = Int64(delayStep) * 1_000
        return min((microseconds + step / 2) / step, longestDelay)
    }

    /// Whether a message can say when the change is to begin: its last octet is the delay. Messages of a company may
    /// have another form.
    var isTimed: Bool {
        guard transition != nil, state.hasDelay, let last = state.setMessage?.fields.last else { return false }
        return last.name == "delay" && last.type.bits == 8
    }

    /// The raw transition time with which a change that begins at an instant ends as if it had begun at `start`.
    func transition(at now: Instant, since start: Instant) -> Int64? {
        guard let transition, let field = state.setMessage?.field(named: "transition") else { return transition }
        let whole = field.type.number(of: transition)
        let late = Double(max(start.duration(to: now).microseconds, 0)) / 1_000_000
        return field.type.raw(nearest: max(whole - late, 0))
    }

    /// Whether a status says that the state is, or becomes, what was asked for.
    func isReached(in reading: StateReading) -> Bool {
        reading.agrees(with: wanted) { state.agrees($0, $1, with: $2) }
    }

    /// What of the value a status can show: without what selects the instance.
    package var wanted: FieldValues {
        var wanted = FieldValues()
        for field in state.fields {
            if let value = value[field.name] { wanted[field.name] = value }
        }
        return wanted
    }

    /// What selects the instance that is set.
    package var selector: StateSelector {
        var keys = FieldValues()
        for field in state.keys {
            if let value = value[field.name] { keys[field.name] = value }
        }
        return StateSelector(state, keys: keys)
    }
}

/// The elements on which a state is set, and their keys.
package struct StateChangePlaces: Hashable, Sendable {
    /// Where it is set, by the model that sets it.
    package private(set) var places: [StatePlace] = []
    package private(set) var keys: [AppKey] = []
    /// Where it cannot be set.
    package private(set) var refusals: [StateRefusal] = []
    package private(set) var needs: Set<OwnModel> = []

    /// Plans to set a state.
    ///
    /// - Parameter models: the models whose states are known.
    /// - Throws: ``StateError`` if no element has it.
    package init(
        _ change: StateChange,
        on target: ResolvedTarget,
        of models: KnownModels = .sig,
        in network: MeshNetwork
    ) throws(StateError) {
        guard let server = change.state.setServer else { throw .readOnly(change.state.name) }
        for part in target.elements where part.models.contains(where: { $0.identifier == server }) {
            let place = StatePlace(
                node: part.node,
                element: part.element,
                model: server,
                selector: change.selector
            )
            do throws(OperatingProblem) {
                let node = network.nodes[part.node]
                guard node.unicastAddress.element(UInt8(clamping: part.element)) != nil else { continue }
                let key = try network.operatingKey(of: server, element: part.element, on: node)
                places.append(place)
                keys.append(key)
                for client in [change.state.setMessage, change.state.getMessage].compactMap({ $0?.clients.first }) {
                    needs.insert(OwnModel(client, key: key.index))
                }
            } catch {
                refusals.append(StateRefusal(place: place, problem: error))
            }
        }
        if places.isEmpty, refusals.isEmpty {
            throw .nobodyHas(change.state.name, others: StateInquiry.names(of: target, models))
        }
    }

    /// The groups and single messages that set the state at all places, without reaching others.
    ///
    /// - Parameters:
    ///   - group: the group that somebody named; it is used whatever it costs.
    ///   - copies: how a message to a group is repeated.
    package func cover(
        _ change: StateChange,
        named group: SubscriptionAddress?,
        copies: GroupCopies = GroupCopies(),
        in network: MeshNetwork
    ) -> GroupCover {
        guard let message = change.state.unacknowledgedSetMessage else {
            return GroupCover(places.count, with: [], copies: copies.count)
        }
        return GroupCover(
            places,
            named: group,
            models: Set(message.servers),
            copies: copies.count,
            in: network
        )
    }

    /// What our own node needs if groups are used, which may have other keys than the places.
    package func needs(under cover: GroupCover) -> Set<OwnModel> {
        let clients = Set(needs.map(\.model))
        return needs.union(cover.groups.flatMap { group in clients.map { OwnModel($0, key: group.key.index) } })
    }

    /// The request with a payload to one of the places; nil if the element cannot exist.
    func request(
        _ payload: [UInt8],
        of change: StateChange,
        at position: Int,
        in network: MeshNetwork
    ) -> OperatingRequest? {
        let place = places[position]
        let node = network.nodes[place.node]
        guard let destination = node.unicastAddress.element(UInt8(clamping: place.element)) else { return nil }
        var request = OperatingRequest(
            node: node.uuid,
            destination: destination,
            payload: payload,
            key: keys[position].index,
            subnets: [keys[position].boundNetKey],
            answer: change.state.statusMessage.opcode,
            status: change.state.statusMessage,
            instance: place.selector.instance
        )
        request.sets = true
        return request
    }
}
