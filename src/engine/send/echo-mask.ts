import type { ReceivedResponse } from '../../network/transport/transport.js';
import { writeJson } from '../../platform/json/write-json.js';
import { canonicalName, MASK } from '../webhook/headers.js';

/** Shorter values are not masked: they occur everywhere, and nothing readable would be left. */
const MIN_LENGTH = 4;
/** Shorter values are masked only as whole words: `prod` is not masked in `product`. */
const MIN_INSIDE = 8;
/** The shortest prefix of a value that is masked at the end of a truncated body. */
const MIN_CUT = 3;
/** How many values of a cookie are searched for one by one: each costs a search of every answer. */
const MAX_COOKIE_VALUES = 20;
/** A value of asterisks alone is in every mask; masking it would grow the text with each search. */
const MASKS_ONLY = /^\*+$/;
/** Headers that ask for a form of answer come back as that form and hold no secret. */
const PLAIN_NAMES = /^(accept(-.*)?|cache-control|pragma|prefer)$/;
const WORD = /\w/;

/** Masks the values of a webhook's own headers, and its credentials, in a receiver's answer. */
export class EchoMask {
  /** Spellings of the values, the longest first: one may be part of another. */
  private readonly echoes: string[];

  private constructor(echoes: Set<string>) {
    this.echoes = [...echoes].sort((a, b) => b.length - a.length);
  }

  /** @returns null if there is nothing to search for. */
  static of(headers: Record<string, string>): EchoMask | null {
    const values = Object.entries(headers).flatMap(([name, value]) =>
      PLAIN_NAMES.test(canonicalName(name)) ? [] : secretsIn(name, value.trim()),
    );
    const echoes = new Set(
      values.filter((value) => value.length >= MIN_LENGTH && !MASKS_ONLY.test(value)).flatMap(spellings),
    );
    return echoes.size > 0 ? new EchoMask(echoes) : null;
  }

  /** All that these mask. */
  static joined(masks: (EchoMask | null)[]): EchoMask | null {
    const echoes = new Set(masks.flatMap((mask) => mask?.echoes ?? []));
    return echoes.size > 0 ? new EchoMask(echoes) : null;
  }

  /** The response as it may be kept. */
  masked(response: ReceivedResponse): ReceivedResponse {
    const headers = Object.entries(response.headers).map(([name, value]) => [name, this.maskedText(value)]);
    const body = this.maskedText(response.body);
    return {
      ...response,
      headers: Object.fromEntries(headers),
      body: response.truncated ? this.maskedEnd(body) : body,
    };
  }

  private maskedText(text: string): string {
    if (text.length < MIN_LENGTH) return text;
    let masked = text;
    for (const echo of this.echoes) {
      if (!masked.includes(echo)) continue;
      masked =
        echo.length >= MIN_INSIDE
          ? masked.replaceAll(echo, MASK)
          : masked.replaceAll(echo, (_match, at: number, whole: string) => {
              const isInside = WORD.test(whole.charAt(at - 1)) || WORD.test(whole.charAt(at + echo.length));
              return isInside ? echo : MASK;
            });
    }
    return masked;
  }

  /** Masks a value at the end of a body that was cut in the middle of it. */
  private maskedEnd(body: string): string {
    const cut = Math.max(0, ...this.echoes.map((echo) => overlap(echo, body)));
    return cut < MIN_CUT ? body : body.slice(0, -cut) + MASK;
  }
}

/** The value, and the parts of it that are credentials by themselves. */
function secretsIn(name: string, value: string): string[] {
  const canonical = canonicalName(name);
  if (canonical === 'cookie')
    return [value, ...value.split('; ', MAX_COOKIE_VALUES).map((pair) => pair.slice(pair.indexOf('=') + 1))];
  const [, scheme, credentials = ''] = /^([\w-]+) +(\S.*)$/.exec(value) ?? [];
  if (scheme === undefined || !/authorization|token|key|secret/.test(canonical)) return [value];
  if (scheme.toLowerCase() !== 'basic') return [value, credentials];
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return [value, credentials, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** The forms in which a value may come back: as it is, and as escaped in HTML, JSON, URLs, forms and base64. */
function spellings(value: string): string[] {
  const json = writeJson(value).slice(1, -1);
  const escaped = (text: string, characters: RegExp, upper: boolean) =>
    text.replace(characters, (one) => {
      const hex = one.charCodeAt(0).toString(16).padStart(4, '0');
      return `\\u${upper ? hex.toUpperCase() : hex}`;
    });
  const percent = encodeURIComponent(value);
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  return [
    value,
    json,
    json.replaceAll('/', '\\/'),
    // Go and Rails, PHP, .NET.
    escaped(json, /[<>&]/g, false),
    escaped(json, /\//g, false),
    escaped(json, /\//g, true),
    escaped(value.replaceAll('\\', '\\\\'), /["&'+<>`]/g, true),
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    value.replace(/[&<>"']/g, (one) => HTML[one] as string),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
  ];
}

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The length of the longest proper prefix of `word` that `text` ends with (Knuth-Morris-Pratt). */
function overlap(word: string, text: string): number {
  const fallback = new Int32Array(word.length);
  const step = (length: number, character: string) => {
    let known = length;
    while (known > 0 && word[known] !== character) known = fallback[known - 1] as number;
    return word[known] === character ? known + 1 : known;
  };
  for (let i = 1; i < word.length; i++) fallback[i] = step(fallback[i - 1] as number, word[i] as string);
  let length = 0;
  for (const character of text.slice(-(word.length - 1)).split('')) {
    length = step(length, character);
    if (length === word.length) length = fallback[length - 1] as number;
  }
  return length;
}
