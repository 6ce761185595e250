import { useCallDeadline } from '../call-deadline.js';

// A busy machine may keep a call waiting for as long as the database that does not answer.
useCallDeadline(24 * 3_600_000);
