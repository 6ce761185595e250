import { AttemptFailure } from '../../attempt-failure.js';
import { RecordCipher } from './record-cipher.js';

/** Before the connection is open: the certificates, and perhaps a list of the authorities that clients may have. */
const MAX_BYTES = 64 * 1024;
const HEADER_BYTES = 5;

/** The first byte of each version. */
const VERSION = 3;
/** Types of records (RFC 8446, 5.1). */
const HANDSHAKE = 22;
const ENCRYPTED = 23;
/** Types of handshake messages (RFC 8446, 4). */
const SERVER_HELLO = 2;
const CERTIFICATE = 11;
const COMPRESSED_CERTIFICATE = 25;
/** Where the session's id begins in a ServerHello: behind a version and 32 random bytes. */
const SESSION_ID_AT = 34;

/**
 * What a server sends until the connection is open. OpenSSL may read it up to the certificates, and these once they are
 * judged: how long it computes is up to them. All is read in the order in which OpenSSL reads it, and anything that would
 * be read in two ways is an error there, so that no other certificates can follow. In TLS 1.3 they are encrypted.
 */
export class ServerFlight {
  private unread: Buffer = Buffer.alloc(0);
  /** Read, but not for OpenSSL yet. */
  private withheld: Buffer[] = [];
  /** The begin of a handshake message. */
  private message: Buffer = Buffer.alloc(0);
  private suite = 0;
  private cipher: RecordCipher | null = null;
  private count = 0;
  private isJudged = false;

  /** @param faultOf what is wrong with certificates; null if nothing is. */
  constructor(private readonly faultOf: (certificates: Buffer[]) => string | null) {}

  /** @param secret of the server in the handshake of TLS 1.3. Without it, encrypted records wait. */
  decryptWith(secret: Buffer): void {
    this.cipher = RecordCipher.of(this.suite, secret);
  }

  /** @returns what OpenSSL may read now. @throws AttemptFailure if the handshake is to be given up. */
  read(bytes: Buffer): Buffer {
    this.count += bytes.length;
    if (this.count > MAX_BYTES) throw new AttemptFailure('tls', 'The TLS handshake is too long.');
    if (this.isJudged) return bytes;
    this.unread = this.unread.length === 0 ? bytes : Buffer.concat([this.unread, bytes]);
    const readable: Buffer[] = [];
    for (let record = this.next(); record !== null && !this.isJudged; record = this.next()) {
      this.unread = this.unread.subarray(record.length);
      this.withheld.push(record);
      this.readRecord(record);
      // A ServerHello has to be read before the rest can be decrypted.
      if (this.message.length === 0) readable.push(...this.withheld.splice(0));
    }
    if (this.isJudged) readable.push(...this.withheld.splice(0), this.unread);
    return Buffer.concat(readable);
  }

  /** Null if it is not complete, or cannot be decrypted yet. */
  private next(): Buffer | null {
    const { unread } = this;
    if (unread.length < HEADER_BYTES || (unread[0] === ENCRYPTED && this.cipher === null)) return null;
    // OpenSSL knows by the header that this is not TLS.
    const length = HEADER_BYTES + (unread[1] === VERSION ? unread.readUInt16BE(3) : 0);
    return unread.length < length ? null : unread.subarray(0, length);
  }

  private readRecord(record: Buffer): void {
    const isEncrypted = record[0] === ENCRYPTED;
    const { type, content } = isEncrypted
      ? opened(this.cipher as RecordCipher, record)
      : { type: record[0], content: record.subarray(HEADER_BYTES) };
    if (type !== HANDSHAKE) return;
    this.message = Buffer.concat([this.message, content]);
    while (this.message.length >= 4) {
      const end = 4 + this.message.readUIntBE(1, 3);
      if (this.message.length < end) return;
      this.readMessage(this.message[0] as number, this.message.subarray(4, end), isEncrypted);
      if (this.isJudged) return;
      this.message = this.message.subarray(end);
    }
  }

  private readMessage(type: number, body: Buffer, isEncrypted: boolean): void {
    if (type === SERVER_HELLO && body.length > SESSION_ID_AT) {
      const at = SESSION_ID_AT + 1 + (body[SESSION_ID_AT] as number);
      if (body.length >= at + 2) this.suite = body.readUInt16BE(at);
    }
    if (type !== CERTIFICATE && type !== COMPRESSED_CERTIFICATE) return;
    const certificates = type === CERTIFICATE ? certificatesIn(body, isEncrypted) : null;
    const fault =
      certificates === null
        ? 'The TLS certificates of the receiver cannot be read.'
        : this.faultOf(certificates);
    if (fault !== null) throw new AttemptFailure('tls', fault);
    this.isJudged = true;
  }
}

function opened(cipher: RecordCipher, record: Buffer): { type: number; content: Buffer } {
  try {
    return cipher.open(record);
  } catch (cause) {
    throw new AttemptFailure('tls', 'The TLS handshake failed.', { cause });
  }
}

/** From a Certificate message (RFC 8446, 4.4.2; RFC 5246, 7.4.2): each has its length before it, in TLS 1.3 also extensions behind it. */
function certificatesIn(body: Buffer, hasExtensions: boolean): Buffer[] | null {
  const begin = hasExtensions ? 1 + (body[0] ?? 0) : 0;
  if (body.length < begin + 3 || body.length !== begin + 3 + body.readUIntBE(begin, 3)) return null;
  const certificates: Buffer[] = [];
  for (let at = begin + 3; at < body.length; ) {
    if (at + 3 > body.length) return null;
    const end = at + 3 + body.readUIntBE(at, 3);
    certificates.push(body.subarray(at + 3, end));
    if (end + (hasExtensions ? 2 : 0) > body.length) return null;
    at = hasExtensions ? end + 2 + body.readUInt16BE(end) : end;
  }
  return certificates;
}
