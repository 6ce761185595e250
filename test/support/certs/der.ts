/** A value in DER: a tag, and the bytes of its parts. */
export function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = bytesOf(BigInt(content.length));
  const length = content.length < 0x80 ? size : Buffer.concat([Buffer.from([0x80 + size.length]), size]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

export const sequence = (...parts: Buffer[]) => element(0x30, ...parts);
export const octets = (...parts: Buffer[]) => element(0x04, ...parts);
export const bits = (...parts: Buffer[]) => element(0x03, Buffer.from([0]), ...parts);
/** The tag `[n]` around a value. */
export const tagged = (n: number, ...parts: Buffer[]) => element(0xa0 + n, ...parts);

/** A positive INTEGER. */
export function integer(value: bigint | number): Buffer {
  const number = bytesOf(BigInt(value));
  return element(0x02, Buffer.alloc((number[0] as number) >> 7), number);
}

/** The bytes of a number, as many as are asked for. */
export function bytesOf(number: bigint, length = 1): Buffer {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(Math.max(length * 2, hex.length + (hex.length % 2)), '0'), 'hex');
}

/** An OBJECT IDENTIFIER, such as `2.5.4.3`. */
export function oid(name: string): Buffer {
  const [first = 0, second = 0, ...others] = name.split('.').map(Number);
  const parts = [first * 40 + second, ...others].map((part) => {
    const digits = [part & 0x7f];
    for (let rest = Math.floor(part / 128); rest > 0; rest = Math.floor(rest / 128))
      digits.unshift((rest & 0x7f) | 0x80);
    return Buffer.from(digits);
  });
  return element(0x06, ...parts);
}

export function pemText(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
