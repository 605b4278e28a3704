import Catalogue
import DefinitionModel
import MeshCore

extension Resolver {
    /// Makes entries of schedulers of the schedules, and a known time of them.
    ///
    /// An entry keeps its place in the scheduler as long as it says the same; a new one gets the first free place.
    mutating func applySchedules(_ selection: NodeSelectorIndex) {
        guard !definition.schedules.isEmpty else { return }
        var wanted: [SchedulerPlace: [Int]] = [:]
        for (number, schedule) in definition.schedules.enumerated() {
            let selected = select(schedule.nodes, selection: selection, of: "schedules")
            var isDone = selected.isEmpty
            for node in selected {
                guard let index = desiredNumbers[node] else {
                    isDone = true
                    continue
                }
                for element in elements(for: schedule.action.value, of: state.nodes[index].models) {
                    isDone = true
                    wanted[SchedulerPlace(node: index, element: element), default: []].append(number)
                }
            }
            if !isDone { reportIdle(schedule) }
        }
        for (place, numbers) in wanted.sorted(by: { $0.key < $1.key }) { allocate(numbers, at: place) }
        for node in Set(wanted.keys.map(\.node)).sorted() { setTime(of: node) }
    }

    /// The elements of a node whose schedulers can do it. A scheduler recalls scenes of its own element; the scene must
    /// be one that the node stores (Mesh Model 5.1.4.2).
    private func elements(for action: ScheduleAction, of models: [DesiredModel]) -> [UInt8] {
        let elements = models.filter {
            $0.address.model == .schedulerServer || $0.address.model == .schedulerSetupServer
        }
        .map(\.address.element).sortedUnique()
        guard case .recall(let name) = action else { return elements }
        let number = definition.scenes.first { $0.name.value == name }?.number.value
        return elements.filter { element in
            let server = models.first { $0.address == ModelAddress(element: element, model: .sceneServer) }
            return server?.states.contains { $0.value.state.form.register == number && number != nil } ?? false
        }
    }

    private mutating func reportIdle(_ schedule: ScheduleDefinition) {
        let needs: String
        if case .recall(let scene) = schedule.action.value {
            needs = "a `scheduler-server` and the scene `\(scene)` in the `scene-server` of the same element"
        } else {
            needs = "a `scheduler-server`"
        }
        diagnostics.report(
            Diagnostic(
                .error,
                "no selected node can do what the schedule `\(schedule.name.value)` says",
                at: schedule.nodes.location,
                resource: "schedule." + schedule.name.value,
                hint: "It needs \(needs) in the `elements:` of the node or its profile"
            )
        )
    }

    // MARK: Entries

    /// Gives each schedule an entry of a scheduler.
    private mutating func allocate(_ numbers: [Int], at place: SchedulerPlace) {
        guard let state = StateCatalogue.state(named: "schedule") else { return }
        let address = ModelAddress(element: place.element, model: .schedulerServer)
        let node = self.state.nodes[place.node]
        let known = node.recordedStates(of: address, in: network)
        let declared = node.models.first { $0.address == address }?.states.map(\.value.state.form.name) ?? []
        var free = (0..<Int64(Self.entryCount)).filter { !declared.contains("schedule.\($0)") }
        let count = free.count
        var entries: [(number: Int, state: ModelState)] = []
        var others: [Int] = []
        for number in numbers {
            let kept = free.first { index in
                guard let entry = entry(definition.schedules[number], index, state),
                    let record = known.first(where: { $0.form.name == entry.form.name })
                else { return false }
                return record.form == entry.form && entry.isShown(by: record.status)
            }
            guard let kept, let entry = entry(definition.schedules[number], kept, state) else {
                others.append(number)
                continue
            }
            free.removeAll { $0 == kept }
            entries.append((number, entry))
        }
        for number in others {
            let schedule = definition.schedules[number]
            guard let index = free.first else {
                reportFull(schedule, node.name.value, count)
                continue
            }
            free.removeFirst()
            if let entry = entry(schedule, index, state) { entries.append((number, entry)) }
        }
        for (number, entry) in entries {
            let schedule = definition.schedules[number]
            let declared = Declared(
                DesiredModelState(text: schedule.text, state: entry),
                at: schedule.time.location,
                by: .schedule(number)
            )
            self.state.nodes[place.node].models.update(address, at: schedule.time.location) {
                $0.states = [declared].merged(over: $0.states)
            }
        }
    }

    /// The entries of a scheduler (Mesh Model 5.1.4.1).
    private static let entryCount = 16

    private func entry(_ schedule: ScheduleDefinition, _ index: Int64, _ state: StateDescription) -> ModelState? {
        let time = schedule.time.value
        var values: FieldValues = [
            "index": .integer(index), "year": .integer(Int64(time.year)), "months": .integer(Int64(time.months)),
            "day": .integer(Int64(time.day)), "hour": .integer(Int64(time.hour)),
            "minute": .integer(Int64(time.minute)), "second": .integer(Int64(time.second)),
            "weekdays": .integer(Int64(time.weekdays)), "transition": .integer(Int64(schedule.transition)),
            "scene": .integer(0),
        ]
        switch schedule.action.value {
        case .off: values["action"] = .integer(0)
        case .on: values["action"] = .integer(1)
        case .recall(let name):
            guard let scene = definition.scenes.first(where: { $0.name.value == name }) else { return nil }
            values["action"] = .integer(2)
            values["scene"] = .integer(Int64(scene.number.value))
        }
        return try? state.modelState(values)
    }

    private mutating func reportFull(_ schedule: ScheduleDefinition, _ node: String, _ count: Int) {
        diagnostics.report("full scheduler", at: schedule.time.location) {
            Diagnostic(
                .error,
                "the schedule `\(schedule.name.value)` does not fit the scheduler of node `\(node)`",
                at: schedule.time.location,
                resource: "node." + node,
                hint: "A scheduler has \(Self.entryCount) entries"
                    + (count < Self.entryCount ? ", of which `states:` take \(Self.entryCount - count)" : "")
                    + "; select other nodes, or say several times in one schedule"
            )
        }
    }

    // MARK: Time

    /// Gives a node with schedules a time: without one, nothing ever happens (Mesh Model 5.1.4).
    private mutating func setTime(of index: Int) {
        let models = state.nodes[index].models
        let servers = models.filter { $0.address.model == .timeServer || $0.address.model == .timeSetupServer }
        guard let element = servers.first?.address.element else {
            timeless.append(state.nodes[index].name.value)
            return
        }
        let declared = models.filter { $0.address.element == element }.flatMap(\.states)
        var states: [DesiredModelState] = []
        let location = definition.timeZone?.location ?? servers[0].location
        let zone = Int64(definition.timeZone?.value ?? 0)
        if let time = ModelState(timeIn: zone) {
            states.append(DesiredModelState(text: "that of this computer, \(Self.zoneText(zone))", state: time))
        }
        let hasRole = declared.contains { $0.value.state.form.name == "time-role" }
        if !hasRole, let role = StateCatalogue.state(named: "time-role"),
            let client = try? role.modelState(["role": .integer(3)])
        {
            states.append(DesiredModelState(text: client.form.text(of: client.expected.octets), state: client))
        }
        for part in states {
            // The role is one of the setup server.
            let address = ModelAddress(element: element, model: part.state.form.server)
            state.nodes[index].models.update(address, at: location) { model in
                model.states = [Declared(part, at: location, by: .timeOfSchedules)].merged(over: model.states)
            }
        }
    }

    private static func zoneText(_ steps: Int64) -> String {
        let minutes = abs(steps) * 15
        guard minutes > 0 else { return "UTC" }
        let rest = minutes % 60
        return "UTC\(steps < 0 ? "-" : "+")\(minutes / 60)" + (rest == 0 ? "" : ":\(rest)")
    }
}

/// A scheduler of a desired node.
private struct SchedulerPlace: Hashable, Comparable {
    var node: Int
    var element: UInt8

    static func < (left: SchedulerPlace, right: SchedulerPlace) -> Bool {
        (left.node, left.element) < (right.node, right.element)
    }
}

extension ScheduleDefinition {
    var text: String {
        switch action.value {
        case .off: "\(time.value.words) switch off"
        case .on: "\(time.value.words) switch on"
        case .recall(let scene): "\(time.value.words) recall \(scene)"
        }
    }
}

extension DesiredNode {
    /// What the node was last known to hold of a model, if it still is a node.
    fileprivate func recordedStates(of address: ModelAddress, in network: MeshNetwork) -> [KnownModelState] {
        guard case .recorded(let position) = origin else { return [] }
        return network.nodes[position].model(at: address)?.states ?? []
    }
}

extension ModelState {
    /// The time of the calendar in a zone, in steps of 15 minutes. A status shows it if the node knows any time in this
    /// zone: how late it is says nothing about the configuration.
    fileprivate init?(timeIn zone: Int64) {
        let values: FieldValues = [
            "tai": .integer(1), "subsecond": .integer(0), "uncertainty": .integer(0xFF), "authority": .integer(0),
            "tai_utc_delta": .integer(Timestamp.leapSeconds + 255), "zone": .integer(zone + 64),
        ]
        guard let state = try? StateCatalogue.state(named: "time")?.modelState(values) else { return nil }
        // Seconds and fractions, uncertainty, and whether somebody reliable has set the time.
        let open = 7
        let mask = state.expected.mask.enumerated().map { index, bits in
            index < open ? 0 : index == open ? bits & 0xFE : bits
        }
        self.init(
            form: state.form,
            setPayload: state.setPayload,
            expected: MaskedOctets(state.expected.octets, mask: mask)
        )
    }
}
