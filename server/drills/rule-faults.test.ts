import { expect, test } from 'vitest'
import { faultsOf, rulesOf } from './rule-faults.ts'

const at = (minute: number) => Date.UTC(2026, 0, 1, 0, minute)
const holding = (name: string, duration: number, ...minutes: number[]) => ({
  name,
  duration,
  health: 'ok',
  alerts: minutes.map((minute) => ({
    activeAt: new Date(at(minute)).toISOString(),
    labels: { connection: `link${minute}` },
  })),
})
const faults = (rule: ReturnType<typeof holding> & { lastError?: string }, fired: string[] = []) =>
  faultsOf(rulesOf({ data: { groups: [{ rules: [rule] }] } }, 'link1'), fired, {
    startedAtMs: at(0),
    endedAtMs: at(10),
  }).map(({ text, isOfTime }) => [text, isOfTime])

test('a rule that does not hold is none at fault', () => {
  expect(faults(holding('A', 60))).toEqual([])
})

test('a rule that fired is at fault, also when it holds no more', () => {
  expect(faults(holding('A', 60), ['A'])).toEqual([['A fired', false]])
  expect(faults(holding('TollgateCommitsSlow', 300), ['TollgateCommitsSlow'])).toEqual([
    ['TollgateCommitsSlow fired', true],
  ])
})

test('a rule that held for the second half would have fired, and one that began later may stop', () => {
  expect(faults(holding('A', 900, 7, 5))).toEqual([
    ['A would have fired: it holds since 2026-01-01T00:05:00.000Z, for the second half of the time', false],
  ])
  expect(faults(holding('A', 900, 6))).toEqual([])
  expect(faults(holding('TollgateCommitsSlow', 300, 0))).toEqual([])
})

test('what a rule says of the link that is broken on purpose is no fault', () => {
  expect(faults(holding('A', 300, 1))).toEqual([])
})

test('of a rule that must hold for an hour some minutes say nothing', () => {
  expect(faults(holding('A', 3_600, 0))).toEqual([])
})

test('a rule that could not be evaluated is at fault', () => {
  expect(faults({ ...holding('A', 60), health: 'err', lastError: 'found duplicate series' })).toEqual([
    ['A could not be evaluated: err found duplicate series', false],
  ])
})
