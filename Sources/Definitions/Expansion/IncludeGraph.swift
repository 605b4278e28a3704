import DefinitionModel

/// Which files include which others.
struct IncludeGraph {
    /// A file includes another one. Both are indexes among the files of the run.
    struct Edge: Hashable {
        var from: Int
        var to: Int
    }

    /// A file that includes itself, by way of others or at once.
    struct Circle {
        /// The file with the last step of the circle.
        var from: Int
        /// The file where it begins and ends.
        var to: Int
        /// The name that makes the last step, where it stands.
        var name: Located<String>
        /// The files on the way; the first is also the last.
        var files: [Int]
    }

    private var edges: [Int: [(file: Int, name: Located<String>)]] = [:]
    private var known: Set<Edge> = []

    init() {}

    /// Adds that a file includes another one. The first name counts.
    mutating func add(from file: Int, to other: Int, named name: Located<String>) {
        guard known.insert(Edge(from: file, to: other)).inserted else { return }
        edges[file, default: []].append((other, name))
    }

    /// The circles that are met on the way from these files. Without the last step of each, there are none. It takes as
    /// many steps as there are edges, and does not call itself: a hostile chain of files is as long as it likes.
    func circles(from roots: some Sequence<Int>) -> [Circle] {
        var circles: [Circle] = []
        // The files on the way that is being followed, with their places on it, and those that were left again.
        var places: [Int: Int] = [:]
        var done: Set<Int> = []
        for root in roots where !done.contains(root) {
            var way = [(file: root, next: 0)]
            places[root] = 0
            while let (file, next) = way.last {
                guard let targets = edges[file], next < targets.count else {
                    places[file] = nil
                    done.insert(file)
                    way.removeLast()
                    continue
                }
                way[way.count - 1].next += 1
                let (target, name) = targets[next]
                if let place = places[target] {
                    let files = way[place...].map(\.file) + [target]
                    circles.append(Circle(from: file, to: target, name: name, files: files))
                } else if !done.contains(target) {
                    places[target] = way.count
                    way.append((target, 0))
                }
            }
        }
        return circles
    }
}
