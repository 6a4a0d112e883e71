"""The registrations that `storebench fill` makes, by their numbers: the same as SampleRegistration in Benchmarks/store."""

MASK = (1 << 64) - 1
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def numbers(length, seed):
    state = (seed * 0x9E3779B97F4A7C15) & MASK | 1
    out = []
    for _ in range(length):
        state ^= (state << 13) & MASK
        state ^= state >> 7
        state ^= (state << 17) & MASK
        out.append(state >> 32 & 0xFF)
    return bytes(out)


def client_id(number):
    """An Ed25519 key in multibase."""
    value = int.from_bytes(b"\xed\x01" + numbers(32, number * 2 + 1), "big")
    digits = []
    while value:
        value, digit = divmod(value, 58)
        digits.append(ALPHABET[digit])
    return "z" + "".join(reversed(digits))


def token(number):
    return "".join(ALPHABET[each % 58] for each in numbers(163 if number % 2 else 64, number * 2 + 2))
