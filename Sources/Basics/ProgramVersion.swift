/// The version of the program, the only place that says it. Databases and saved plans name the version that wrote them,
/// and the package takes it from what the program says.
package let programVersion = "0.3.0"
