const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'instance-data',
  'instance-data.ec2.internal',
]);

// Names that are found in a private network alone. Behind a proxy, which looks names up by itself, this is what is left.
const privateEndings =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion)$/;

/** Whether a name, as `plainName` writes it, stands for what hands out the credentials of this machine. Pure. */
export function isMetadataName(name: string): boolean {
  return metadataNames.has(name);
}

/** Whether a name, as `plainName` writes it, can only lead into a private network. Pure. */
export function isPrivateName(name: string): boolean {
  return !name.includes('.') || privateEndings.test(name);
}
