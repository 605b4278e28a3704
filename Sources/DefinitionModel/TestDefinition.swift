import MeshCore

/// A test of a definition: what is done in the building, and what must follow.
package struct TestDefinition: Hashable, Sendable {
    /// What it is called: any text on one line.
    package var name: Located<String>
    /// Several runs of the same steps; nil for one.
    package var variation: TestVariation?
    /// What is done and expected, in this order. Texts in them may hold the ``TestVariable``s of the variation.
    package var steps: [TestStep]

    /// A test that is run once.
    package init(name: Located<String>, variation: TestVariation? = nil, steps: [TestStep]) {
        self.name = name
        self.variation = variation
        self.steps = steps
    }
}

/// How the runs of one test differ.
package enum TestVariation: Hashable, Sendable {
    /// `without: relays`: in each run another node that relays has no power.
    case withoutRelay
    /// `without: SELECTOR`: in each run another of these nodes has no power.
    case without(NodeSelector)
    /// `tag: room` and, if not all nodes matter, `nodes: SELECTOR`: a run for each value of the tag.
    case tag(Located<String>, among: NodeSelector?)
    /// `node: SELECTOR`: a run for each of these nodes.
    case node(NodeSelector)

    /// The name of the variable that differs from run to run; nil if there is none.
    package var binding: String? {
        switch self {
        case .withoutRelay, .without: nil
        case .tag(let tag, among: _): tag.value
        case .node: TestBinding.node
        }
    }
}

/// One thing that is done, and what must follow from it.
package struct TestStep: Hashable, Sendable {
    package var location: SourceLocation
    /// What is done; nil if the step only looks.
    package var action: TestAction?
    /// The time in which all of it must have happened, in milliseconds; nil for ``usualTime``.
    package var within: Located<Int>?
    /// What must have happened.
    package var expectations: [TestExpectation]
    /// Whether no other lamp may change: `others: unchanged`.
    package var keepsOthers = false
    /// Whether no other node may publish a change of its states: `others: silent`.
    package var silencesOthers = false

    /// The time in which things must happen where a step says nothing, in milliseconds.
    package static let usualTime = 1_000

    /// A step that does and expects nothing yet.
    package init(location: SourceLocation) {
        self.location = location
        expectations = []
    }
}

/// What somebody or something in the building does.
package enum TestAction: Hashable, Sendable {
    /// `press: NODE/ELEMENT on`
    case press(node: Located<String>, element: Int, isOn: Bool)
    /// `sense: NODE [PROPERTY] VALUE`
    case sense(node: Located<String>, property: String?, value: String)
    /// `fault: NODE FAULT`; a fault that is there goes away.
    case fault(node: Located<String>, name: String)
    /// `set: TARGET STATE VALUE…`: somebody operates from outside, through a proxy.
    case set(target: String, state: String, words: [String])
    /// `recall: SCENE in TARGET`: somebody recalls a scene from outside, by its number or its name.
    case recall(scene: Located<String>, target: String)
    /// `power_off: SELECTOR` and `power_on: SELECTOR`
    case power(NodeSelector, isOn: Bool)
    /// `wait: DURATION`, in milliseconds.
    case wait(Int)
}

extension TestAction {
    package var key: String {
        switch self {
        case .press: "press"
        case .sense: "sense"
        case .fault: "fault"
        case .set: "set"
        case .recall: "recall"
        case .power(_, let isOn): isOn ? "power_on" : "power_off"
        case .wait: "wait"
        }
    }

    /// The words behind the key; nil for a selector.
    package var words: String? {
        switch self {
        case .press(let node, let element, let isOn): "\(node.value)/\(element) \(isOn ? "on" : "off")"
        case .sense(let node, let property, let value):
            ([node.value] + (property.map { [$0] } ?? []) + [value]).joined(separator: " ")
        case .fault(let node, let name): "\(node.value) \(name)"
        case .set(let target, let state, let words): ([target, state] + words).joined(separator: " ")
        case .recall(let scene, let target): "\(scene.value) in \(target)"
        case .power: nil
        case .wait(let milliseconds): DurationText.text(milliseconds: milliseconds)
        }
    }

    /// Whether a switch or a sensor is made to send something.
    package var isByHand: Bool { node != nil }

    /// The node that somebody acts on by hand; nil if it is not exactly one.
    package var node: Located<String>? {
        switch self {
        case .press(let node, _, _), .sense(let node, _, _), .fault(let node, _): node
        case .set, .recall, .power, .wait: nil
        }
    }
}

/// What must come true of nodes.
package struct TestExpectation: Hashable, Sendable {
    package var nodes: NodeSelector
    /// Whether it is about our own node instead, for `nodes: provisioner`; then ``nodes`` selects none.
    package var isAtProvisioner = false
    /// The index of the element; nil for the first one that has the state.
    package var element: Located<UInt8>?
    /// The states, each with what it must be; the location is that of the value.
    package var states: [Located<ExpectedState>]
    /// The names of the faults that their Health Servers must have at present, and no others; empty for none, nil if
    /// faults do not matter.
    package var faults: Located<[String]>?
    /// By when the message of the step's switch or sensor must have reached the nodes, in milliseconds.
    package var arrives: Located<Int>?
    /// The node of which a heartbeat must reach them; nil if heartbeats do not matter.
    package var heartbeat: Located<String>?
    /// Over how many hops at most the heartbeat may come; nil if that does not matter.
    package var hops: Located<UInt8>?
    /// The time in which all of this must have happened, in milliseconds; nil for that of the step.
    package var within: Located<Int>?

    /// Nodes of which nothing is expected yet.
    package init(nodes: NodeSelector) {
        self.nodes = nodes
        states = []
    }
}

/// A state with a value as people write it.
package struct ExpectedState: Hashable, Sendable {
    /// The name in the catalogue, or that of a vendor's state.
    package var name: String
    /// The words of the value: `40%`, `3000K 80%`.
    package var words: [String]

    package init(name: String, words: [String]) {
        self.name = name
        self.words = words
    }

    /// The value for people.
    package var text: String { words.joined(separator: " ") }

    /// Whether the node must draw attention, for `attention: on` and `off`; nil for other values, such as `10s`, which
    /// are the time that is left.
    package var drawsAttention: Bool? {
        guard name == "attention", words.count == 1 else { return nil }
        return ["on": true, "off": false][words[0]]
    }
}
