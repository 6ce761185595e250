/** Where the console is, unless an application says otherwise; in the service always. */
export const CONSOLE = 'console';

/** How the page may be mounted. */
export interface ConsoleMount {
  /** Its path, beside the API's: `webhooks/console`. */
  path: string;
  /** Whether users log in with an API key. If not, the application knows them. */
  session: boolean;
}
