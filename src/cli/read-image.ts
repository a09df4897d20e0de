import { AppError } from '../base/errors.ts';
import { judgeImage, judgeImageSize } from '../model/image.ts';
import type { GivenImage } from '../model/image.ts';

/** Reads a picture that a model is to be shown. Throws what a person can do something about. */
export async function readImage(file: string, folder: string): Promise<GivenImage> {
  const [{ readFile, stat }, { basename, resolve }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
  ]);
  const path = resolve(folder, file);
  const name = basename(path);
  const found = await stat(path);
  if (!found.isFile()) throw new AppError('bad-usage', `${file} is not a file`);
  // Told before it is read: a film by mistake would fill the memory.
  const problem = judgeImageSize(found.size, name);
  if (problem !== undefined) throw new AppError('bad-usage', problem);
  const image = { bytes: await readFile(path), name };
  const judged = judgeImage(image);
  if (judged.type === 'unfit') throw new AppError('bad-usage', judged.reason);
  return image;
}
