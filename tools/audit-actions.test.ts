// Each action that the server writes to the audit log has a name for people, in every language of the console.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { isNamedAction } from '../web/src/audit/words.ts'

const root = resolve(import.meta.dirname, '..')
const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server/src'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path.endsWith('.ts') && !path.includes('.test.'))

// `action: 'user.edit'`, `record(deps, tx, caller, 'connection.edit', …)` and both sides of a choice between two.
const called = /\b(?:action|record)\b[^'\n]*'([a-z_-]+\.[a-z_-]+)'(?: : '([a-z_-]+\.[a-z_-]+)')?/g

function actionsIn(path: string): string[] {
  return [...readFileSync(join(root, path), 'utf8').matchAll(called)]
    .flatMap(([, one, other]) => [one, other])
    .filter((action) => action !== undefined)
}

// Examples of actions that the server puts together of a noun and a verb.
const composed = [
  'adjustment.post',
  'billing_period.request_credit',
  'billing_period.reject_withhold',
  'billing_period.approve_payment',
  'billing_period.propose_owe_payment',
  'hold.release',
  'number.set_status',
  'number_request.withdraw',
  'payment.accept',
  'payment_run.export',
  'payout.waive_payment',
  'transfer.ask_match',
  'user.smpp-access',
]

test('each action of the audit log has a name', () => {
  const actions = [...new Set([...sources.flatMap(actionsIn), ...composed])]
  expect(actions.length).toBeGreaterThan(80)
  expect(actions.filter((action) => !isNamedAction(action))).toEqual([])
})
