import { type CipherGCMTypes, createDecipheriv, createHmac } from 'node:crypto';

const TAG_BYTES = 16;
const IV_BYTES = 12;
/** The suites of TLS 1.3 that Node offers (RFC 8446, B.4): cipher, hash, and the length of the key. */
const SUITES = new Map<number, [cipher: CipherGCMTypes, hash: string, keyBytes: number]>([
  [0x1301, ['aes-128-gcm', 'sha256', 16]],
  [0x1302, ['aes-256-gcm', 'sha384', 32]],
  // Of the same shape, though its type is another one.
  [0x1303, ['chacha20-poly1305' as CipherGCMTypes, 'sha256', 32]],
]);

/** Decrypts what a server sends in the handshake of TLS 1.3, record by record, with the secret that OpenSSL has found. */
export class RecordCipher {
  private count = 0;

  private constructor(
    private readonly cipher: CipherGCMTypes,
    private readonly key: Buffer,
    private readonly iv: Buffer,
  ) {}

  /** @returns null for a suite that is not offered. */
  static of(suite: number, secret: Buffer): RecordCipher | null {
    const [cipher, hash, keyBytes] = SUITES.get(suite) ?? [];
    if (cipher === undefined || hash === undefined || keyBytes === undefined) return null;
    const key = derived(secret, hash, 'key', keyBytes);
    return new RecordCipher(cipher, key, derived(secret, hash, 'iv', IV_BYTES));
  }

  /**
   * @param record with its header of 5 bytes.
   * @returns the type of the content and the content (RFC 8446, 5.2 and 5.4).
   * @throws Error if it is not encrypted with this secret.
   */
  open(record: Buffer): { type: number; content: Buffer } {
    const nonce = Buffer.from(this.iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(IV_BYTES - 4) ^ this.count++) >>> 0, IV_BYTES - 4);
    const decipher = createDecipheriv(this.cipher, this.key, nonce, { authTagLength: TAG_BYTES });
    const header = record.subarray(0, 5);
    decipher.setAAD(header).setAuthTag(record.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(record.subarray(5, -TAG_BYTES)), decipher.final()]);
    let end = text.length - 1;
    while (end > 0 && text[end] === 0) end--;
    return { type: text[end] ?? 0, content: text.subarray(0, Math.max(end, 0)) };
  }
}

/** HKDF-Expand-Label without context (RFC 8446, 7.1), for no more bytes than the hash has. */
function derived(secret: Buffer, hash: string, name: string, length: number): Buffer {
  const label = Buffer.from(`tls13 ${name}`);
  const info = Buffer.concat([Buffer.from([0, length, label.length]), label, Buffer.from([0, 1])]);
  return createHmac(hash, secret).update(info).digest().subarray(0, length);
}
