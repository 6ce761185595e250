/** A value that nobody may read unless they were given it. */
export interface Secret {
  /** Stands for the secret in a finding, which must not show it. */
  name: string;
  /** The unguessable part. */
  core: string;
}

/** Bytes that could contain a secret. */
export interface Place {
  name: string;
  bytes: Buffer;
}

/** Characters of a secret that nothing else contains by chance. */
const PART = 8;

/** Lists every secret found in a place, in any encoding, without showing the secret or the place's contents. */
export function findSecrets(secrets: Secret[], places: Place[]): string[] {
  return secrets.flatMap(({ name, core }) => {
    const forms = Object.entries(formsOf(core));
    return places.flatMap((place) => {
      const found = forms.find(([, needles]) => needles.some((needle) => place.bytes.includes(needle)));
      return found ? [`${name}, ${found[0]}, in ${place.name}`] : [];
    });
  });
}

function formsOf(core: string): Record<string, (string | Buffer)[]> {
  const hex = Buffer.from(core).toString('hex');
  const backwards = [...core].reverse().join('');
  return {
    plain: [core, core.slice(0, PART), core.slice(-PART)],
    'percent-encoded': [encodeURIComponent(core), core.replace(/./g, (one) => `%${hexOf(one)}`)],
    hex: [hex, hex.toUpperCase()],
    base64: [0, 1, 2].flatMap((shift) => {
      const inside = base64Inside(core, shift);
      return [inside, inside.replaceAll('+', '-').replaceAll('/', '_')];
    }),
    'UTF-16': [Buffer.from(core, 'utf16le')],
    backwards: [backwards],
    'what it is base64 of': decoded(core),
  };
}

const hexOf = (text: string) => Buffer.from(text).toString('hex');

/** The base64 form after `shift` other bytes, without both ends, because those depend on the neighbouring bytes. */
function base64Inside(core: string, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(core)]).toString('base64');
  return text.slice(shift === 0 ? 0 : 4, -4);
}

/** The bytes of a base64 key, and their hex form; nothing if it has fewer than 24 bytes. */
function decoded(core: string): (string | Buffer)[] {
  const bytes = Buffer.from(core, 'base64');
  return bytes.length >= 24 ? [bytes, bytes.toString('hex')] : [];
}
