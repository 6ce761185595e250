import { useNoCallDeadline } from '../call-deadline.js';

useNoCallDeadline();
