import API
import Configuration
import EventLoop
import Gateways
import Relay
import Service
import Store
import Telemetry

/// `pushbox send`: a test push to one client, beside a server.
enum SendCommand {
  private static let syntax = CommandSyntax(
    help: """
      Usage: pushbox send --client ID [--config FILE] [--title TEXT] [--body TEXT] [--json]
             pushbox send --client ID [--config FILE] --raw [--json]

      Sends a test push to one registered client, through the gateway and with the credentials of the
      configuration, and prints what each step came to. Registrations stay as they are, whatever the
      answer.

      --client   the client ID, with or without did:key:
      --title    what the device shows; by default a line that says that this is a test
      --body
      --raw      as the relay sends what only the app can read: apps that take raw pushes only show the
                 alert of all such messages
      --json     print one JSON object instead

      Exit status 0: the gateway accepted it; 1: it did not, or the client cannot be pushed to; 2: wrong
      usage or configuration.
      """, options: ["client", "config", "title", "body"], flags: ["raw", "json"])

  static let command = Command(
    name: "send", summary: "send a test push to one client and print what each step came to",
    syntax: syntax, run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    switch syntax.read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments): return run(arguments)
    }
  }

  private static func run(_ arguments: CommandSyntax.Arguments) -> Int32 {
    let options = arguments.options
    let isRaw = arguments.flags.contains("raw")
    guard let id = options["client"] else { return usage("--client is missing") }
    if isRaw, options["title"] != nil || options["body"] != nil {
      return usage("--raw goes without --title and --body")
    }
    let client: ClientID
    do throws(ClientIDError) {
      client = try ClientID(id)
    } catch {
      return usage("--client: \(error)")
    }
    guard let loaded = ConfigurationOption.load(ConfigurationOption.source(arguments)) else {
      return 2
    }
    let push = loaded.configuration.push
    let test = TestPush(
      client: client,
      content: isRaw
        ? .raw
        : .alert(
          title: options["title"] ?? "pushbox", body: options["body"] ?? "A test push: notifications work."),
      timeToLive: UInt64(max(0, push.ttl.wholeMilliseconds / 1000)), timeout: push.deadline)
    do throws(ServerError) {
      let outcome = try send(test, loaded, isJSON: arguments.flags.contains("json"))
      return outcome.isOK ? 0 : 1
    } catch {
      Terminal.printError("error: \(error)")
      return 2
    }
  }

  private static func usage(_ problem: String) -> Int32 {
    if case .exit(let status) = syntax.refuse(problem) { return status }
    return 2
  }

  private static func send(
    _ test: TestPush, _ loaded: ConfigurationSource.Loaded, isJSON: Bool
  ) throws(ServerError) -> TestPush.Outcome {
    let (store, cipher) = try StoreOpening.openForTool(loaded.configuration.store)
    let reader: StoreReader
    do throws(StoreError) {
      reader = try store.makeReader()
    } catch {
      throw ServerError("store: \(error)")
    }
    let factory = try GatewayFactory(
      loaded.configuration, loaded.credentials,
      vault: ProviderTokenVault(store: store, cipher: cipher, log: Log(level: .warning)),
      tokenRefreshAge: APNsProviderToken.toolRefreshAge)
    let loop: EventLoop
    do throws(SystemError) {
      loop = try EventLoop()
    } catch {
      throw ServerError("\(error)")
    }
    var steps: [TestPush.Step] = []
    var outcome: TestPush.Outcome?
    loop.schedule(at: loop.now) {
      let gateways = factory.makeGateways(on: loop)
      test.run(
        reader: reader, gateways: gateways,
        onStep: { step in
          steps.append(step)
          if !isJSON { Terminal.print(line(step)) }
        },
        {
          outcome = $0
          gateways.shutdown { loop.stop() }
        })
    }
    loop.run()
    guard let outcome else { throw ServerError("the test push did not end") }
    if isJSON {
      Terminal.print(TestPushJSON.text(steps, outcome))
    } else if let advice = outcome.advice {
      Terminal.print("  What to do: \(advice)")
    }
    return outcome
  }

  /// `  ok      answer            41 ms  apns accepted the notification`
  private static func line(_ step: TestPush.Step) -> String {
    let name = step.name.rawValue
    let padding = String(repeating: " ", count: max(1, 14 - name.utf8.count))
    let milliseconds = String(step.elapsed.wholeMilliseconds)
    let indent = String(repeating: " ", count: max(0, 6 - milliseconds.utf8.count))
    return
      "\(step.isOK ? "  ok      " : "  FAILED  ")\(name)\(padding)\(indent)\(milliseconds) ms  \(step.text)"
  }
}
