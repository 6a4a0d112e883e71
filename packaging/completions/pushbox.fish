# Fish completion of pushbox.
complete -c pushbox -f
complete -c pushbox -n __fish_use_subcommand -a serve -d 'serve until SIGTERM; SIGHUP or pushbox reload reloads the configuration'
complete -c pushbox -n '__fish_seen_subcommand_from serve' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from serve' -l help
complete -c pushbox -n __fish_use_subcommand -a reload -d 'have the running server read its configuration anew, and say what changed'
complete -c pushbox -n '__fish_seen_subcommand_from reload' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from reload' -l json
complete -c pushbox -n '__fish_seen_subcommand_from reload' -l help
complete -c pushbox -n __fish_use_subcommand -a check -d 'look at the configuration, keys, certificates, files and ports'
complete -c pushbox -n '__fish_seen_subcommand_from check' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from check' -l json
complete -c pushbox -n '__fish_seen_subcommand_from check' -l online
complete -c pushbox -n '__fish_seen_subcommand_from check' -l strict
complete -c pushbox -n '__fish_seen_subcommand_from check' -l help
complete -c pushbox -n __fish_use_subcommand -a config -d 'print the configuration in effect and where each value came from'
complete -c pushbox -n '__fish_seen_subcommand_from config' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from config' -l json
complete -c pushbox -n '__fish_seen_subcommand_from config' -l help
complete -c pushbox -n '__fish_seen_subcommand_from config' -a 'show'
complete -c pushbox -n __fish_use_subcommand -a health -d 'ask the running server whether it is well, for health checks'
complete -c pushbox -n '__fish_seen_subcommand_from health' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from health' -l json
complete -c pushbox -n '__fish_seen_subcommand_from health' -l ready
complete -c pushbox -n '__fish_seen_subcommand_from health' -l help
complete -c pushbox -n __fish_use_subcommand -a clients -d 'count, list, show, find, delete and revive registrations'
complete -c pushbox -n '__fish_seen_subcommand_from clients' -l after -x
complete -c pushbox -n '__fish_seen_subcommand_from clients' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from clients' -l limit -x
complete -c pushbox -n '__fish_seen_subcommand_from clients' -l json
complete -c pushbox -n '__fish_seen_subcommand_from clients' -l help
complete -c pushbox -n '__fish_seen_subcommand_from clients' -a 'count list show find delete revive'
complete -c pushbox -n __fish_use_subcommand -a send -d 'send a test push to one client and print what each step came to'
complete -c pushbox -n '__fish_seen_subcommand_from send' -l body -x
complete -c pushbox -n '__fish_seen_subcommand_from send' -l client -x
complete -c pushbox -n '__fish_seen_subcommand_from send' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from send' -l title -x
complete -c pushbox -n '__fish_seen_subcommand_from send' -l json
complete -c pushbox -n '__fish_seen_subcommand_from send' -l raw
complete -c pushbox -n '__fish_seen_subcommand_from send' -l help
complete -c pushbox -n __fish_use_subcommand -a backup -d 'copy all registrations to a file, while serving'
complete -c pushbox -n '__fish_seen_subcommand_from backup' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from backup' -l json
complete -c pushbox -n '__fish_seen_subcommand_from backup' -l help
complete -c pushbox -n '__fish_seen_subcommand_from backup' -F
complete -c pushbox -n __fish_use_subcommand -a restore -d 'put a backup in place of the registrations'
complete -c pushbox -n '__fish_seen_subcommand_from restore' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from restore' -l force
complete -c pushbox -n '__fish_seen_subcommand_from restore' -l help
complete -c pushbox -n '__fish_seen_subcommand_from restore' -F
complete -c pushbox -n __fish_use_subcommand -a export -d 'write all registrations as JSON lines or CSV, device tokens in clear'
complete -c pushbox -n '__fish_seen_subcommand_from export' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from export' -l format -x -a 'jsonl csv'
complete -c pushbox -n '__fish_seen_subcommand_from export' -l output -r -F
complete -c pushbox -n '__fish_seen_subcommand_from export' -l help
complete -c pushbox -n __fish_use_subcommand -a import -d 'read an export, or a dump of the Rust push server’s table'
complete -c pushbox -n '__fish_seen_subcommand_from import' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from import' -l format -x -a 'jsonl csv'
complete -c pushbox -n '__fish_seen_subcommand_from import' -l tenant -x
complete -c pushbox -n '__fish_seen_subcommand_from import' -l dry-run
complete -c pushbox -n '__fish_seen_subcommand_from import' -l json
complete -c pushbox -n '__fish_seen_subcommand_from import' -l help
complete -c pushbox -n '__fish_seen_subcommand_from import' -F
complete -c pushbox -n __fish_use_subcommand -a verify -d 'read all that is stored and say whether it is whole'
complete -c pushbox -n '__fish_seen_subcommand_from verify' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from verify' -l json
complete -c pushbox -n '__fish_seen_subcommand_from verify' -l help
complete -c pushbox -n __fish_use_subcommand -a rotate-key -d 'encrypt all device tokens with a new key'
complete -c pushbox -n '__fish_seen_subcommand_from rotate-key' -l config -r -F
complete -c pushbox -n '__fish_seen_subcommand_from rotate-key' -l help
complete -c pushbox -n __fish_use_subcommand -a hash-password -d 'hash a password for the admin page'
complete -c pushbox -n '__fish_seen_subcommand_from hash-password' -l help
complete -c pushbox -n __fish_use_subcommand -a demo -d 'play the main job on loopback with mock gateways'
complete -c pushbox -n '__fish_seen_subcommand_from demo' -l help
complete -c pushbox -n __fish_use_subcommand -a version -d 'print the version'
complete -c pushbox -n '__fish_seen_subcommand_from version' -l json
complete -c pushbox -n '__fish_seen_subcommand_from version' -l help
complete -c pushbox -n __fish_use_subcommand -a help -d 'print this, or what a command does'
complete -c pushbox -n '__fish_seen_subcommand_from help' -l help
complete -c pushbox -n '__fish_seen_subcommand_from help' -a 'serve reload check config health clients send backup restore export import verify rotate-key hash-password demo version help'
