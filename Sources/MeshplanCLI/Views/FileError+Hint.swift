import DefinitionModel
import SystemLayer

extension FileError {
    /// What to do about it, a sentence; nil if there is nothing to say.
    var hint: String? {
        switch cause {
        case .folder: "Name a file."
        case .special: "Name a regular file."
        case .outside: "Name the file that the link leads to, or copy it here."
        case .occupied: "Move it away, or choose another name."
        case .tooLarge: "Check the path: no valid file is that large."
        case .exposed:
            "chmod 600 \(path.printable.shellWord), and replace the secrets if somebody may have read them."
        case .idlePipe: "Name a file, or start the program that writes to the pipe first."
        case .silence: "Name a file, or find out why nothing more is written to the pipe."
        case .other(_, let hint): hint
        case .system: systemHint
        }
    }

    private var systemHint: String? {
        switch trouble {
        case .missing:
            switch operation {
            case .read: missingHint
            case .create, .open: "Check the path; create the folder first if it is new."
            default: nil
            }
        case .diskFull: "Free some space on the disk that holds \(path.printable) and run the command again."
        case .inputOutput: "Check the disk, the file system and the kernel's messages, then run the command again."
        case .denied: "Check the owner and the permissions of the file and of its folder."
        case .sizeLimit:
            "A limit on the size of files is in force (ulimit -f), or the file system allows no more; raise it and run the "
                + "command again."
        case .circle: "Links lead in a circle there; see where with ls -l."
        case .readOnly: "Work in a folder on a file system that can be written to."
        case .exists, .other, nil: nil
        }
    }

    /// What may have been meant where there is no such file.
    private var missingHint: String {
        guard path != "-" else {
            return "- does not stand for standard input yet; use /dev/stdin to read standard input."
        }
        let parts = location.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        guard Files.kind(folder.isEmpty ? "/" : folder) == .folder else {
            return "There is no folder of that name either; check the path."
        }
        let names = (try? Files.names(inFolder: folder.isEmpty ? "/" : folder, as: folder)) ?? []
        let last = parts.last.map(String.init) ?? ""
        guard !names.contains(last) else { return "It is a symbolic link to something that is not there." }
        return Suggestion.nearest(to: last, among: names).map { found in
            "Did you mean \((path.dropLast(last.count) + found).printable.shellWord)?"
        } ?? "Check the path."
    }
}
