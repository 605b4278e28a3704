import ArgumentParser

/// The option that writes down every packet.
struct CaptureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write every packet to a file that Wireshark reads (pcapng). It holds no keys.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var capture: String?
}
