import { BIT_STRING, elementsOf, OCTET_STRING, OID, SEQUENCE, sequenceOf, tagged } from './der.js';
import { isQuickPublicKey } from './keys.js';

/** How much there is to compare in certificates, in bytes: OpenSSL compares each name with each constraint above it. */
export interface Measure {
  names: number;
  constraints: number;
}

export const NOTHING: Measure = { names: 0, constraints: 0 };

const ALTERNATIVE_NAMES = '551d11';
const NAME_CONSTRAINTS = '551d1e';

/** @returns null if a certificate (RFC 5280, 4.1) cannot be read, or its key is none that is quickly read and checked with. */
export function measureOf(certificate: Buffer): Measure | null {
  const [tbs, algorithm, signature] = sequenceOf(certificate);
  if (tbs?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE || signature?.tag !== BIT_STRING) return null;
  const fields = elementsOf(tbs.content);
  if (fields[0]?.tag === tagged(0)) fields.shift();
  const [_serial, _algorithm, _issuer, _validity, subject, key, ...others] = fields;
  if (subject?.tag !== SEQUENCE || !isQuickPublicKey(key)) return null;
  const measure: Measure = { names: subject.content.length, constraints: 0 };
  const lists = others.filter(({ tag }) => tag === tagged(3)).map(({ content }) => sequenceOf(content));
  if (lists.some((list) => list.length === 0)) return null;
  for (const { tag, content } of lists.flat()) {
    const parts = elementsOf(content);
    const [oid, value] = [parts[0], parts.at(-1)];
    if (tag !== SEQUENCE || oid?.tag !== OID || value?.tag !== OCTET_STRING) return null;
    const name = oid.content.toString('hex');
    if (name === ALTERNATIVE_NAMES) measure.names += value.content.length;
    if (name === NAME_CONSTRAINTS) measure.constraints += value.content.length;
  }
  return measure;
}

/** The sum over certificates; null if one of them has none. */
export function totalOf(certificates: Buffer[]): Measure | null {
  const total = { ...NOTHING };
  for (const certificate of certificates) {
    const measure = measureOf(certificate);
    if (measure === null) return null;
    total.names += measure.names;
    total.constraints += measure.constraints;
  }
  return total;
}
