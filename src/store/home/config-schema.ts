import type { JsonObject } from '../../base/json.ts';
import { configSchema } from '../../model/config.ts';

/** The JSON schema of `config.yaml`, for editors. */
export function configJsonSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Talaria configuration',
    ...configSchema.json,
  };
}
