import { to } from '../data/place.js';

export const Brand = () => (
  // Not by the same name as the list of webhooks, to which another link leads.
  <a class="brand" href={to('/')} aria-label="Webhooks: overview">
    <span class="mark">
      <svg
        width="14"
        height="14"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        aria-hidden="true"
      >
        <path d="m2 4 3 8 3-7 3 7 3-8" stroke-linecap="round" stroke-linejoin="round" />
      </svg>
    </span>
    Webhooks
  </a>
);
