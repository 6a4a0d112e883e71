import Foundation
import PackagePlugin

/// Puts the files of `Public/` into the module that uses the plugin, so that the binary needs no folder
/// beside it.
@main
struct EmbedPublic: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(path: "Public")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { !$0.lastPathComponent.hasPrefix(".") }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPublic.swift")
    return [
      .buildCommand(
        displayName: "Embedding Public/",
        executable: try context.tool(named: "embedpublic").url,
        arguments: [output.path(percentEncoded: false)] + files.map { $0.path(percentEncoded: false) },
        inputFiles: files,
        outputFiles: [output])
    ]
  }
}
