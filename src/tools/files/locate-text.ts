import { usesCrLf, withEndings } from './line-endings.ts';
import { matchLines } from './match-lines.ts';
import { mostPlaces } from './text-place.ts';
import type { TextPlace } from './text-place.ts';

/** How loosely the places match, tightest first. */
export type Strategy = 'exact' | 'trailing-spaces' | 'indentation' | 'punctuation';

export type Located =
  | { readonly type: 'found'; readonly strategy: Strategy; readonly places: readonly [TextPlace, ...TextPlace[]] }
  | { readonly type: 'missing' };

/**
 * Where a wanted piece stands in a text, to the first place that is one too many (`mostPlaces`). The strategies are tried in a fixed order and the first that finds anything
 * wins, so a loose match is never preferred to a tighter one.
 */
export function locateText(text: string, wanted: string): Located {
  const finders: Readonly<Record<Strategy, () => readonly TextPlace[]>> = {
    exact: () => findSubstring(text, wanted, (part) => part),
    'trailing-spaces': () => matchLines(text, wanted, 'trailing-spaces'),
    indentation: () => matchLines(text, wanted, 'indentation'),
    punctuation: () => findSubstring(text, wanted, plainPunctuation),
  };
  for (const strategy of ['exact', 'trailing-spaces', 'indentation', 'punctuation'] as const) {
    const [first, ...rest] = finders[strategy]();
    if (first !== undefined) return { type: 'found', strategy, places: [first, ...rest] };
  }
  return { type: 'missing' };
}

/** Occurrences of the wanted text, with whichever line endings the file has; none overlaps the one before it. */
function findSubstring(text: string, wanted: string, simplify: (part: string) => string): readonly TextPlace[] {
  const simple = simplify(text);
  const unix = withEndings(wanted, '\n');
  for (const variant of new Set([wanted, unix, withEndings(wanted, '\r\n')])) {
    const isCrLf = usesCrLf(variant) || usesCrLf(text);
    const adapt = (replacement: string): string => {
      if (isCrLf) return withEndings(replacement, '\r\n');
      return variant === unix && variant !== wanted ? withEndings(replacement, '\n') : replacement;
    };
    const places: TextPlace[] = [];
    const target = simplify(variant);
    for (let at = simple.indexOf(target); at !== -1; at = simple.indexOf(target, at + target.length)) {
      places.push({ start: at, end: at + target.length, adapt });
      if (places.length > mostPlaces) break;
    }
    if (places.length > 0) return places;
  }
  return [];
}

/** Typographic quotes, dashes and spaces as their plain counterparts. One character stays one, so that places hold. */
function plainPunctuation(text: string): string {
  return text
    .replaceAll(/[\u2018\u2019\u201A\u201B\u2032]/g, "'")
    .replaceAll(/[\u201C\u201D\u201E\u201F\u2033]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' ');
}
