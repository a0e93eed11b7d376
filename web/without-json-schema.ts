// Removes zod's JSON Schema writer from the console. Only the server writes OpenAPI, and it is 5 kB of every first
// page.
import type { Plugin } from 'vite'

const writer =
  /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors|json-schema-generator)\.js$/
const exported = /^export (?:function|const|class) (\w+)/gm

/**
 * Every export of those modules throws when it is called. The names stay, so that a new version of zod needs no change
 * here.
 */
export function withoutJsonSchema(): Plugin {
  return {
    name: 'without-json-schema',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!writer.test(id)) return undefined
      const names = [...code.matchAll(exported)].map(([, name]) => name)
      // Schemas prepare their writers when they are made, so making one must not throw.
      const refuse = "const refuse = () => () => { throw new Error('The console writes no JSON Schema') }"
      return {
        code: `${refuse}\n${names.map((name) => `export const ${name} = refuse`).join('\n')}`,
        map: null,
      }
    },
  }
}
