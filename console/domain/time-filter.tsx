import { Filter } from '../parts/form/filter.js';
import { BETWEEN, isoOf, localText, PERIODS } from './period.js';

interface Times {
  time: string;
  since: string;
  until: string;
}

/** A span that ends now, or one of two times. */
export function TimeFilter({ values, set }: { values: Times; set: (changed: Partial<Times>) => void }) {
  const { time, since, until } = values;
  const isBetween = time === BETWEEN || (!time && since + until !== '');
  const isBackwards = since !== '' && until !== '' && since > until;
  return (
    <>
      <Filter
        label="Time"
        value={isBetween ? BETWEEN : time}
        choices={PERIODS}
        onChange={(picked) => set({ time: picked, since: '', until: '' })}
      />
      {isBetween && (
        <span class="row">
          {(['since', 'until'] as const).map((name) => (
            <input
              key={name}
              class="input"
              type="datetime-local"
              aria-label={name === 'since' ? 'From' : 'To'}
              aria-invalid={isBackwards || undefined}
              value={localText(values[name])}
              onChange={(event) => set({ [name]: isoOf(event.currentTarget.value) })}
            />
          ))}
          {isBackwards && <span class="error">It begins after its end.</span>}
        </span>
      )}
    </>
  );
}
