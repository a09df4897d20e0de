import type { ModelChoice } from '../model/config.ts';
import { nameRuntime } from '../model/runtime.ts';
import type { Runtime } from '../model/runtime.ts';
import type { ModelFacts } from './model-facts.ts';
import type { Models, ModelsFound } from './models.ts';

/** A model that the settings name. */
export interface SurveyedModel extends ModelFacts {
  readonly role: 'primary' | 'fallback' | 'alias';
  /** The short name, of an alias. */
  readonly alias: string | undefined;
  /** Why it cannot be used, if it cannot. */
  readonly problem: string | undefined;
}

export type LookUp = (runtime: Pick<Runtime, 'name' | 'window'>) => Promise<ModelFacts>;

/** Every model that the settings name, with what is known about it; those that cannot be used, too. */
export async function surveyModels(models: Models, lookUp: LookUp): Promise<readonly SurveyedModel[]> {
  const { model, fallback } = models.config;
  const primary = describe('primary', nameOf(model), await models.lookAtDefault(), lookUp);
  const standIns = fallback.map(async (choice) =>
    describe('fallback', nameOf(choice), await models.look(choice), lookUp),
  );
  const aliases = Object.entries(model.aliases).map(async ([alias, name]) => ({
    ...(await describe('alias', name, await models.find(alias), lookUp)),
    alias,
  }));
  return await Promise.all([primary, ...standIns, ...aliases]);
}

async function describe(
  role: SurveyedModel['role'],
  written: string,
  found: ModelsFound,
  lookUp: LookUp,
): Promise<SurveyedModel> {
  if (found.type === 'chosen') {
    return { ...(await lookUp(found.chain[0])), role, alias: undefined, problem: undefined };
  }
  const [vendor = '', ...model] = written.split(':');
  const facts = await lookUp({ name: nameRuntime(vendor, model.join(':')), window: undefined });
  return { ...facts, role, alias: undefined, problem: found.problem };
}

function nameOf({ provider = 'unknown', default: model = 'unknown' }: ModelChoice): string {
  return `${provider}:${model}`;
}
