import JSON

/// The types of the fields of a message (Firebase, REST resource projects.messages), and the check of a
/// body against them in the words of Google's JSON reader.
indirect enum FCMSchema {
  case string
  case bool
  case integer
  /// Any object.
  case object
  /// A list of anything.
  case list
  /// Names of constants; case is not looked at.
  case constant(Set<String>)
  /// Seconds with an `s` behind.
  case duration(maximum: UInt64)
  /// An object whose values are strings.
  case stringMap
  case message([String: FCMSchema])

  /// What is wrong with `value`, which stands at `path`.
  func violations(in value: JSONValue, at path: String) -> [GoogleError.Violation] {
    var found: [GoogleError.Violation] = []
    check(value, path, &found)
    return found
  }

  private func check(_ value: JSONValue, _ path: String, _ found: inout [GoogleError.Violation]) {
    switch self {
    case .string:
      if value.stringValue == nil { found.append(Self.wrongType(value, path, "TYPE_STRING")) }
    case .bool:
      if value.boolValue == nil { found.append(Self.wrongType(value, path, "TYPE_BOOL")) }
    case .integer:
      if value.int64Value == nil { found.append(Self.wrongType(value, path, "TYPE_INT32")) }
    case .object:
      if value.objectValue == nil { found.append(Self.wrongType(value, path, "TYPE_MESSAGE")) }
    case .list:
      if value.arrayValue == nil { found.append(Self.wrongType(value, path, "TYPE_LIST")) }
    case .constant(let names):
      guard let name = value.stringValue, names.contains(name.uppercased()) else {
        return found.append(Self.wrongType(value, path, "TYPE_ENUM"))
      }
    case .duration(let maximum):
      guard let text = value.stringValue, let seconds = Self.seconds(text), seconds <= maximum else {
        return found.append(Self.wrongType(value, path, "type.googleapis.com/google.protobuf.Duration"))
      }
    case .stringMap:
      guard let object = value.objectValue else {
        return found.append(Self.wrongType(value, path, "TYPE_MESSAGE"))
      }
      for (index, member) in object.members.enumerated() where member.value.stringValue == nil {
        found.append(Self.wrongType(member.value, "\(path)[\(index)].value", "TYPE_STRING"))
      }
    case .message(let fields):
      guard let object = value.objectValue else {
        return found.append(Self.wrongType(value, path, "TYPE_MESSAGE"))
      }
      for member in object.members {
        guard let field = fields[member.key] ?? fields[Self.snakeCase(member.key)] else {
          found.append(Self.unknown(member.key, path))
          continue
        }
        field.check(member.value, path.isEmpty ? member.key : "\(path).\(member.key)", &found)
      }
    }
  }

  private static func wrongType(_ value: JSONValue, _ path: String, _ type: String) -> GoogleError.Violation {
    var text = "Invalid value at '\(path)' (\(type))"
    switch value {
    case .number(let number): text += ", \(number.literal)"
    case .bool(let value): text += ", \(value)"
    default: break
    }
    return GoogleError.Violation(field: path, description: text)
  }

  private static func unknown(_ name: String, _ path: String) -> GoogleError.Violation {
    let place = path.isEmpty ? "" : " at '\(path)'"
    return GoogleError.Violation(
      field: path,
      description: "Invalid JSON payload received. Unknown name \"\(name)\"\(place): Cannot find field.")
  }

  /// Google's reader takes `collapseKey` for `collapse_key`.
  private static func snakeCase(_ name: String) -> String {
    var out: [UInt8] = []
    for byte in name.utf8 {
      if byte >= 0x41, byte <= 0x5A {
        out.append(UInt8(ascii: "_"))
        out.append(byte | 0x20)
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Whole seconds of `3600s` or `3.5s`, rounded up.
  private static func seconds(_ text: String) -> UInt64? {
    guard text.hasSuffix("s"), text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }),
      let whole = UInt64(parts[0])
    else { return nil }
    return parts.count == 2 && parts[1].utf8.contains { $0 != UInt8(ascii: "0") } ? whole + 1 : whole
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}

extension FCMSchema {
  /// The body of `messages:send`.
  static let sendRequest = FCMSchema.message(["message": message, "validate_only": .bool])

  private static let message = FCMSchema.message([
    "name": .string, "token": .string, "topic": .string, "condition": .string, "data": .stringMap,
    "notification": .message(["title": .string, "body": .string, "image": .string]),
    "android": android, "apns": apns, "fcm_options": options,
    "webpush": .message([
      "headers": .stringMap, "data": .stringMap, "notification": .object, "fcm_options": .object,
    ]),
  ])

  private static let options = FCMSchema.message(["analytics_label": .string, "image": .string])

  private static let android = FCMSchema.message([
    "collapse_key": .string, "priority": .constant(["NORMAL", "HIGH"]),
    "ttl": .duration(maximum: 2_419_200), "restricted_package_name": .string, "data": .stringMap,
    "notification": androidNotification, "fcm_options": options, "direct_boot_ok": .bool,
  ])

  private static let apns = FCMSchema.message([
    "headers": .stringMap, "payload": .object, "fcm_options": options, "live_activity_token": .string,
  ])

  private static let androidNotification = FCMSchema.message([
    "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string, "tag": .string,
    "click_action": .string, "body_loc_key": .string, "body_loc_args": .list, "title_loc_key": .string,
    "title_loc_args": .list, "channel_id": .string, "ticker": .string, "sticky": .bool,
    "event_time": .string, "local_only": .bool, "notification_priority": .string,
    "default_sound": .bool, "default_vibrate_timings": .bool, "default_light_settings": .bool,
    "vibrate_timings": .list, "visibility": .string, "notification_count": .integer,
    "light_settings": .object, "image": .string, "proxy": .string,
  ])
}
