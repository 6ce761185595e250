const CERTIFICATE = /-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/g;
const KEY = /-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([\sA-Za-z0-9+/=]+)-----END \1-----/;

/** What a block of PEM is said to hold. */
export type PemLabel = 'CERTIFICATE' | 'PRIVATE KEY' | 'RSA PRIVATE KEY' | 'EC PRIVATE KEY';

export interface PemBlock {
  label: PemLabel;
  der: Buffer;
}

/** The certificates in a text, in DER, without what stands between them. */
export const certificatesIn = (text: string): Buffer[] =>
  [...text.matchAll(CERTIFICATE)].map(([, base64 = '']) => Buffer.from(base64, 'base64'));

/** The first private key in a text; null if there is none. */
export function keyIn(text: string): PemBlock | null {
  const [, label, base64 = ''] = KEY.exec(text) ?? [];
  return label === undefined ? null : { label: label as PemLabel, der: Buffer.from(base64, 'base64') };
}

/** A block as OpenSSL writes it. It reads base64 by rules of its own, so it only gets what is written here. */
export function pemOf({ label, der }: PemBlock): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
