import type { PersonId, ScheduleId } from '../../base/ids.ts';
import type { Schedule, Schedules } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';
import { fromAddress, toAddress } from './sessions.ts';
import type { AddressColumns } from './sessions.ts';

interface ScheduleRow extends AddressColumns {
  readonly id: ScheduleId;
  readonly person: PersonId;
  readonly cron: string;
  readonly prompt: string;
  readonly next_at: number;
}

const select = 'SELECT id, platform, account, chat, thread, member, person, cron, prompt, next_at FROM schedules';
// A slot that was taken stays taken, even if the clock is set back or the schedule is written again.
const isFree = '(last_slot IS NULL OR next_at > last_slot)';

const allSchedules: Query<ScheduleRow> = { sql: `${select} ORDER BY next_at, id` };
const dueSchedules: Query<ScheduleRow> = {
  sql: `${select} WHERE next_at <= ? AND ${isFree} ORDER BY next_at, id`,
};

export function scheduleRows(db: Database): Rows<Schedules> {
  return {
    put: (schedule) => put(db, schedule),
    list: () => db.all(allSchedules).map(toSchedule),
    due: (now) => db.all(dueSchedules, now).map(toSchedule),
    claim: (id, slot, nextAt) =>
      db.run(
        `UPDATE schedules SET last_slot = next_at, next_at = ? WHERE id = ? AND next_at = ? AND ${isFree}`,
        nextAt,
        id,
        slot,
      ) === 1,
    remove(id) {
      db.run('DELETE FROM schedules WHERE id = ?', id);
    },
  };
}

function put(db: Database, { id, address, person, cron, prompt, nextAt }: Schedule): void {
  db.run(
    `INSERT INTO schedules (id, platform, account, chat, thread, member, person, cron, prompt, next_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET platform = excluded.platform, account = excluded.account, chat = excluded.chat,
        thread = excluded.thread, member = excluded.member, person = excluded.person, cron = excluded.cron,
        prompt = excluded.prompt, next_at = excluded.next_at`,
    id,
    ...fromAddress(address),
    person,
    cron,
    prompt,
    nextAt,
  );
}

function toSchedule(row: ScheduleRow): Schedule {
  const { id, person, cron, prompt, next_at: nextAt } = row;
  return { id, address: toAddress(row), person, cron, prompt, nextAt };
}
