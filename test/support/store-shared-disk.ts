import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

// A file system of our own behind FUSE: an empty folder and nothing else. It is a program by itself, since whoever looks at
// the folder stands still until it has answered. The numbers are those of the kernel's <linux/fuse.h>.
const operations = { forget: 2, getAttributes: 3, statfs: 17, init: 26, batchForget: 42 } as const;
const errors = { none: 0, notImplemented: -38 } as const;
const inHeaderBytes = 40;
const outHeaderBytes = 16;
const largestRequest = 1 << 20;

// A test that is killed leaves nobody behind: what waits for an answer then gets an error.
process.stdin.resume().once('end', () => process.exit());
await serve(process.argv[2] ?? '');
process.exit();

async function serve(folder: string): Promise<void> {
  await using device = await open('/dev/fuse', 'r+');
  const options = `fd=3,rootmode=40700,user_id=${process.getuid?.()},group_id=${process.getgid?.()}`;
  const mounting = spawn('mount', ['-i', '-t', 'fuse', '-o', options, 'empty', folder], {
    stdio: ['ignore', 'ignore', 'inherit', device.fd],
  });
  // Only behind it: before that the kernel has nothing to read.
  const [code] = (await once(mounting, 'exit')) as [number | null];
  console.log(code === 0 ? 'mounted' : 'impossible');
  if (code !== 0) return;
  for (;;) {
    const request = Buffer.alloc(largestRequest);
    const isOver = await device.read(request).then(
      () => false,
      () => true, // unmounted
    );
    if (isOver) return;
    await answer(request, device);
  }
}

async function answer(request: Buffer, device: FileHandle): Promise<void> {
  const operation = request.readUInt32LE(4);
  if (operation === operations.forget || operation === operations.batchForget) return;
  const body = bodyFor(operation, request);
  const reply = Buffer.concat([Buffer.alloc(outHeaderBytes), body ?? Buffer.alloc(0)]);
  reply.writeUInt32LE(reply.length, 0);
  reply.writeInt32LE(body === undefined ? errors.notImplemented : errors.none, 4);
  request.copy(reply, 8, 8, 16);
  await device.write(reply);
}

function bodyFor(operation: number, request: Buffer): Buffer | undefined {
  switch (operation) {
    case operations.init:
      return initBody(request);
    case operations.getAttributes:
      return attributesBody();
    case operations.statfs:
      return Buffer.alloc(80);
    default:
      return undefined;
  }
}

function initBody(request: Buffer): Buffer {
  const body = Buffer.alloc(64);
  body.writeUInt32LE(7, 0); // the major version
  body.writeUInt32LE(31, 4);
  request.copy(body, 8, inHeaderBytes + 8, inHeaderBytes + 12); // how much it reads ahead
  body.writeUInt32LE(4096, 20); // the longest write
  return body;
}

/** A folder that is ours and closed to others. */
function attributesBody(): Buffer {
  const body = Buffer.alloc(104);
  body.writeBigUInt64LE(1n, 16);
  body.writeUInt32LE(0o040700, 76);
  body.writeUInt32LE(2, 80);
  body.writeUInt32LE(process.getuid?.() ?? 0, 84);
  body.writeUInt32LE(process.getgid?.() ?? 0, 88);
  return body;
}
