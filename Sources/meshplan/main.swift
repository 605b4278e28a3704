internal import MeshplanCLI

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

Meshplan.prepareProcess()
exit(Meshplan.main(Array(CommandLine.arguments.dropFirst()), in: .system()))
