import Foundation
import PackagePlugin

/// Puts the files of `Public/` into the module that uses the plugin, so that the binary needs no folder
/// beside it.
@main
struct EmbedPublic: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(path: "Public")
    // Not recursive: the page's modules lie in the folder and in its folders, no deeper.
    let files = try visible(in: folder).flatMap { entry in
      entry.hasDirectoryPath ? try visible(in: entry) : [entry]
    }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPublic.swift")
    return [
      .buildCommand(
        displayName: "Embedding Public/",
        executable: try context.tool(named: "embedpublic").url,
        arguments: [output.path(percentEncoded: false), folder.path(percentEncoded: false)]
          + files.map { $0.path(percentEncoded: false) },
        inputFiles: files,
        outputFiles: [output])
    ]
  }

  private func visible(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
      .filter { !$0.lastPathComponent.hasPrefix(".") }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }
}
