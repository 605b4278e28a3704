#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A thread that does one thing and ends.
package final class BackgroundThread {
    private let thread: pthread_t

    /// Starts the thread; nil if the system has no room for another.
    package init?(_ body: @escaping @Sendable () -> Void) {
        var created: pthread_t?
        let work = Unmanaged.passRetained(BackgroundThreadWork(body))
        guard BackgroundThread.start(&created, work.toOpaque()) == 0, let created else {
            work.release()
            return nil
        }
        thread = created
    }

    /// Waits until it has ended. Called once.
    package func join() {
        pthread_join(thread, nil)
    }

    private static func start(_ thread: inout pthread_t?, _ work: UnsafeMutableRawPointer) -> Int32 {
        #if canImport(Darwin)
        return pthread_create(&thread, nil, { run($0) }, work)
        #else
        var created = pthread_t()
        defer { thread = created }
        return pthread_create(&created, nil, { $0.flatMap { run($0) } }, work)
        #endif
    }
}

private func run(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<BackgroundThreadWork>.fromOpaque(work).takeRetainedValue().body()
    return nil
}

private final class BackgroundThreadWork {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
