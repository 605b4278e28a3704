import Fuzzing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

exit(FuzzCommand(CommandLine.arguments.dropFirst()).run())
