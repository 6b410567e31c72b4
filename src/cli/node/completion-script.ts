export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** The words that may follow some words of a call. */
export interface CompletionWords {
  /** Empty, `task`, `task new`. */
  readonly after: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** With their dashes. */
  readonly flags: readonly { readonly name: string; readonly help: string; readonly takesValue: boolean }[];
}

export function completionScript(shell: CompletionShell, words: readonly CompletionWords[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(words);
    case 'zsh':
      // zsh runs the completions of bash.
      return `#compdef baton\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`;
    case 'fish':
      return fishScript(words);
  }
}

/** The first two words that are no flags say what may come. */
function bashScript(words: readonly CompletionWords[]): string {
  const cases = words.map(({ after, commands, flags }) => {
    const all = [...commands.map(({ name }) => name), ...flags.map(({ name }) => name)];
    return `    '${after}') words='${all.join(' ')}' ;;`;
  });
  return `_baton() {
  local current=\${COMP_WORDS[COMP_CWORD]} before= is_value= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$is_value" ]; then is_value=; continue; fi
    case $word in ${valueFlags(words).join(' | ')}) is_value=yes ;; -*) ;; *) before="$before $word" ;; esac
  done
  if [ -n "$is_value" ]; then COMPREPLY=(); return; fi
  before=\${before# }
  set -- $before
  case "$1 $2" in ${families(words).join(' | ')}) before="$1 $2" ;; *) before=$1 ;; esac
  case $before in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _baton baton`;
}

/** The word after one of these flags is its value, not a word of the call. */
function valueFlags(words: readonly CompletionWords[]): readonly string[] {
  const names = words.flatMap(({ flags }) => flags.filter(({ takesValue }) => takesValue).map(({ name }) => name));
  return [...new Set(names)];
}

/** Commands whose second word is a command too. */
function families(words: readonly CompletionWords[]): readonly string[] {
  return words.filter(({ after, commands }) => after !== '' && commands.length > 0).map(({ after }) => `'${after} '?*`);
}

function fishScript(words: readonly CompletionWords[]): string {
  const lines = words.flatMap(({ after, commands, flags }) => {
    const condition = conditionOf(after, commands.length > 0);
    return [
      ...commands.map(({ name, summary }) => `complete -c baton -n '${condition}' -f -a ${name} -d ${quoted(summary)}`),
      ...flags.map(({ name, help }) => `complete -c baton -n '${condition}' -l ${name.slice(2)} -d ${quoted(help)}`),
    ];
  });
  return lines.join('\n');
}

function conditionOf(after: string, isFamily: boolean): string {
  const [first = '', second] = after.split(' ');
  if (first === '') return '__fish_use_subcommand';
  const seen = `__fish_seen_subcommand_from ${first}`;
  if (second !== undefined) return `${seen}; and __fish_seen_subcommand_from ${second}`;
  return isFamily ? `${seen}; and test (count (commandline -opc)) -lt 3` : seen;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
