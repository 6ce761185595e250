import type { WebhookAttemptDto } from 'webhook-notification-service-client';
import { differencesOf } from './difference.js';

/** Two attempts beside each other: only what differs. */
export function DifferenceTable({ one, other }: { one: WebhookAttemptDto; other: WebhookAttemptDto }) {
  const rows = differencesOf(one, other);
  if (rows.length === 0) return <p>The two attempts went alike in everything.</p>;
  return (
    <div class="table-box">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus no key scrolls it */}
      <section class="table-scroll" tabIndex={0} aria-label="Difference between two attempts">
        <table class="table difference">
          <thead>
            <tr>
              <th scope="col">What differs</th>
              <th scope="col">Attempt {one.number}</th>
              <th scope="col">Attempt {other.number}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.what}>
                <th scope="row">{row.what}</th>
                <td>{row.one || <span class="muted">–</span>}</td>
                <td>{row.other || <span class="muted">–</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
