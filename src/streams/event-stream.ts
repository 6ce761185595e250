import { Readable } from 'node:stream';

/** What may wait to be read. A single event may be larger. */
const ROOM_BYTES = 256 * 1024;
/** Events go on in pieces, so that little of a large one waits where it is not counted. */
const PIECE_BYTES = 64 * 1024;

/** A Server-Sent Event (HTML, 9.2). @param data one line, such as JSON. */
export const eventText = (id: string, event: string, data: string): string =>
  `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;

/** The body of an answer that goes on: Server-Sent Events. It holds what its client has not read yet. */
export class EventStream extends Readable {
  /** Where a client that comes back goes on, or nothing; sent with comments, and with each event. */
  position: () => string = () => '';
  private sent = 0;
  private isFinished = false;

  constructor() {
    super({ read: () => {}, highWaterMark: PIECE_BYTES });
  }

  /** Bytes that wait to be read. */
  get waiting(): number {
    return this.readableLength;
  }

  /** Bytes that were read; a client that reads makes this grow. */
  get taken(): number {
    return this.sent - this.readableLength;
  }

  get hasCapacity(): boolean {
    return this.waiting < ROOM_BYTES;
  }

  /** @param event may be shared with other streams. */
  send(event: Buffer): void {
    if (this.destroyed || this.isFinished) return;
    this.sent += event.length;
    for (let at = 0; at < event.length; at += PIECE_BYTES) this.push(event.subarray(at, at + PIECE_BYTES));
  }

  /** Shows that the connection is alive, and how far the client has come. A comment dispatches no event. */
  comment(): void {
    const position = this.position();
    this.send(Buffer.from(position === '' ? ':\n\n' : `:\nid: ${position}\n\n`));
  }

  /** Ends the answer once all of it is read. */
  finish(): void {
    if (this.destroyed || this.isFinished) return;
    this.isFinished = true;
    this.push(null);
  }
}
