/// Where a resource is on its node, such as `element[0].generic-onoff-server.binding.lighting`, in up to three parts.
///
/// The parts are joined with the node's name only once, in memory that is allocated once: a plan for 10,000 devices
/// addresses 200,000 resources.
struct ResourcePath {
    private let start: String
    private let middle: String
    private let end: String

    init(_ start: String, _ middle: String = "", _ end: String = "") {
        self.start = start
        self.middle = middle
        self.end = end
    }

    /// The address of the resource on a node: `node.NAME.` and the path.
    ///
    /// - Parameter node: `node.NAME`.
    func address(on node: String) -> String {
        let size = node.utf8.count + 1 + start.utf8.count + middle.utf8.count + end.utf8.count
        return String(unsafeUninitializedCapacity: size) { buffer in
            var next = buffer.startIndex
            func add(_ part: consuming String) {
                part.withUTF8 { next = buffer[next...].initialize(fromContentsOf: $0) }
            }
            add(node)
            add(".")
            add(start)
            add(middle)
            add(end)
            return next
        }
    }
}
