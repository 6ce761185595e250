const [CR, LF, H, ONE] = [...'\r\nH1'].map((character) => character.charCodeAt(0));
const NOTHING = new Uint8Array();
/** The begin of an interim head; `#` is any digit, and `_` a blank or the end of the line (RFC 9112, section 4). */
const BEGIN = 'HTTP/#.# 1##_';
const OF: Record<string, RegExp> = { '#': /\d/, _: /[ \r\n]/ };
/** It ends the protocol, and with it what can be passed over. */
const SWITCHING = /101.$/s;

/**
 * Takes interim responses (1xx) out of what a receiver sends before its answer. Some servers and old proxies send `100 Continue`
 * though nobody asked for it, as HTTP/1.0 or with `Connection: close` at times. A client must be able to parse it (RFC 9110,
 * section 15.2), but undici ends the connection.
 *
 *   a status line ──1xx──► the rest of its head ──blank line──► a status line
 *         └── any other, or 101 ──► the answer: nothing is examined any more
 */
export class InterimHeads {
  private isAnswer = true;
  private isInHead = false;
  /** What has come of a status line that may be an interim one, and is held back. */
  private held = '';
  /** Whether the line of an interim head that is being read has nothing yet. */
  private isLineEmpty = false;

  /** A request goes out. */
  expectAnswer(): void {
    this.isAnswer = false;
    this.isInHead = false;
    this.held = '';
  }

  /** @param chunk what comes next, from any byte to any. @returns what is left of it */
  without<Bytes extends Uint8Array>(chunk: Bytes): Bytes | Uint8Array {
    if (this.isAnswer) return chunk;
    // Nearly every answer comes at once, and without them.
    if (!this.isInHead && this.held === '' && chunk[0] === H && chunk.length > 9)
      this.isAnswer = chunk[9] !== ONE;
    for (let at = 0; !this.isAnswer; at++) {
      if (at === chunk.length) return NOTHING;
      const byte = chunk[at] as number;
      if (this.isInHead) this.passOver(byte);
      // Parsers take blank lines before a status line.
      else if (this.held !== '' || (byte !== CR && byte !== LF)) this.hold(byte);
      if (this.isAnswer) return this.released(chunk.subarray(at + 1));
    }
    return chunk;
  }

  private passOver(byte: number): void {
    if (byte !== LF) this.isLineEmpty &&= byte === CR;
    else if (!this.isLineEmpty) this.isLineEmpty = true;
    else this.isInHead = false;
  }

  private hold(byte: number): void {
    const wanted = BEGIN[this.held.length] as string;
    const character = String.fromCharCode(byte);
    this.held += character;
    if (!(OF[wanted]?.test(character) ?? wanted === character)) this.isAnswer = true;
    else if (this.held.length === BEGIN.length) {
      this.isAnswer = SWITCHING.test(this.held);
      if (this.isAnswer) return;
      this.held = '';
      this.isInHead = true;
      this.isLineEmpty = false;
      this.passOver(byte);
    }
  }

  private released(rest: Uint8Array): Uint8Array {
    const held = Buffer.from(this.held, 'latin1');
    this.held = '';
    return Buffer.concat([held, rest]);
  }
}
