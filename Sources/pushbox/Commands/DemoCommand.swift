enum DemoCommand {
  static func run(_ arguments: ArraySlice<String>) -> Int32 { 1 }
}
