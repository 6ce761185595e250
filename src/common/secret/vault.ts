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

  constructor(keys: VaultKey[]) {
    const [first] = keys;
    if (!first) throw new Error('The vault needs a key.');
    this.first = first;
    this.keyIds = keys.map(({ id }) => id);
    this.keys = new Map(keys.map((key) => [key.id, key]));
    this.macKeys = keys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', 'cursor', 32)));
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
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return `${id}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
  }

  /** @throws Error if the key is missing, or the text was changed or belongs to another row. */
  open(sealed: string, context: string): string {
    const { id, key } = this.keyOf(keyIdOf(sealed));
    const bytes = Buffer.from(sealed.slice(id.length + 1), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const plain = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString('utf8');
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

function macOf(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES);
}
