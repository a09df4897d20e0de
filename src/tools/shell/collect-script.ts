import { headBytes, tailBytes } from './output-file.ts';

const readBytes = 16_384;

export interface CollectLimits {
  /** Of an output that grows beyond this, the middle is dropped. */
  readonly mostBytes: number;
  /** How many reads there are from one look at the size to the next. */
  readonly readsPerLook: number;
}

/**
 * A function of bash, `collect`, that copies its input into the file `out` as it comes, and keeps that file small: what is
 * taken out of the middle is counted in `dropped`. While that goes on there is a file `tail`. A full disk costs the rest of
 * the output, which `cut` tells, never the command.
 */
export function collectScript({ mostBytes, readsPerLook }: CollectLimits): string {
  return String.raw`collect() {
  while dd bs=${readBytes} count=${readsPerLook} >> out; do
    LC_ALL=C IFS= read -r -d '' -n 1 byte || return
    size=$(wc -c < out)
    if [ "$size" -gt ${mostBytes} ]; then
      tail -c ${tailBytes} out > tail
      echo $((size - ${headBytes} - ${tailBytes})) >> dropped
      dd if=/dev/null of=out bs=${headBytes} seek=1
      cat tail >> out
      rm -f tail
    fi
    if [ "$byte" ]; then printf %s "$byte"; else printf '\0'; fi >> out
  done
  : > cut
  cat > /dev/null
}
`;
}
