package import MeshCore

/// What a composed bearer is made of, and what it tells of that.
extension ComposedBearer {
    /// One of the bearers, and how it is made.
    package struct Part {
        /// What errors call it: what `--via` said.
        package var name: String
        /// Makes it, or makes it anew after it was gone.
        package var make: () throws(BearerError) -> any PolledBearer
        /// Waits until it can be used, so that what is wrong shows at the start.
        package var open: (any PolledBearer) throws(BearerError) -> Void

        /// A bearer of that name, made so.
        package init(
            name: String,
            make: @escaping () throws(BearerError) -> any PolledBearer,
            open: @escaping (any PolledBearer) throws(BearerError) -> Void = { _ in }
        ) {
            self.name = name
            self.make = make
            self.open = open
        }
    }

    /// What becomes of the parts while others go on.
    package enum Change: Hashable, Sendable {
        /// A part can do nothing any more, or could not be used from the start.
        case lost(String, BearerError)
        /// A part that was gone was opened again.
        case back(String)
    }
}
