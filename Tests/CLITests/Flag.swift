import Synchronization

/// Something that happens on one thread and is noticed once on another.
final class Flag: Sendable {
    private let isSet = Atomic<Bool>(false)

    func set() { isSet.store(true, ordering: .releasing) }

    func take() -> Bool { isSet.exchange(false, ordering: .acquiringAndReleasing) }
}
