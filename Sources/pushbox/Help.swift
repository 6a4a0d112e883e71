/// What `pushbox help` prints.
enum Help {
  static let text = """
    pushbox: a push server for crypto wallets, between the WalletConnect relay and APNs and FCM

    Usage: pushbox COMMAND [OPTIONS]

      serve [--config FILE]   serve; without FILE, /etc/pushbox/config.toml if it is there,
                              and the environment
                              SIGHUP reloads the configuration; a bad one changes nothing
      check [--config FILE]   validate the configuration, look at keys, certificates, files
            [--online]        and ports, and with --online ask the gateways whether they take
            [--json]          the credentials. Exit status 0 good, 1 warnings with --strict,
            [--strict]        2 errors
      config show [--config FILE]
                              print the configuration in effect, without secrets, and where
                              each value came from
      send --client ID        send a test push to one client and print what each step came to
      backup FILE             copy all registrations to FILE, while serving
      restore FILE            put a backup in place of the registrations
      export, import FILE     write all registrations as JSON lines or CSV, device tokens in clear;
                              read them back, or a dump of the Rust push server's table
      clients ...             count, list, show, find and delete registrations
      verify                  read all that is stored and say whether it is whole
      rotate-key              encrypt all device tokens with a new key
      demo                    start everything on loopback with mock gateways, send some pushes,
                              and print what happened
      version                 print the version
      help                    print this

    These take --config FILE too, and --help says more about each.
    Configuration: see config.toml.example. Logs go to standard error.
    """
}
