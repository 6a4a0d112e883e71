/// What `pushbox help` prints.
enum Help {
  static let text = """
    pushbox: a push server for crypto wallets, between the WalletConnect relay and APNs and FCM

    Usage: pushbox COMMAND [OPTIONS]

      serve [--config FILE]   serve; without FILE, /etc/pushbox/config.toml if it is there,
                              and the environment
      check [--config FILE]   validate the configuration, load keys and certificates, and say
                              what would be served
      demo                    start everything on loopback with mock gateways, send some pushes,
                              and print what happened
      version                 print the version
      help                    print this

    Configuration: see config.toml.example. Logs go to standard error.
    """
}
