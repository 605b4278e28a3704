#if canImport(Glibc)
internal import CMalloc
internal import Glibc
#endif

/// How the process deals with memory. The definition, the database and the plan of a large network are millions of small
/// values that are made once, read, and needed until the end.
package enum ProcessMemory {
    /// Has memory taken from the system in large pages, and kept until the process ends.
    ///
    /// To be called once, by the executable, before anything large is made. Linux hands out memory page by page as it is
    /// first touched, which for 4 kB pages takes a tenth of the time of a plan; where it gives no large pages, or on
    /// another system, nothing changes.
    package static func prepareForLargeValues() {
        #if canImport(Glibc)
        // Large blocks, too, come from the heap (32 MiB is the most that can be set), and none of it is given back.
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, Int32.max)
        mallopt(M_TOP_PAD, Int32(heapSize))
        // What is behind a block for which the heap has to grow is fresh: addresses and no memory yet.
        guard let block = malloc(1 << 20), let end = sbrk(0) else { return }
        defer { free(block) }
        let pageSize = 2 << 20
        let first = (Int(bitPattern: block) + pageSize - 1) / pageSize * pageSize
        let length = Int(bitPattern: end) - first
        guard length > 0, length <= 2 * heapSize, let page = UnsafeMutableRawPointer(bitPattern: first) else { return }
        madvise(page, length, MADV_HUGEPAGE)
        #endif
    }

    /// How much the heap grows at once: enough for a plan that provisions 10,000 devices.
    private static let heapSize = 256 << 20

    /// Keeps a value until the process ends.
    ///
    /// For a command whose process ends with it: taking apart what the system frees at once would be a twentieth of its
    /// work.
    package static func keepUntilExit<Value>(_ value: Value) {
        _ = Unmanaged.passRetained(Box(value))
    }

    private final class Box<Value> {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }
}
