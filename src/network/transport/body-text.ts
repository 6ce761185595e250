import { TextDecoder } from 'node:util';
import { charsetOf } from '../../platform/charset.js';

const UTF_8 = 'utf-8';

/**
 * An answer's body as text: in the charset that its `Content-Type` names, or in UTF-8 if it names none, or one that the Encoding
 * standard does not know. What is no character there becomes U+FFFD.
 *
 * @param isCut whether bytes after these are missing. Then the part of a character at the end is left out.
 */
export function bodyText(body: Buffer, contentType: string | undefined, isCut: boolean): string {
  if (body.length === 0) return '';
  const label = (contentType && charsetOf(contentType)?.toLowerCase()) || UTF_8;
  // Many times as fast.
  if (label === UTF_8 && !isCut) return body.toString('utf8');
  return decoderOf(label).decode(body, { stream: isCut });
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label, { ignoreBOM: label === UTF_8 });
  } catch {
    return new TextDecoder(UTF_8, { ignoreBOM: true });
  }
}
