import Bearers
import MeshCore
import Planning

/// What `doctor` says about Bluetooth on this machine. None of it is an error: there may be other ways to the mesh.
struct BluetoothExamination {
    var survey: BluetoothSurvey

    /// The findings about the kernel, each adapter, the permissions of this process, and other users of the adapters.
    func findings() -> [ExaminationFinding] {
        if let problem = survey.kernelProblem { return [finding("bluetooth-missing", problem)] }
        guard !survey.adapters.isEmpty else {
            do throws(BearerError) {
                _ = try survey.adapter(nil)
                return []
            } catch {
                return [finding("adapter-missing", error)]
            }
        }
        var found = survey.adapters.map { adapter in
            let resource = "adapter.\(adapter.name)"
            if let problem = survey.problem(of: adapter) {
                return finding("adapter-unusable", about: resource, problem)
            }
            let address = adapter.address.isZero ? "without a public address" : "\(adapter.address)"
            return ExaminationFinding(
                .note,
                "adapter",
                about: resource,
                "the Bluetooth adapter \(adapter.name) (\(address), \(adapter.bus)) is switched on",
                advice: survey.canScan ? "Use it with --via gatt --adapter \(adapter.name)." : ""
            )
        }
        if !survey.canScan { found.append(finding("bluetooth-rights", BluetoothSurvey.missingRights(survey.program))) }
        if survey.isDaemonRunning {
            found.append(
                ExaminationFinding(
                    .note,
                    "bluetoothd",
                    "bluetoothd runs and uses the adapters as well",
                    advice: "Both can: meshplan shares its scans and keeps its connections."
                )
            )
        }
        return found
    }

    private func finding(_ code: String, about resource: String? = nil, _ problem: BearerError) -> ExaminationFinding {
        ExaminationFinding(.note, code, about: resource, problem.message, advice: problem.hint?.worded.asSentence ?? "")
    }
}
