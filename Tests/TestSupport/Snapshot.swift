import Foundation
package import Testing

/// Compares a text with the file `Snapshots/NAME` beside the test's source file, or beside a folder above it.
///
/// With `RECORD_SNAPSHOTS=1` in the environment, it writes the file instead. The test then fails, so that nobody
/// mistakes a recording for a success.
package func expectSnapshot(
    _ text: String,
    _ name: String,
    filePath: StaticString = #filePath,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let folder = snapshots(beside: URL(fileURLWithPath: "\(filePath)").deletingLastPathComponent())
    let file = folder.appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("recorded \(name)", sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
        return
    }
    guard let expected = try? String(contentsOf: file, encoding: .utf8) else {
        Issue.record("there is no snapshot \(name); record it with RECORD_SNAPSHOTS=1", sourceLocation: sourceLocation)
        return
    }
    guard text != expected else { return }
    let left = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let right = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line =
        zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(left.count, right.count)
    Issue.record(
        """
        \(name) differs from line \(line + 1) on
        expected: \(left.indices.contains(line) ? String(left[line]) : "(end)")
        is:       \(right.indices.contains(line) ? String(right[line]) : "(end)")
        whole text:
        \(text)
        """,
        sourceLocation: sourceLocation
    )
}

/// The nearest folder `Snapshots` on the way up to the folder of all tests; if there is none, the one to create.
private func snapshots(beside folder: URL) -> URL {
    let nearest = folder.appendingPathComponent("Snapshots")
    var place = folder
    while place.lastPathComponent != "Tests", place.path != "/" {
        let candidate = place.appendingPathComponent("Snapshots")
        if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
        place.deleteLastPathComponent()
    }
    return nearest
}
