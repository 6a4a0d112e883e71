# Bash completion of pushbox.
_pushbox() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local options='' words='' files=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'serve reload check config health clients send backup restore export import verify rotate-key hash-password demo version help' -- "$current")
    return
  fi
  case $previous in
    --config | --output)
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    --format)
      mapfile -t COMPREPLY < <(compgen -W 'jsonl csv' -- "$current")
      return
      ;;
  esac
  case ${COMP_WORDS[1]} in
    serve) options='--config --help' ;;
    reload) options='--config --help --json' ;;
    check) options='--config --help --json --online --strict' ;;
    config) options='--config --help --json' words='show' ;;
    health) options='--config --help --json --ready' ;;
    clients) options='--after --config --help --json --limit' words='count list show find delete revive' ;;
    send) options='--body --client --config --help --json --raw --title' ;;
    backup) options='--config --help --json' files=1 ;;
    restore) options='--config --force --help' files=1 ;;
    export) options='--config --format --help --output' ;;
    import) options='--config --dry-run --format --help --json --tenant' files=1 ;;
    verify) options='--config --help --json' ;;
    rotate-key) options='--config --help' ;;
    hash-password) options='--help' ;;
    demo) options='--help' ;;
    version) options='--help --json' ;;
    help) options='--help' words='serve reload check config health clients send backup restore export import verify rotate-key hash-password demo version help' ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [ -n "$files" ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [ "$COMP_CWORD" -eq 2 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -o filenames -F _pushbox pushbox
