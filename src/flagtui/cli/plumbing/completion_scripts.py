"""Completion scripts of bash, zsh and fish.

They ask the program as the scripts of click do. Those of click lose candidates: bash cuts words at `:` and
`=`, so that `is:o` is not completed; fish cuts a candidate at its second comma; all put a blank after `is:`.
"""

from collections.abc import Mapping
from typing import Final

_BASH: Final = r"""_flagtui_completion() {
    local IFS=$'\n' words=() count=0 rest=$COMP_LINE cut='' files='' index word completion type value
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if ((index)) && [[ $rest != [[:space:]]* ]]; then
            # Bash cut a word at : or =, and replaces only the part after it.
            cut=${words[count - 1]}
            [[ $word == [:=]* ]] && cut+=$word
            words[count - 1]+=$word
        else
            cut=''
            words[count++]=$word
        fi
        rest=${rest#"${rest%%[![:space:]]*}"}
        rest=${rest#"$word"}
    done
    for completion in $(env COMP_WORDS="${words[*]}" COMP_CWORD=$((count - 1)) \
        _FLAGTUI_COMPLETE=bash_complete "$1"); do
        type=${completion%%,*} value=${completion#*,}
        case $type in
            dir) compopt -o dirnames 2>/dev/null ;;
            file) files=1; compopt -o default 2>/dev/null ;;
            plain)
                [[ $value == *: ]] && compopt -o nospace 2>/dev/null
                value=${value#"$cut"}
                case ${words[count - 1]} in
                    \'*) value=${value//\'/\'\\\'\'} ;;
                    \"*)
                        value=${value//\\/\\\\} value=${value//\"/\\\"}
                        value=${value//\$/\\\$} value=${value//\`/\\\`}
                        ;;
                    *) [[ $value == *[!a-zA-Z0-9_.,:=@%+/-]* ]] && printf -v value %q "$value" ;;
                esac
                COMPREPLY+=("$value")
                ;;
        esac
    done
    if [[ $files && ${COMPREPLY[0]} ]]; then
        # Bash itself adds files only where there is nothing else.
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "${words[count - 1]}"))
    fi
}

# The bash of macOS, 3.2, has neither nosort nor compopt.
complete -o nosort -F _flagtui_completion flagtui 2>/dev/null || complete -F _flagtui_completion flagtui
"""
_ZSH: Final = r"""#compdef flagtui

_flagtui_completion() {
    local -a plain open described response
    local type key descr
    (( ! $+commands[flagtui] )) && return 1

    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \
        _FLAGTUI_COMPLETE=zsh_complete flagtui)}")

    for type key descr in ${response}; do
        if [[ "$type" == "plain" ]]; then
            if [[ "$descr" != "_" ]]; then
                described+=("$key":"$descr")
            elif [[ "$key" == *: ]]; then
                open+=("$key")
            else
                plain+=("$key")
            fi
        elif [[ "$type" == "dir" ]]; then
            _path_files -/
        elif [[ "$type" == "file" ]]; then
            _path_files -f
        fi
    done

    [[ -n "$described" ]] && _describe -V unsorted described -U
    [[ -n "$open" ]] && compadd -U -V unsorted -S '' -a open
    [[ -n "$plain" ]] && compadd -U -V unsorted -a plain
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _flagtui_completion "$@"
else
    compdef _flagtui_completion flagtui
fi
"""
_FISH: Final = r"""function _flagtui_completion
    set -l response (env _FLAGTUI_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) \
        COMP_CWORD=(commandline -t) flagtui)
    for completion in $response
        set -l parts (string split -m 1 "," -- $completion)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                printf '%s\n' $parts[2]
        end
    end
end

complete --no-files --command flagtui --arguments "(_flagtui_completion)"
"""
SCRIPTS: Final[Mapping[str, str]] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
"""By shell."""
