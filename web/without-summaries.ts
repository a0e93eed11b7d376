// Removes the summaries of routes from the console. Only the server writes OpenAPI, and those of the routes that every page
// knows are a kilobyte of the first one.
import type { Plugin } from 'vite'

const contract = /[\\/]contract[\\/]src[\\/][\w-]+\.ts$/
const summary = /\bsummary:\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"),/g

export function withoutSummaries(): Plugin {
  return {
    name: 'without-summaries',
    apply: 'build',
    enforce: 'pre',
    transform: (code, id) => (contract.test(id) ? { code: code.replace(summary, ''), map: null } : undefined),
  }
}
