import { Button } from '../../parts/button.js';

/** More than these nobody looks through. */
const AT_MOST = 24;

type Value = string | number | boolean | null;

/** The fields of a record: each press adds a condition to the filter, with the value that the record has. */
export function FilterFields({
  filter,
  record,
  onFilter,
}: {
  filter: string;
  record: string;
  onFilter: (filter: string) => void;
}) {
  const conditions = objectOf(filter || '{}');
  const fields = [...new Map(fieldsOf(objectOf(record)).toReversed())].toReversed().slice(0, AT_MOST);
  if (!conditions || fields.length === 0) return null;
  return (
    <div class="row">
      <span class="hint">Only where:</span>
      {fields.map(([path, value]) => (
        <Button
          key={path}
          small
          onClick={() => onFilter(JSON.stringify({ ...conditions, [path]: value }, null, 2))}
        >
          {path}
        </Button>
      ))}
    </div>
  );
}

/** By the path that a filter knows each by, which passes through lists. Of such a list, the first entry's value comes first. */
function fieldsOf(value: unknown, path: readonly string[] = []): [string, Value][] {
  if (Array.isArray(value)) return value.flatMap((entry) => fieldsOf(entry, path));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .filter(([name]) => name !== '' && !/^\$|\./.test(name))
      .flatMap(([name, inner]) => fieldsOf(inner, [...path, name]));
  }
  return path.length === 0 ? [] : [[path.join('.'), value as Value]];
}

/** Undefined for what is not an object, or not yet. */
function objectOf(text: string): object | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
