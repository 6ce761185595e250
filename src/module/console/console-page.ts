import { writeJson } from '../../platform/json/write-json.js';

/** Stands in the built page wherever it names its own address. */
const BASE = '/__console__/';
/** Stands in the built page for the block that says where it is. */
const PLACE = '__PLACE__';

/** Where the page and its API are, and whether users log in here. */
export interface ConsolePlace {
  /** Without a slash at its end. */
  base: string;
  api: string;
  session: boolean;
}

/** The page as it is served at a place. @param template the built `index.html`. */
export const pageAt = (template: string, place: ConsolePlace): string =>
  template.replaceAll(BASE, () => `${inAttribute(place.base)}/`).replace(PLACE, () => inScript(place));

/** No text in it ends the script element. JSON means the same with these characters escaped. */
const inScript = (value: object) =>
  writeJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const inAttribute = (text: string) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
