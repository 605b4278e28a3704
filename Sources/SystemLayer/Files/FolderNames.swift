#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The names in folders.
enum FolderNames {
    /// The names of all entries of a folder, including `.` and `..`, in no order. Nil if the folder cannot be read;
    /// `errno` then says why.
    static func all(in path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // An entry of the system ends with its name, so a copy of the whole field would read beyond it.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            names.append(String(cString: name))
        }
        return names
    }
}
