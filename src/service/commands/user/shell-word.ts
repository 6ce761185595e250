/** A text as one word of a POSIX shell, for a command that is printed to be copied: a user's id may hold any character. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
