import { Injectable } from '@nestjs/common';
import { newId } from '../../common/ids/ids.js';

/** This process, as the holder of leases. */
@Injectable()
export class Instance {
  readonly id = newId();
}
