import Foundation
package import Testing

/// Compares a text with the file `Snapshots/NAME` beside the test's source file.
///
/// With `RECORD_SNAPSHOTS=1` in the environment the file is written instead, and the test fails so that nobody mistakes
/// a recording for a pass.
package func expectSnapshot(
    _ text: String,
    _ name: String,
    filePath: StaticString = #filePath,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let folder = URL(fileURLWithPath: "\(filePath)").deletingLastPathComponent().appendingPathComponent("Snapshots")
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
