/** Where this page is mounted. The server writes it into the page, so no path is compiled in. */
export interface Place {
  /** The path of this page, without a slash at its end. */
  readonly base: string;
  /** The path of the API, with its version. */
  readonly api: string;
  /** Whether one signs in here. If not, the host application knows its users. */
  readonly session: boolean;
}

export const place = JSON.parse(document.getElementById('place')?.textContent ?? '') as Place;

/** The address of a screen, such as `to('/webhooks')`. */
export const to = (path: string): string => `${place.base}${path}` || '/';
