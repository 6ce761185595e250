/** What must not be read by anybody who was not given it. */
export interface Secret {
  /** What it is called in a finding, where it is not shown itself. */
  name: string;
  /** The part of it that nobody can guess. */
  core: string;
}

/** Where it could be read. */
export interface Place {
  name: string;
  bytes: Buffer;
}

/** As much of a secret as nothing else has by chance. */
const PART = 8;

/** Every secret that is in a place, in whatever spelling; neither is shown. */
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

/** How it looks in base64 with so many bytes before it: without the ends, which depend on what is around it. */
function base64Inside(core: string, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(core)]).toString('base64');
  return text.slice(shift === 0 ? 0 : 4, -4);
}

/** The bytes of a key, and their hex. */
function decoded(core: string): (string | Buffer)[] {
  const bytes = Buffer.from(core, 'base64');
  return bytes.length >= 24 ? [bytes, bytes.toString('hex')] : [];
}
