/** Where the page is served unless the settings say otherwise. */
export const usualWebPort = 8787;

/** Whether only this machine can reach a host, by its name alone. Pure. */
export function isLoopbackHost(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|::1|localhost)$/i.test(host);
}
