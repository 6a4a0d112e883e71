import Configuration
import Service
import Store

/// `pushbox rotate-key`: a new token key, and every device token sealed anew with it.
enum RotateKeyCommand {
  private static let syntax = CommandSyntax(
    help: """
      Usage: pushbox rotate-key [--config FILE]

      Makes a new token key and encrypts every device token anew with it. The server must be stopped,
      and no other command may be at work on the store.
      Stopped half-way, nothing is lost: either key's registrations can be read, and the next start
      takes the right one. The old key stays in token.key.old: backups made before need it.
      """)

  static let command = Command(
    name: "rotate-key", summary: "encrypt all device tokens with a new key",
    syntax: StoreCommand.withConfig(syntax), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    StoreCommand.run(syntax, arguments) { (_, settings) throws(StoreCommand.Failure) in
      let file = TokenKeyFile(path: settings.tokenKeyFile)
      let count: Int
      var progress = ProgressBar(total: nil)
      defer { progress.clear() }
      do {
        // Before the next key is made, which two would both write.
        let use = try SoleUse(folder: settings.path)
        let old = try presentCipher(settings, file, use)
        let new = try StoreOpening.cipher(try file.createNext())
        count = try Store.rotateKey(
          path: settings.path, mapSize: UInt64(clamping: settings.mapSize), from: old, to: new, holding: use,
          progress: { progress.show($0) })
        try file.adoptNext()
      } catch {
        throw StoreCommand.Failure("\(error)")
      }
      progress.clear()
      Terminal.print("sealed \(count) registrations with the new key in \(file.path)")
      Terminal.print("Keep a copy of it elsewhere, and make a new backup. The old key is in \(file.oldPath):")
      Terminal.print("backups made before need it; delete it when there are none.")
      return 0
    }
  }

  /// The cipher that opens the store, after ending a rotation that was stopped half-way.
  private static func presentCipher(
    _ settings: Configuration.Store, _ file: TokenKeyFile, _ use: SoleUse
  ) throws -> StoreCipher {
    let key = try file.load()
    if let next = try file.loadNext() {
      let cipher = try StoreOpening.cipher(next)
      if try Store.hasKey(
        of: cipher, path: settings.path, mapSize: UInt64(clamping: settings.mapSize), holding: use)
      {
        try file.adoptNext()
        return cipher
      }
    }
    return try StoreOpening.cipher(key)
  }
}
