/** One value in DER (X.690): its tag, and the bytes behind its length. */
export interface Element {
  tag: number;
  content: Buffer;
}

export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const OID = 0x06;
export const SEQUENCE = 0x30;
/** The tag `[n]` around a value. */
export const tagged = (n: number) => 0xa0 + n;

/**
 * The values that stand one behind the other; none if the bytes are anything else. A length is only read as DER writes it,
 * since OpenSSL also takes what BER allows and would read another value than the one that is judged here.
 */
export function elementsOf(bytes: Buffer | undefined): Element[] {
  const elements: Element[] = [];
  for (let at = 0; bytes !== undefined && at < bytes.length; ) {
    const tag = bytes[at] as number;
    const [length, begin] = lengthAt(bytes, at + 1);
    // Tags of several bytes occur in no certificate and no key.
    if ((tag & 0x1f) === 0x1f || begin + length > bytes.length) return [];
    elements.push({ tag, content: bytes.subarray(begin, begin + length) });
    at = begin + length;
  }
  return elements;
}

/** The values inside the only value of these bytes; none if that is not a SEQUENCE. */
export function sequenceOf(bytes: Buffer | undefined): Element[] {
  const [sequence, ...more] = elementsOf(bytes);
  return sequence?.tag === SEQUENCE && more.length === 0 ? elementsOf(sequence.content) : [];
}

/** How many bits a positive INTEGER has; infinitely many if there is none. */
export function bitsOf(element: Element | undefined): number {
  const { tag, content } = element ?? {};
  const first = content?.[0];
  if (tag !== INTEGER || content === undefined || first === undefined || first > 0x7f)
    return Number.POSITIVE_INFINITY;
  return (content.length - 1) * 8 + (32 - Math.clz32(first));
}

/** @returns the length, and where the content begins; a length that nothing has if DER does not write it so. */
function lengthAt(bytes: Buffer, at: number): [length: number, begin: number] {
  const first = bytes[at] ?? 0x80;
  if (first < 0x80) return [first, at + 1];
  const count = first - 0x80;
  const isShortest = bytes[at + 1] !== 0 && (count > 1 || (bytes[at + 1] ?? 0) >= 0x80);
  if (count < 1 || count > 3 || at + count >= bytes.length || !isShortest)
    return [Number.POSITIVE_INFINITY, at];
  return [bytes.readUIntBE(at + 1, count), at + 1 + count];
}
