import { EventFilters } from './event-filters.service.js';

export const FILTER = { providers: [EventFilters], exports: [EventFilters] };
