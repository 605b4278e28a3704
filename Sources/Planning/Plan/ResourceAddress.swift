/// The address of a resource, like `node.kitchen-1.element[0].generic-onoff-server.subscription.kitchen`.
///
/// It is kept in parts that many resources share, and put together when somebody asks for the text: a plan for 10,000
/// devices names 220,000 resources, of which people see a few.
package struct ResourceAddress: Hashable, Sendable {
    /// `node.NAME`, or the whole text if ``path`` is nil.
    private let start: String
    private let path: ResourcePath?

    package init(_ text: String) {
        start = text
        path = nil
    }

    /// The address of a resource on a node: `node.NAME.` and the path.
    ///
    /// - Parameter node: `node.NAME`.
    init(on node: String, _ path: ResourcePath) {
        start = node
        self.path = path
    }

    package var text: String {
        guard let path else { return start }
        var text = ""
        let size = start.utf8.count + 1 + path.start.utf8.count + path.middle.utf8.count + path.end.utf8.count
        text.reserveCapacity(size)
        for part in [start, ".", path.start, path.middle, path.end] { text += part }
        return text
    }

    /// Whether the texts are the same, whatever their parts.
    package static func == (left: ResourceAddress, right: ResourceAddress) -> Bool {
        (left.start == right.start && left.path == right.path) || left.text == right.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
