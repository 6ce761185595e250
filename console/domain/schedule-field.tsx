import { TextField } from '../parts/form/fields.js';
import type { Field } from '../parts/form/form.js';
import { span } from '../parts/text/format.js';
import { parseSchedule } from './schedule.js';
import { SCHEDULE } from './settings.js';

/** The pauses between attempts, and what comes of them. @param standard those of the service, if they are known. */
export function ScheduleField({
  field,
  standard,
}: {
  field: Field<string>;
  standard: readonly number[] | undefined;
}) {
  const own = field.value.trim() === '' ? undefined : parseSchedule(field.value);
  const shown = field.value.trim() === '' ? standard : own;
  return (
    <>
      <TextField
        field={field}
        label={SCHEDULE.label}
        pointer="/settings/retry_schedule_seconds"
        placeholder={standard?.map(span).join(', ') ?? 'Those of the service'}
        hint="Such as 5 s, 5 min, 2 h. Left empty, those of the service."
        autocomplete="off"
      />
      {shown ? (
        <Attempts pauses={shown} />
      ) : (
        field.value.trim() !== '' && <p class="hint">Some part is no time.</p>
      )}
    </>
  );
}

/** When each attempt is made, counted from the first. */
function Attempts({ pauses }: { pauses: readonly number[] }) {
  let passed = 0;
  const at = pauses.map((seconds) => (passed += seconds));
  return (
    <div class="hint">
      <p>
        {pauses.length + 1} attempts within {span(passed)}, each pause up to a fifth longer or shorter:
      </p>
      <ol class="tags">
        <li class="tag">at once</li>
        {at.map((seconds, index) => (
          <li key={index} class="tag">
            + {span(seconds)}
          </li>
        ))}
      </ol>
    </div>
  );
}
