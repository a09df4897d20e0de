/** A program that puts the files of a session back, for tests that kill it. Arguments: the folder of tasks, the session. */
import { systemClock } from '../../src/base/clock.ts';
import type { SessionId } from '../../src/base/ids.ts';
import { Checkpoints } from '../../src/tools/checkpoints/checkpoints.ts';

const [taskFolder = '', sessionId = ''] = process.argv.slice(2);
await new Checkpoints({ taskFolder, clock: systemClock }).rollBack(sessionId as SessionId, 1, 'careful');
