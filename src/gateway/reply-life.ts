/** For how long it is tried to send a reply. */
export const replyLifeMs = 24 * 60 * 60 * 1000;
