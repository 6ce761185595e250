/** Whether the screen that is shown was come back to. Then the focus goes to where it was, not to the heading. */
let isBack = true;

addEventListener('popstate', () => {
  isBack = true;
});
addEventListener('click', () => {
  isBack = false;
});

/** Says that somebody goes on, by something else than a link. */
export const goOn = (): void => {
  isBack = false;
};

export const cameBack = (): boolean => isBack;

/** Where the focus was in a list, by its name and address. */
const places = new Map<string, string>();

const placeOf = (list: string) => `${list} ${location.pathname}`;

export const remember = (list: string, row: string): void => {
  places.set(placeOf(list), row);
};

/** The row that had the focus, if the list was come back to. */
export const remembered = (list: string): string | undefined =>
  isBack ? places.get(placeOf(list)) : undefined;
