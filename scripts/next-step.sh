#!/bin/sh
# Says what comes after the demo.
cat <<'END'

Next, with your own credentials:
  1. cp config.toml.example config.toml
     and fill in the public URL and the keys of APNs and FCM
  2. dist/pushbox check --config config.toml
     says what is missing or wrong
  3. dist/pushbox serve --config config.toml
END
