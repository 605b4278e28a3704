#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The names in folders.
enum FolderNames {
    #if canImport(Darwin)
    typealias Stream = UnsafeMutablePointer<DIR>
    #else
    typealias Stream = OpaquePointer
    #endif

    /// The names of all entries of a folder, including `.` and `..`, in no order. Nil if the folder cannot be read, or
    /// not to its end; `errno` then says why.
    static func all(in path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer {
            let failure = errno
            closedir(folder)
            errno = failure
        }
        return all(of: folder)
    }

    static func all(of folder: Stream) -> [String]? {
        var names: [String] = []
        while true {
            // Only `errno` tells an error in the middle of a folder from its end.
            errno = 0
            guard let entry = readdir(folder) else { break }
            // An entry of the system ends with its name, so a copy of the whole field would read beyond it.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            names.append(String(cString: name))
        }
        return errno == 0 ? names : nil
    }
}
