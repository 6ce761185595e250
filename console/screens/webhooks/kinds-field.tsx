import { useKinds } from '../../domain/kinds.js';
import { Check } from '../../parts/form/fields.js';
import { Fieldset } from '../../parts/form/fieldset.js';
import type { Field } from '../../parts/form/form.js';
import { ProblemBox } from '../../parts/text/boxes.js';
import { Bones } from '../../parts/text/empty.js';

/** Which kinds of event a webhook is told of. */
export function KindsField({ field }: { field: Field<readonly string[]> }) {
  const kinds = useKinds();
  return (
    <Fieldset
      legend="Kinds of event"
      hint="What is sent there; without any, nothing but tests. More can be added later."
      pointer="/events"
    >
      {kinds.problem && <ProblemBox problem={kinds.problem} onRetry={kinds.refresh} />}
      {!kinds.rows && !kinds.problem && <Bones />}
      {kinds.rows && (
        <div class="checks">
          {kinds.rows.map(({ kind, description }) => (
            <Check
              key={kind}
              label={<code>{kind}</code>}
              hint={description}
              checked={field.value.includes(kind)}
              onChange={(isOn) =>
                field.set(isOn ? [...field.value, kind] : field.value.filter((other) => other !== kind))
              }
            />
          ))}
        </div>
      )}
    </Fieldset>
  );
}
