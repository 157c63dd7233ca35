import { Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Disk } from './disk.js';
import { Random } from './random.js';
import { SystemClock } from './system-clock.js';
import { SystemDisk } from './system-disk.js';
import { SystemRandom } from './system-random.js';

/** Time, chance and disk: ports that every level may use, so that a simulation can own all three. */
@Global()
@Module({
  providers: [
    { provide: Clock, useClass: SystemClock },
    { provide: Random, useClass: SystemRandom },
    { provide: Disk, useClass: SystemDisk },
  ],
  exports: [Clock, Random, Disk],
})
export class RuntimeModule {}
