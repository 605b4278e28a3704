package import MeshCore

/// The parts of a composed bearer, and what it reports about them.
extension ComposedBearer {
    /// One of the bearers, and how to make it.
    package struct Part {
        /// Its name in errors, as the user gave it.
        package var name: String
        /// Makes the bearer, at first and again after a loss.
        package var make: () throws(BearerError) -> any PolledBearer
        /// Waits until the bearer can be used, so that problems show at the start.
        package var open: (any PolledBearer) throws(BearerError) -> Void

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

    /// What happens to a part while the others go on.
    package enum Change: Hashable, Sendable {
        /// A part is lost, or could not be used from the start.
        case lost(String, BearerError)
        /// A lost part works again.
        case back(String)
    }
}
