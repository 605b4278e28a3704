/// Where a resource is on its node, such as `element[0].generic-onoff-server.binding.lighting`, in up to three parts.
struct ResourcePath: Hashable, Sendable {
    let start: String
    let middle: String
    let end: String

    init(_ start: String, _ middle: String = "", _ end: String = "") {
        self.start = start
        self.middle = middle
        self.end = end
    }
}
