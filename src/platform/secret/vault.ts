import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** An encryption key, and the id that is stored beside everything it encrypted. */
export interface VaultKey {
  id: string;
  /** 32 bytes. */
  key: Buffer;
  /** What errors call the place where the key is written, such as a variable or a file. @default encryptionKeys */
  source?: string;
}

const SOURCE = 'encryptionKeys';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAC_BYTES = 16;
const BASE64URL = /^[\w-]{1,200}$/;

/**
 * Encrypts values that must not be readable in the database, with AES-256-GCM (NIST SP 800-38D) and a random 96-bit IV.
 * The key's id is stored with the value. The first key encrypts; all keys decrypt.
 */
export class Vault {
  /** The encrypting key comes first. */
  readonly keyIds: string[];
  private readonly first: VaultKey;
  private readonly keys: Map<string, VaultKey>;
  private readonly macKeys: Buffer[];
  private readonly wrapKeys: Buffer[];

  constructor(keys: VaultKey[]) {
    const [first] = keys;
    if (!first) throw new Error('The vault needs a key.');
    this.first = first;
    this.keyIds = keys.map(({ id }) => id);
    this.keys = new Map(keys.map((key) => [key.id, key]));
    const derived = (use: string) => keys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', use, 32)));
    this.macKeys = derived('cursor');
    this.wrapKeys = derived('position');
  }

  /** What errors call the place where a key is written; of the first key if there is none with this id. */
  sourceOf(keyId: string): string {
    return (this.keys.get(keyId) ?? this.first).source ?? SOURCE;
  }

  /**
   * @param context the id of the row that will hold the value; the value cannot be decrypted in another row.
   * @param keyId one of the keys. @default the first
   * @returns `keyId.base64url(iv tag ciphertext)`
   */
  seal(plain: string, context: string, keyId = this.first.id): string {
    const { id, key } = this.keyOf(keyId);
    return `${id}.${encrypted(key, Buffer.from(plain), context).toString('base64url')}`;
  }

  /** @throws Error if the key is missing, or the text was changed or belongs to another row. */
  open(sealed: string, context: string): string {
    const { id, key } = this.keyOf(keyIdOf(sealed));
    return decrypted(key, Buffer.from(sealed.slice(id.length + 1), 'base64url'), context).toString('utf8');
  }

  /** Null for what {@link open} cannot open. */
  tryOpen(sealed: string, context: string): string | null {
    try {
      return this.open(sealed, context);
    } catch {
      return null;
    }
  }

  opens(sealed: string, context: string): boolean {
    return this.tryOpen(sealed, context) !== null;
  }

  /**
   * Hides a few bytes in a text that clients hold and only this service reads. It does not say which key it is of, and is another
   * text each time, so that equal ones cannot be told.
   */
  wrap(bytes: Buffer, purpose: string): string {
    return encrypted(this.wrapKeys[0] as Buffer, bytes, purpose).toString('base64url');
  }

  /** Null for what was not wrapped with one of the keys, for the same purpose. */
  unwrap(text: string, purpose: string): Buffer | null {
    if (!BASE64URL.test(text)) return null;
    const bytes = Buffer.from(text, 'base64url');
    for (const key of this.wrapKeys) {
      try {
        return decrypted(key, bytes, purpose);
      } catch {
        // Of another key, or of none.
      }
    }
    return null;
  }

  /** A 16-byte tag that only this service can make, for tokens that clients hold. */
  mac(text: string): Buffer {
    return macOf(this.macKeys[0] as Buffer, text);
  }

  isMac(tag: Buffer, text: string): boolean {
    return tag.length === MAC_BYTES && this.macKeys.some((key) => timingSafeEqual(tag, macOf(key, text)));
  }

  /** @throws Error if there is none. */
  private keyOf(id: string): VaultKey {
    const key = this.keys.get(id);
    if (key) return key;
    throw new Error(
      `${this.sourceOf(id)} no longer holds the key "${id}", which the database still uses; put it back, behind the first.`,
    );
  }
}

/** The id of the key that sealed a text. */
export const keyIdOf = (sealed: string) => sealed.slice(0, sealed.indexOf('.'));

/** @returns iv, tag and ciphertext. */
function encrypted(key: Buffer, plain: Buffer, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** @throws Error if it was not encrypted with this key and context. */
function decrypted(key: Buffer, bytes: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}

function macOf(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES);
}
