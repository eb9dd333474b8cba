//! Scripts that ask the command for values. What clap writes completes verbs, flags and fixed values; here flags that
//! take columns or kernels get a function that calls `mercer __complete`. PowerShell and Elvish keep clap's script.

use std::collections::BTreeSet;

use clap::Command;
use clap_complete::Shell;

use super::{Kind, ORDER};

/// Bash breaks words at `=`, so that `--kernel=r` arrives as three; a word is completed from its last `=` on.
const BASH: &str = r#"
_mercer_values() {
    local at=$COMP_CWORD flag value
    while ((at > 1)) && [[ ${COMP_WORDS[at]} == "=" || ${COMP_WORDS[at - 1]} == "=" ]]; do
        at=$((at - 1))
    done
    flag=${COMP_WORDS[at]}
    [[ $flag != --* || $at -eq $COMP_CWORD ]] && flag=${COMP_WORDS[at - 1]}
    case "$flag" in
        FLAGS)
            COMPREPLY=()
            while IFS= read -r value; do
                if [[ ${COMP_WORDS[COMP_CWORD]} != [\'\"]* && $value == *[!A-Za-z0-9_.,^=+-]* ]]; then
                    printf -v value %q "$value"
                fi
                COMPREPLY+=("$value")
            done < <("${COMP_WORDS[0]}" __complete "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
            compopt -o nospace 2>/dev/null
            ;;
        *)
            _mercer "$@"
            ;;
    esac
}
"#;

const ZSH: &str = r#"
_mercer_values() {
    local -a found
    found=("${(@f)$(mercer __complete $((CURRENT - 1)) "${(@Q)words}" 2>/dev/null)}")
    compadd -S '' -- ${found:#}
}
"#;

const FISH: &str = " -f -a \"(mercer __complete (count (commandline -opc)) (commandline -opc) (commandline -ct) 2>/dev/null)\"";

/// `script` with the values of flags that take columns or kernels.
pub(super) fn with_values(shell: Shell, command: &Command, script: &str) -> String {
    match shell {
        Shell::Bash => bash(command, script),
        Shell::Zsh => zsh(script),
        Shell::Fish => fish(command, script),
        _ => script.to_string(),
    }
}

fn bash(command: &Command, script: &str) -> String {
    let flags = flags(command).into_iter().map(|flag| format!("--{flag}")).collect::<Vec<_>>();
    let function = BASH.replace("FLAGS", &flags.join("|"));
    let (before, after) = script.split_once("\nif [[ \"${BASH_VERSINFO").unwrap_or((script, ""));
    let after = after.replace("complete -F _mercer ", "complete -F _mercer_values ");
    format!("{before}{function}\nif [[ \"${{BASH_VERSINFO{after}")
}

fn zsh(script: &str) -> String {
    let mut script = script.to_string();
    for name in ["COLUMN", "COLUMNS", ORDER, "SPEC"] {
        script = script.replace(&format!(":{name}:_default"), &format!(":{name}:_mercer_values"));
    }
    script.replacen("\n_mercer() {", &format!("{ZSH}\n_mercer() {{"), 1)
}

fn fish(command: &Command, script: &str) -> String {
    let flags = flags(command);
    let is_asking = |line: &str| {
        let flag = line.split(" -l ").nth(1).and_then(|rest| rest.split(' ').next());
        line.ends_with(" -r") && flag.is_some_and(|flag| flags.contains(flag))
    };
    let line = |line: &str| format!("{line}{}\n", if is_asking(line) { FISH } else { "" });
    script.lines().map(line).collect()
}

/// The flags that take columns or kernels.
fn flags(command: &Command) -> BTreeSet<String> {
    let all = command.get_subcommands().flat_map(Command::get_arguments);
    let asking = all.filter(|flag| Kind::of(flag).is_some());
    asking.filter_map(|flag| flag.get_long().map(String::from)).collect()
}
