import { render } from 'preact';
import { App } from './app/app.js';
import { startToasts } from './parts/overlay/toasts.js';

render(<App />, document.getElementById('console') as HTMLElement);
startToasts();
