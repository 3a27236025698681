# Completes centavo in bash. Put in place by: centavo completion install bash
_centavo() {
  local line=${COMP_LINE:0:COMP_POINT} cut= word
  local typed=${line##*[[:space:]]}
  [[ $typed == --*=* && $COMP_WORDBREAKS == *=* ]] && cut=${typed%%=*}=
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ $word == :files ]]; then
      compopt -o default 2>/dev/null
    else
      word=${word%%$'\t'*}
      COMPREPLY+=("${word#"$cut"}")
    fi
  done < <(command centavo __complete line "$line" 2>/dev/null)
}
complete -F _centavo centavo
