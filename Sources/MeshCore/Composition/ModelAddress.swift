/// A model instance on a node.
package struct ModelAddress: Hashable, Comparable, Sendable {
    /// The element's index on its node.
    package var element: UInt8
    package var model: ModelIdentifier

    package init(element: UInt8, model: ModelIdentifier) {
        self.element = element
        self.model = model
    }

    package static func < (left: ModelAddress, right: ModelAddress) -> Bool {
        (left.element, left.model) < (right.element, right.model)
    }
}
