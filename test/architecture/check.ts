import { checkCycles } from './cycles.ts';
import { checkFloors } from './floors.ts';
import { checkLanguage } from './language.ts';
import { checkModuleState } from './module-state.ts';
import { checkNames } from './names.ts';
import { checkShape } from './shape.ts';
import { parseSources } from './source.ts';
import type { Finding, SourceText } from './source.ts';
import { checkTests } from './tests.ts';

/**
 * Everything in the tree that breaks a rule of the house. The rules hold over `src` and `ui`; of `test`, only that no
 * test is set aside.
 */
export function checkArchitecture(texts: readonly SourceText[], dependencies: ReadonlySet<string>): readonly Finding[] {
  const sources = parseSources(texts);
  const product = sources.filter(isProduct);
  return [
    ...texts.filter(isProduct).flatMap(checkNames),
    ...checkFloors(product, dependencies),
    ...checkCycles(product),
    ...product.flatMap((source) => [...checkShape(source), ...checkLanguage(source), ...checkModuleState(source)]),
    ...sources.filter(({ path }) => path.startsWith('test/')).flatMap(checkTests),
  ];
}

function isProduct({ path }: SourceText): boolean {
  return /^(src|ui)\//.test(path);
}
