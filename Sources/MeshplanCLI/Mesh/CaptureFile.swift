import Basics
import Bearers
import Execution
import MeshCore
import SystemLayer

/// The file to which a command writes the packets of its bearer.
///
/// What cannot be written never stops the work: the capture ends, and a warning says so once.
final class CaptureFile {
    private let context: Context
    private let path: String
    private let file: AppendFile
    private var isFull = false

    /// Opens a file, and begins a new capture in it.
    ///
    /// - Throws: ``Failure`` if something else stands there, or another process writes to it; ``FileError`` if it
    ///   cannot be opened.
    init(_ path: String, in context: Context) throws {
        self.context = context
        self.path = path
        try OutputTarget.check(path, is: "a capture", ending: ".pcapng", in: context) {
            $0.starts(with: PacketCapture.signature)
        }
        guard let file = try AppendFile(lockingPath: context.absolute(path), as: path) else {
            throw Failure(
                .failure,
                "another process writes to \(path.printable)",
                hint: "Choose another name, or wait until it has ended."
            )
        }
        self.file = file
        try file.replaceAll(with: PacketCapture.header(application: "meshplan \(programVersion)"))
    }

    /// A bearer whose packets are written to the file.
    func capturing(_ bearer: any Bearer) -> any Bearer {
        let time = UInt64(clamping: context.now().rawValue) * 1_000_000
        var capture = PacketCapture(now: time, at: bearer.now)
        return TappedBearer(bearer) { [self] crossing, link, now in
            switch crossing {
            case .sent(let packet): append(capture.sent(packet, on: link, at: now))
            case .received(let packet): append(capture.received(packet, on: link, at: now))
            case .closed: capture.closed(link)
            }
        }
    }

    private func append(_ octets: [UInt8]) {
        guard !octets.isEmpty, !isFull else { return }
        do throws(FileError) {
            try file.append(octets)
        } catch {
            isFull = true
            FailureView(context).warn("\(error.message); the capture ends here", hint: "The command goes on.")
        }
    }
}
