#compdef centavo
# Completes centavo in zsh. Put in place by: centavo completion install zsh
_centavo() {
  local -a found
  local line
  for line in "${(@f)$(command centavo __complete words "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      compset -P '--*='
      _files
      return
    fi
    [[ -n $line ]] && found+=("${line/$'\t'/:}")
  done
  _describe centavo found -M 'm:{[:lower:]}={[:upper:]}'
}
# Read by compinit from a folder of functions, or by a startup file.
if [[ $funcstack[1] == _centavo ]]; then
  _centavo "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _centavo centavo
fi
