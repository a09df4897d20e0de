import { AppError, describeError, isAppError } from '../../base/errors.ts';
import { newestBackup } from './backups.ts';
import { fromSqliteError } from './sqlite-errors.ts';
import type { StoreFiles } from './store-files.ts';

/** Words an error of SQLite for a person, and says of damage where the newest copy is. Any other stays as it is. */
export function explainError(thrown: unknown, files: StoreFiles): unknown {
  const error = fromSqliteError(thrown) ?? thrown;
  if (!isAppError(error, 'corrupt-store')) return error;
  const backup = newestBackup(files.backups);
  const remedy = backup === undefined ? 'there is no backup' : `the newest backup is ${backup}`;
  const message = `${files.database} is damaged and was left as it is (${describeError(error.cause)}); ${remedy}`;
  return new AppError('corrupt-store', message, { cause: error });
}
