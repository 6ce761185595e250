const [CR, LF, H, ONE, TWO] = [...'\r\nH12'].map((character) => character.charCodeAt(0));
/** Of a status line, up to the status (RFC 9112, section 4). */
const LENGTH = 'HTTP/1.1 100'.length;
const INTERIM = /^HTTP\/\d\.\d 1\d\d$/;

/**
 * Some servers and old proxies send the interim response `100 Continue` though nobody asked for it. A client must be able to
 * parse it (RFC 9110, section 15.2), but undici ends the connection, while it passes over every other interim response. So
 * this turns each 100 into a 102 before undici reads it.
 */
export class UnaskedContinue {
  private isFinal = true;
  private isInterim = false;
  /** The begin of a status line. */
  private line = '';
  /** Of the line of an interim head that is being read. */
  private isLineEmpty = false;

  /** A request goes out. */
  expectAnswer(): void {
    this.isFinal = false;
    this.isInterim = false;
    this.line = '';
  }

  /** @param chunk what comes next of the connection, from any byte to any. Changed in place. */
  turn(chunk: Uint8Array): void {
    if (this.isFinal) return;
    // Nearly every answer comes at once, and is final.
    if (this.line === '' && !this.isInterim && chunk[0] === H && chunk.length >= LENGTH)
      this.isFinal = chunk[LENGTH - 3] !== ONE;
    for (let at = 0; at < chunk.length && !this.isFinal; at++)
      if (this.isInterim) this.passHead(chunk[at]);
      else this.readStatus(chunk, at);
  }

  private readStatus(chunk: Uint8Array, at: number): void {
    const byte = chunk[at] as number;
    // Parsers take blank lines before a status line.
    if (this.line === '' && (byte === CR || byte === LF)) return;
    this.line += String.fromCharCode(byte);
    if (this.line.length < LENGTH) return;
    this.isInterim = INTERIM.test(this.line);
    this.isFinal = !this.isInterim;
    if (this.isInterim && this.line.endsWith('100')) chunk[at] = TWO as number;
    this.isLineEmpty = false;
  }

  private passHead(byte: number | undefined): void {
    if (byte !== LF) this.isLineEmpty &&= byte === CR;
    else if (!this.isLineEmpty) this.isLineEmpty = true;
    else {
      this.isInterim = false;
      this.line = '';
    }
  }
}
