/** Characters that would end a line, or control a terminal, if they were printed raw. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

const escapeOf = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text on one line, with control characters as `\uXXXX`. */
export const printable = (text: string) => text.replace(UNSAFE, escapeOf);
