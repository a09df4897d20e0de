import { setImmediate, setTimeout } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { describeClockConformance } from './clock-conformance.ts';

describeClockConformance('the clock of the system', () => ({
  clock: systemClock,
  pass: (ms) => setTimeout(ms),
}));

describeClockConformance('the clock of the tests', () => {
  const clock = new ManualClock();
  return {
    clock,
    async pass(ms) {
      clock.advance(ms);
      await setImmediate();
    },
  };
});
