import DefinitionModel
import MeshCore

/// Every configuration of one small node as a number, and which one message leads from one to another (Mesh Protocol
/// 4.4.1); written down without anything of the planner, to search for the shortest way.
///
/// The node has the primary NetKey, which secures the messages, and may have a second one; three AppKeys, of which the
/// second is bound to the second NetKey; a model with bindings, three groups and a publication, and a model with bindings
/// alone.
struct SmallNode: Hashable {
    var hasSecondNetKey = false
    var appKeys: Set<Int> = []
    var bindings: Set<Int> = []
    var groups: Set<Int> = []
    /// The AppKey of the publication.
    var publication: Int?
    var otherBindings: Set<Int> = []

    /// Which NetKey each AppKey is bound to; 1 is the second.
    static let netKeyOfAppKey = [0, 1, 0]

    /// Bits: the second NetKey, AppKeys, bindings, groups, publication (2), bindings of the other model.
    var number: Int {
        func bits(_ set: Set<Int>, _ shift: Int) -> Int { set.reduce(0) { $0 | 1 << ($1 + shift) } }
        return (hasSecondNetKey ? 1 : 0) | bits(appKeys, 1) | bits(bindings, 4) | bits(groups, 7)
            | (publication.map { $0 + 1 } ?? 0) << 10 | bits(otherBindings, 12)
    }

    init() {}

    init(number: Int) {
        func set(_ shift: Int) -> Set<Int> { Set((0..<3).filter { number >> ($0 + shift) & 1 == 1 }) }
        hasSecondNetKey = number & 1 == 1
        appKeys = set(1)
        bindings = set(4)
        groups = set(7)
        let key = number >> 10 & 3
        publication = key == 0 ? nil : key - 1
        otherBindings = set(12)
    }

    static let numbers = 0..<(1 << 15)

    /// Whether a node can be like that.
    var isPossible: Bool {
        let keysHaveSubnets = appKeys.allSatisfy { Self.netKeyOfAppKey[$0] == 0 || hasSecondNetKey }
        return keysHaveSubnets && bindings.isSubset(of: appKeys) && otherBindings.isSubset(of: appKeys)
            && (publication.map(bindings.contains) ?? true)
    }

    /// Where one message leads.
    var neighbours: [SmallNode] {
        var result: [SmallNode] = []
        func add(_ change: (inout SmallNode) -> Void) {
            var next = self
            change(&next)
            if next != self { result.append(next) }
        }
        add { $0.hasSecondNetKey = true }
        add { node in
            // A NetKey takes its AppKeys along.
            node.hasSecondNetKey = false
            for key in 0..<3 where Self.netKeyOfAppKey[key] == 1 { node.forget(key) }
        }
        for key in 0..<3 {
            if Self.netKeyOfAppKey[key] == 0 || hasSecondNetKey { add { $0.appKeys.insert(key) } }
            add { $0.forget(key) }
            if appKeys.contains(key) {
                add { $0.bindings.insert(key) }
                add { $0.otherBindings.insert(key) }
            }
            add { $0.unbind(key) }
            add { $0.otherBindings.remove(key) }
            if bindings.contains(key) { add { $0.publication = key } }
        }
        add { $0.publication = nil }
        for group in 0..<3 {
            add { $0.groups.insert(group) }
            add { $0.groups.remove(group) }
            add { $0.groups = [group] }
        }
        add { $0.groups = [] }
        return result
    }

    private mutating func unbind(_ key: Int) {
        bindings.remove(key)
        if publication == key { publication = nil }
    }

    private mutating func forget(_ key: Int) {
        appKeys.remove(key)
        unbind(key)
        otherBindings.remove(key)
    }

    /// How many messages it takes at least to get from here to each configuration, by its number; -1 for those that cannot
    /// be.
    func distances(_ neighbours: [[Int]]) -> [Int] {
        var distances = Array(repeating: -1, count: Self.numbers.count)
        distances[number] = 0
        var queue = [number]
        var place = 0
        while place < queue.count {
            let here = queue[place]
            place += 1
            for next in neighbours[here] where distances[next] < 0 {
                distances[next] = distances[here] + 1
                queue.append(next)
            }
        }
        return distances
    }
}
