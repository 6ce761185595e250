import { lookNow, outage } from '../data/connection.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';

/** Says that nothing comes from the service. It goes by itself when the service is back. */
export const ConnectionBar = () => (
  <div role="status">
    {outage.value && (
      <div class="outage">
        <Icon name="warning" />
        {outage.value.detail} What you see may be old; this page goes on by itself.
        <Button small onClick={lookNow}>
          Look now
        </Button>
      </div>
    )}
  </div>
);
