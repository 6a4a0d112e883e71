/// What `pushbox help` prints.
enum Help {
  static let text = """
    pushbox: a push server for crypto wallets, between the WalletConnect relay and APNs and FCM

    Usage: pushbox COMMAND [OPTIONS]

      serve [--config FILE]   serve; without FILE, /etc/pushbox/config.toml if it is there,
                              and the environment
      check [--config FILE]   validate the configuration, load keys and certificates, and say
                              what would be served
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
