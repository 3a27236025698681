# Completes centavo in fish. Put in place by: centavo completion install fish
function __centavo_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (command centavo __complete words $words[2..-1] "$current" 2>/dev/null)
    if test "$found" = :files
        set -l head (string match -r '^--[^=]*=' -- $current; or echo)
        for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $current))
            echo $head$path
        end
    else
        string join \n -- $found
    end
end
complete -c centavo -f -a '(__centavo_complete)'
