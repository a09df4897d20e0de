export type FileSystemKind = { readonly type: 'local' } | { readonly type: 'shared'; readonly name: string };

// The magic numbers that Linux's statfs(2) gives for what does not keep POSIX locks and shared memory as a disk does.
const sharedOnLinux: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE (sshfs, a virtual machine or a cloud drive)'],
  [0x01021997, '9p (a folder of the host)'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x19830326, 'BeeGFS'],
  [0x786f4256, 'a VirtualBox shared folder'],
  [0xbacbacbc, 'a VMware shared folder'],
  [0x7c7c6673, 'a Parallels shared folder'],
]);

// The only one whose number macOS fixes; the others are numbered as they are loaded.
const sharedOnMac: ReadonlyMap<number, string> = new Map([[2, 'NFS']]);

/** Whether SQLite's write-ahead log can be trusted on a file system, by the type that `statfs` reports. Pure. */
export function decideFileSystem(platform: string, type: number): FileSystemKind {
  const shared = platform === 'linux' ? sharedOnLinux : platform === 'darwin' ? sharedOnMac : undefined;
  // On some machines the type arrives with its sign extended.
  const name = shared?.get(type >>> 0);
  return name === undefined ? { type: 'local' } : { type: 'shared', name };
}
