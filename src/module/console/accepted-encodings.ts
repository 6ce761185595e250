/**
 * The encodings that an `Accept-Encoding` header names, in lower case. A weight other than 0 is not compared: no client prefers
 * larger forms. Cut by single characters: a regular expression that looks for blanks before a `;` takes quadratic time.
 */
export function acceptedEncodings(header: string): string[] {
  return header
    .toLowerCase()
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? ''))
    .map(([name]) => name ?? '');
}
