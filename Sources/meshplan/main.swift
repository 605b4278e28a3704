import MeshplanCLI

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

Meshplan.prepareProcess()
exit(Meshplan.main(Meshplan.arguments(), in: .system()))
