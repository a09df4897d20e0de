/** The story of the gateway as a service, as a program to be run in namespaces of its own. */
import { liveUnderSystemd } from '../cli/gateway/systemd-story.ts';

// A test that is killed leaves nobody behind.
process.stdin.resume().once('end', () => process.exit(1));
await liveUnderSystemd((step) => process.stdout.write(`${step}\n`));
process.exit();
