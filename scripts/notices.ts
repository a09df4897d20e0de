import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderNotices } from './render-notices.ts';

const root = join(import.meta.dirname, '..');
await writeFile(join(root, 'THIRD-PARTY-NOTICES.md'), await renderNotices(root));
