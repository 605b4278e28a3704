#if canImport(Glibc)
internal import CMalloc
#endif

/// How the process deals with memory. The definition, the database and the plan of a large network are millions of small
/// values that are made once, read, and needed until the end.
package enum ProcessMemory {
    /// Has memory taken from the system in large steps, and kept until the process ends.
    ///
    /// To be called once, by the executable, before anything large is made. Otherwise the allocator of Linux gives back
    /// what it takes again a moment later, and each page costs as much as some hundred values. On another system nothing
    /// changes. Large pages (`madvise`) would save more, but now and then take longer than all the rest to be made.
    package static func prepareForLargeValues() {
        #if canImport(Glibc)
        // Large blocks, too, come from the heap (32 MiB is the most that can be set).
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, Int32.max)
        mallopt(M_TOP_PAD, 64 << 20)
        #endif
    }

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
